/**
 * Is this the password of that account? Asked of unix_chkpwd, the helper that PAM's own module uses: it reads the shadow
 * file, knows every hash the system knows, and takes the password on its standard input.
 */
import { Secret } from '#model/secret.ts';
import { readTextIfExists } from './files.ts';
import type { Runner } from './run.ts';
import { findTool } from './tools.ts';

const HELPER = 'unix_chkpwd';
/** It waits itself after a wrong password. */
const CHECK_MS = 20_000;
/** Members of this group may become root, so they are the administrators. */
const ADMIN_GROUP = 'sudo';

export type PasswordAnswer = { readonly kind: 'right' } | { readonly kind: 'wrong' } | { readonly kind: 'unknown'; readonly why: string };

const fieldsOf = (text: string | null): string[][] => (text ?? '').split('\n').map((line) => line.split(':'));

/** `*` and `!` in front: no password lets in. */
const isUsable = (hash: string): boolean => hash !== '' && !/^[*!]/.test(hash);

/** Administrators with a password, in the order of the group file. Throws when the files cannot be read. */
export async function administrators(): Promise<string[]> {
  const members = fieldsOf(await readTextIfExists('/etc/group')).find(([name]) => name === ADMIN_GROUP)?.[3] ?? '';
  const hashes = new Map(fieldsOf(await readTextIfExists('/etc/shadow')).map(([name = '', hash = '']) => [name, hash]));
  return members.split(',').filter((name) => isUsable(hashes.get(name) ?? ''));
}

/** Why passwords cannot be checked here; null when they can. */
export async function passwordObstacle(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root can check passwords';
  return (await findTool(HELPER)) === null ? `${HELPER} is not installed` : null;
}

/** `user` must be one of `administrators()`: a name from outside never becomes an argument. */
export async function checkPassword(run: Runner, user: string, password: Secret): Promise<PasswordAnswer> {
  const result = await run([HELPER, user, 'nonull'], { timeoutMs: CHECK_MS, stdin: new Secret(`${password.reveal()}\0`) });
  if (result.kind !== 'exited') return { kind: 'unknown', why: `${HELPER} did not answer` };
  return result.code === 0 ? { kind: 'right' } : { kind: 'wrong' };
}
