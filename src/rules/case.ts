/** One judgement in progress: the answers as the rules see them, and where their findings go. */
import type { Answers, Mode, Role } from '#model/answers.ts';
import { type Finding, Room } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import { Secret } from '#model/secret.ts';
import { RULES, type RuleId } from './catalogue.ts';
import { keyAt, ROLE_VALUES } from './keys.ts';
import { hasOddBlank, oddBlankFault } from './odd-blanks.ts';
import { makeShow, type Show } from './show.ts';

/** Why a value may not stand, or (a rule of severity warning) why it deserves a second look. */
export interface Fault {
  readonly rule: RuleId;
  readonly message: string;
  readonly fix?: string;
}

/** What a pure reader of one value found: the value, with what is odd about it; or nothing but faults. */
export interface Reading<T> {
  readonly value: T | null;
  readonly faults: readonly Fault[];
}

export interface Case {
  /** Edge blanks dropped; empty values and unrendered templates taken out. */
  readonly answers: Answers;
  readonly machine: Machine | null;
  readonly mode: Mode;
  /** null: not answered, or not a role. */
  readonly role: Role | null;
  /** Quotes a value for a message: no secret, no control character, not endless. */
  readonly show: Show;
  /** `near`: an answer that is in the file, for a finding about one that is not. */
  report(path: string, fault: Fault, near?: string): void;
  /** Was anything but an empty value written for this key, even something faulty? */
  isWritten(path: string): boolean;
}

type Leaf = readonly [path: string, value: string | Secret];

/** Every leaf with its path, in the order of the object. */
function leavesOf(answers: Answers): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (prefix: string, value: unknown): void => {
    if (typeof value === 'string' || value instanceof Secret) leaves.push([prefix, value]);
    else if (Array.isArray(value)) for (const [i, entry] of value.entries()) walk(`${prefix}[${i}]`, entry);
    else if (value !== null && typeof value === 'object')
      for (const [name, inner] of Object.entries(value)) walk(prefix === '' ? name : `${prefix}.${name}`, inner);
  };
  walk('', answers);
  return leaves;
}

/** `${...}` or `{{...}}`, found without going back over the text. */
function isTemplate(text: string): boolean {
  const [dollar, brace] = [text.indexOf('${'), text.indexOf('{{')];
  return (dollar >= 0 && text.indexOf('}', dollar) >= 0) || (brace >= 0 && text.indexOf('}}', brace + 2) >= 0);
}

/** Messages that leave out their subject: the key. */
export const OPEN_SENTENCE = /^(is|has|may|must|needs|looks|carries|points|turns|names|marks|was|cannot|lies|holds)\b/;

type Sort = 'keep' | 'template' | 'empty' | 'odd';

/** Types of key whose values never hold a special blank; a password may, and so may the comment of a public key. */
const PLAIN_TYPES: ReadonlySet<string | undefined> = new Set(['text', 'boolean', 'number', 'list']);

function sortOf(path: string, text: string): Sort {
  if (isTemplate(text)) return 'template';
  if (PLAIN_TYPES.has(keyAt(path)?.type) && hasOddBlank(text)) return 'odd';
  // An empty password is a fault of its own, never an answer left out.
  const isPassword = path.startsWith('admin_password');
  return !isPassword && text.trim() === '' ? 'empty' : 'keep';
}

/** Texts trimmed; undefined for what a rule need not see. Entries of a list keep their places. */
function tidyValue(path: string, value: unknown): unknown {
  if (typeof value === 'string') return sortOf(path, value) === 'keep' ? value.trim() : undefined;
  if (value instanceof Secret) return sortOf(path, value.reveal()) === 'keep' ? value : undefined;
  if (Array.isArray(value)) return value.map((entry, i) => tidyValue(`${path}[${i}]`, entry) ?? '');
  if (value === null || typeof value !== 'object') return undefined;
  const prefix = path === '' ? '' : `${path}.`;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]): [string, unknown] => [name, tidyValue(`${prefix}${name}`, inner)])
      .filter(([, inner]) => inner !== undefined),
  );
}

function judgeLeaf([path, value]: Leaf, c: Case): void {
  const text = typeof value === 'string' ? value : value.reveal();
  const sort = sortOf(path, text);
  const key = keyAt(path);
  if (sort === 'template') {
    c.report(path, {
      rule: 'value.template',
      message: 'the template was not rendered: the value still holds a placeholder',
      fix: 'render the template before it is used as an answer file, or write the value itself',
    });
  } else if (sort === 'odd') {
    const fault = oddBlankFault(text);
    if (fault) c.report(path, fault);
  } else if (sort === 'empty' && !path.endsWith(']')) {
    const isNeeded = c.mode === 'field' && key?.absent === 'asked for';
    c.report(
      path,
      isNeeded
        ? { rule: 'value.required', message: `${path} must be answered` }
        : { rule: 'value.empty', message: 'the value is empty and counts as absent', fix: 'write a value, or take the key out' },
    );
  } else if (sort === 'keep' && key?.type === 'text' && text !== text.trim() && c.mode !== 'field') {
    c.report(path, { rule: 'value.blanks', message: 'blanks at the ends of the value are dropped', fix: 'take the blanks out' });
  }
}

/** Sets up a judgement; the faults that any value can have (template, empty) are reported at once. */
export function openCase(answers: Answers, machine: Machine | null, mode: Mode): { readonly case: Case; readonly findings: Finding[] } {
  const findings: Finding[] = [];
  const room = new Room();
  const leaves = leavesOf(answers);
  const written = new Set<string>();
  for (const [name, value] of Object.entries(answers)) if (typeof value === 'object' && !(value instanceof Secret)) written.add(name);
  if (answers.network?.dns !== undefined) written.add('network.dns');
  for (const [path, value] of leaves)
    if (sortOf(path, typeof value === 'string' ? value : value.reveal()) !== 'empty') written.add(path.replace(/\[\d+\]$/, ''));
  const clean = tidyValue('', answers) as Answers;
  const c: Case = {
    answers: clean,
    machine,
    mode,
    role: ROLE_VALUES[clean.role?.toLowerCase() ?? ''] ?? null,
    show: makeShow(answers),
    isWritten: (path) => written.has(path),
    report: (path, fault, near) => {
      const spec = RULES[fault.rule];
      if (!room.takes(spec.severity)) return;
      findings.push({
        severity: spec.severity,
        rule: fault.rule,
        path,
        message: OPEN_SENTENCE.test(fault.message) ? `${path} ${fault.message}` : fault.message,
        ...(fault.fix === undefined ? {} : { fix: fault.fix }),
        ...(near === undefined ? {} : { near }),
        ...('unchecked' in spec ? { unchecked: true } : {}),
      });
    },
  };
  for (const leaf of leaves) judgeLeaf(leaf, c);
  return { case: c, findings };
}
