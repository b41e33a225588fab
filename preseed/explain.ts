/** `spatium explain KEY|RULE`, and the tables that the reference page is made of. */
import { RULES, ruleOf } from '#rules/catalogue.ts';
import { KEYS, type KeySpec, keyAt } from '#rules/keys.ts';
import { nearest } from '#rules/nearest.ts';
import { reasonOf } from '#rules/reasons.ts';

const TYPE_WORDS: Readonly<Record<KeySpec['type'], string>> = {
  text: 'text',
  secret: 'text, never printed',
  boolean: 'true or false',
  number: 'whole number',
  list: 'list, or one text with blanks between the entries',
  lines: 'list, or one text with an entry a line',
  block: 'mapping',
};

/** Accepted values, each with what it stands for. */
function valuesOf(spec: KeySpec): string {
  const byMeaning = new Map<string, string[]>();
  for (const [word, meaning] of Object.entries(spec.values ?? {})) byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), word]);
  return [...byMeaning].map(([meaning, words]) => [meaning, ...words.filter((word) => word !== meaning)].join(' = ')).join('; ');
}

function explainKey(spec: KeySpec): string {
  const rows: [string, string][] = [
    ['type', TYPE_WORDS[spec.type]],
    ...(spec.values ? [['values', valuesOf(spec)] as [string, string]] : []),
    ['absent', spec.absent],
    ...(spec.role === null ? [] : [['role', `${spec.role} only`] as [string, string]]),
    ['example', `${spec.path.split('.').at(-1)}: ${spec.example}`],
  ];
  return `${spec.path}\n  ${spec.description}\n${rows.map(([name, text]) => `  ${name.padEnd(8)} ${text}\n`).join('')}`;
}

function explainRule(id: string): readonly string[] {
  const rule = ruleOf(id);
  return rule ? [`${id} (${rule.severity})\n  ${rule.summary}\n  ${reasonOf(id)}\n`] : [];
}

/** null: neither a key nor a rule; `meant` is then the closest one. */
export function explain(word: string): { readonly text: string } | { readonly meant: string | null } {
  const key = keyAt(word) ?? KEYS.find((spec) => spec.path.endsWith(`.${word}`));
  const inner = key ? KEYS.filter((spec) => spec.path.startsWith(`${key.path}.`)) : [];
  // A rule may have the name of the key that it judges.
  const texts = [...(key ? [key, ...inner].map(explainKey) : []), ...explainRule(word)];
  if (texts.length > 0) return { text: texts.join('\n') };
  return { meant: nearest(word, [...KEYS.map((spec) => spec.path), ...Object.keys(RULES)]) };
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

const EXAMPLES = `## A first node that needs nobody at the console

\`\`\`yaml
spatium_preseed:
  unattended: true
  role: control-plane
  target_disk: /dev/disk/by-id/ata-EXAMPLE_SSD_0001
  confirm_wipe: true
  hostname: ddi-one
  admin_user: ops
  admin_password: 'a long and quiet sentence 7'
  timezone: Europe/Berlin
  network:
    mode: static
    interface: eno1
    ip: 192.0.2.10/24
    gateway: 192.0.2.1
    dns: [192.0.2.53, '2001:db8::53']
\`\`\`

## An additional node

\`\`\`yaml
spatium_preseed:
  role: appliance
  target_disk: /dev/disk/by-id/nvme-EXAMPLE_0002
  confirm_wipe: true
  hostname: edge-2
  admin_password: 'a long and quiet sentence 8'
  timezone: UTC
  network: {mode: dhcp}
  control_plane_url: https://cp.example.net
  pairing_code: '1234 5678'
\`\`\`
`;

const keyRow = (spec: KeySpec): string => {
  const values = spec.values ? ` Values: ${cell(valuesOf(spec))}.` : '';
  return `| \`${spec.path}\` | ${cell(TYPE_WORDS[spec.type])} | ${cell(spec.description)}${values} | ${cell(spec.absent)} | ${spec.role ?? 'both'} |`;
};

/** docs/answer-file.md. */
export function referencePage(): string {
  const rules = Object.entries(RULES).map(([id, rule]) => `| \`${id}\` | ${rule.severity} | ${cell(rule.summary)} |`);
  return `# The answer file

Made by \`npm run docs\` from the registry of keys and the table of rules; do not edit.

An answer file is one YAML 1.2 document in UTF-8. The answers stand below \`spatium_preseed:\`; in a file named \`spatium-preseed.yaml\`, or named on the
command line, that line may be left out. Every value is read as the text that is written. Keys that start with \`x-\` are notes of your own.

Check a file before you travel with it: \`spatium check FILE\`. It exits with 0 (valid), 1 (invalid) or 2 (wrong call, unreadable file).
\`-\` stands for standard input; a pipe that says nothing for a minute is given up, so that no unattended run waits for good.

## Keys

| key | type | what it is | without it | role |
|---|---|---|---|---|
${KEYS.map(keyRow).join('\n')}

${EXAMPLES}
## Rules

\`spatium explain RULE\` prints one of these. Warnings become errors of the exit code with \`--strict\`.

| rule | severity | meaning |
|---|---|---|
${rules.join('\n')}
`;
}
