/** `--check-field KIND VALUE|- [CONTEXT...]`: one value, judged as the wizard and the linter judge it. */
import type { Answers, NetworkAnswers } from '#model/answers.ts';
import { type Finding, isError } from '#model/finding.ts';
import { Secret } from '#model/secret.ts';
import { judge } from '#rules/judge.ts';

export interface FieldVerdict {
  /** 0 may stand (with text: with advice), 2 refused, 3 wrong call. */
  readonly code: 0 | 2 | 3;
  readonly text: string;
}

interface Kind {
  readonly path: string;
  /** Names of the context words, for the usage line; all of them may be left out. */
  readonly context: readonly string[];
  answers(value: string, context: readonly string[]): Answers;
}

const given = (text: string | undefined): string | undefined => (text === undefined || text.trim() === '' ? undefined : text.trim());

/** Keys left out where the context has nothing. */
const some = <T extends object>(values: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;

const KINDS: Readonly<Record<string, Kind>> = {
  admin_user: { path: 'admin_user', context: [], answers: (value) => ({ admin_user: value }) },
  timezone: { path: 'timezone', context: [], answers: (value) => ({ timezone: value }) },
  hostname: { path: 'hostname', context: [], answers: (value) => ({ hostname: value }) },
  keymap: { path: 'keymap', context: [], answers: (value) => ({ keymap: value }) },
  control_plane_url: { path: 'control_plane_url', context: [], answers: (value) => ({ control_plane_url: value }) },
  admin_password: {
    path: 'admin_password',
    context: ['USER', 'HOST'],
    answers: (value, [user, host]) => some<Answers>({ admin_password: new Secret(value), admin_user: given(user), hostname: given(host) }),
  },
  mtu: {
    path: 'network.mtu',
    context: ['IP6-MODE', 'IP6', 'MODE', 'INTERFACE'],
    answers: (value, [ip6Mode, ip6, mode, port]) => {
      const isStatic6 = given(ip6Mode)?.toLowerCase() === 'static';
      const network = some<NetworkAnswers>({
        mtu: value,
        ip6: isStatic6 ? given(ip6) : undefined,
        mode: given(mode),
        interface: given(port),
      });
      return { network };
    },
  },
};

/** Only a password is read from standard input: it has no place on a command line. */
export const readsStandardInput = (words: readonly string[]): boolean => words[0] === 'admin_password' && words[1] === '-';

const usage = (): string =>
  Object.entries(KINDS)
    .map(([name, kind]) => `usage: --check-field ${[name, 'VALUE|-', ...kind.context.map((word) => `[${word}]`)].join(' ')}\n`)
    .join('');

function isBlank(kind: Kind, value: string): boolean {
  return kind.path !== 'admin_password' && value.trim() === '';
}

const sentence = (finding: Finding): string => (finding.fix === undefined ? finding.message : `${finding.message} (${finding.fix})`);

/**
 * Judges one value. `text` is what to print: findings a line each, or the usage.
 * @param words kind, value or `-`, and the values that the verdict depends on
 * @param stdin what standard input held, when `readsStandardInput` says so; one final newline is dropped
 */
export function checkField(words: readonly string[], stdin: string): FieldVerdict {
  const [name = '', rawValue, ...context] = words;
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kind || rawValue === undefined || context.length > kind.context.length) return { code: 3, text: usage() };
  const value = readsStandardInput(words) ? stdin.replace(/\n$/, '') : rawValue;
  // Nothing typed means the default, or no setting at all.
  if (isBlank(kind, value)) return { code: 0, text: '' };
  const found = judge(kind.answers(value, context), null, 'field').filter((finding) => finding.path === kind.path);
  const errors = found.filter(isError);
  const told = errors.length > 0 ? errors : found;
  return { code: errors.length > 0 ? 2 : 0, text: told.map((finding) => `${sentence(finding)}\n`).join('') };
}
