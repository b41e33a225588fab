/** The names people type, and which face each of them means. */
import type { FaceName } from '#model/host.ts';

export interface Entry {
  readonly face: FaceName;
  /** Words put before the user's, for a link that stands for a sub-command. */
  readonly words?: readonly string[];
  readonly help: string;
}

/** First word of `spatium WORD …`. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  install: { face: 'install', help: 'lay the appliance onto a disk (wizard, or unattended from an answer file)' },
  check: { face: 'lint', words: ['--check-preseed'], help: 'lint answer files' },
  explain: { face: 'lint', words: ['explain'], help: 'explain a key of the answer file, or a rule' },
  preseed: { face: 'lint', words: ['preseed'], help: 'write a starter answer file' },
  machine: { face: 'machine', help: 'capture this machine, import an lsblk listing, judge disks' },
  console: { face: 'console', help: 'the dashboard' },
  supervise: { face: 'supervise', help: 'collect facts and serve the status socket' },
  status: { face: 'status', help: 'print what the supervisor knows' },
  network: { face: 'boot', words: ['network'], help: 'compare the network profile with STATE, and keep an edit of it' },
  slot: { face: 'boot', words: ['slot'], help: 'which system slot runs, is kept and starts next; keep or change it' },
  'esp-sync': { face: 'boot', words: ['esp-sync'], help: "keep a mirror's second boot partition in step with the first" },
  pair: { face: 'pair', help: 'set or replace the pairing code of this appliance' },
  panel: { face: 'panel', help: 'a panel on this machine, to try an appliance against' },
  update: { face: 'update', help: 'install the published release, judge it, take it back; what runs and what is pending' },
  render: { face: 'boot', words: ['render'], help: 'write /etc from the STATE partition (at boot)' },
};

/** Names of links to this file. */
const LINKS: Readonly<Record<string, Entry>> = {
  'spatium-install': { face: 'install', help: '' },
  'spatium-console': { face: 'console', help: '' },
  // The answer-file parser of the installer before this one; scripts call it to judge one value.
  'spatium-preseed-parse': { face: 'lint', words: ['preseed-parse'], help: '' },
  'spatium-network-adopt': { face: 'boot', words: ['network'], help: '' },
  'spatium-grub-render': { face: 'boot', words: ['slot', 'render'], help: '' },
  'spatiumddi-esp-sync': { face: 'boot', words: ['esp-sync'], help: '' },
  'spatium-pair': { face: 'pair', help: '' },
  'spatium-upgrade-slot': { face: 'boot', words: ['slot'], help: '' },
};

/** What the build must link to this file. */
export const LINK_NAMES: readonly string[] = Object.keys(LINKS);

/** Modes of `spatium-install` that judge a file and touch nothing; they load the small linter, not the installer. */
const LINT_FLAGS = new Set(['--check-preseed', '--check-field']);

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** What `spatium --help` prints. */
export function usage(): string {
  const rows = Object.entries(COMMANDS).map(([name, entry]) => `  ${name.padEnd(10)} ${entry.help}`);
  return `usage: spatium COMMAND [OPTION...]\n\n${rows.join('\n')}\n\nspatium COMMAND --help tells more. spatium-install and spatium-console are links to this file.\nWhatever the command, it exits with 70 on an unexpected error, with 74 when its output cannot be\nwritten, and with 141 when the reader of its output leaves before it is done.\n`;
}

export interface Call {
  readonly program: string;
  readonly entry: Entry;
  readonly argv: readonly string[];
}

/** The call that the words mean, or null when they mean none. */
export function resolveCall(calledAs: string, args: readonly string[]): Call | null {
  const name = baseName(calledAs);
  const link = LINKS[name];
  const command = link ? undefined : COMMANDS[args[0] ?? ''];
  const entry = link ?? command;
  if (!entry) return null;
  const rest = link ? args : args.slice(1);
  const isLint = entry.face === 'install' && rest.some((word) => LINT_FLAGS.has(word));
  const face: FaceName = isLint ? 'lint' : entry.face;
  return { program: link ? name : `spatium ${args[0]}`, entry: { ...entry, face }, argv: [...(entry.words ?? []), ...rest] };
}
