/**
 * The operator's account, kept on STATE. Accounts live in /etc, which is kept on /var: without this an emptied /var would leave
 * a machine that nobody can log in to. The record holds what /etc/shadow holds and is for root only.
 */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { Secret } from '#model/secret.ts';
import { chmod, chown, ensureDir, exists, readTextIfExists, remove, writeAtomic } from '#system/files.ts';
import { runOk } from '#system/run.ts';
import { inRoot, isLive, putText, type Target } from './target.ts';

export const ACCOUNT_RECORD = `${PATHS.state}/account.json`;
const KEY_ONLY = '/etc/ssh/sshd_config.d/spatiumddi.conf';
const PASSWORD_LOGIN = '/etc/ssh/sshd_config.d/10-spatiumddi-password-auth.conf';
const KEY_ONLY_TEXT = 'PasswordAuthentication no\nKbdInteractiveAuthentication no\n';
const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;
/** A crypt(3) hash, locked or not: an account with keys only has a locked one. Never empty: that would let anyone in. */
const HASH = /^(?:[!*]+|!?\$[0-9a-z]+\$[^:\s]+)$/;
/** In the /etc of the account: with it a missing account was removed by somebody, without it /etc itself was lost. */
const MARK = '/etc/spatiumddi/account';

interface AccountRecord {
  readonly user: string;
  readonly hash: string;
  readonly authorizedKeys: string;
  /** sshd takes keys only. */
  readonly keyOnly: boolean;
}

const fields = (table: string | null, name: string): string[] | undefined =>
  table
    ?.split('\n')
    .map((line) => line.split(':'))
    .find(([first]) => first === name);

/** The account as /etc has it now; null when it has none. */
async function accountNow(target: Target, user: string): Promise<AccountRecord | null> {
  const passwd = fields(await readTextIfExists(inRoot(target, '/etc/passwd')), user);
  const hash = fields(await readTextIfExists(inRoot(target, '/etc/shadow')), user)?.[1];
  if (passwd === undefined || hash === undefined || !HASH.test(hash)) return null;
  const keys = await readTextIfExists(inRoot(target, path.join(passwd[5] ?? '/nowhere', '.ssh/authorized_keys')));
  const sshd = await readTextIfExists(inRoot(target, KEY_ONLY));
  return { user, hash, authorizedKeys: keys ?? '', keyOnly: /^PasswordAuthentication no$/m.test(sshd ?? '') };
}

/** The record, or null when it is missing or not one that this program wrote. */
export function parseAccountRecord(text: string | null): AccountRecord | null {
  try {
    const r: unknown = JSON.parse(text ?? 'null');
    if (typeof r !== 'object' || r === null || !('user' in r && 'hash' in r && 'authorizedKeys' in r && 'keyOnly' in r)) return null;
    const { user, hash, authorizedKeys, keyOnly } = r;
    if (typeof user !== 'string' || typeof hash !== 'string' || typeof authorizedKeys !== 'string') return null;
    return NAME.test(user) && HASH.test(hash) ? { user, hash, authorizedKeys, keyOnly: keyOnly === true } : null;
  } catch {
    return null;
  }
}

/** Keeps the account as it is now, when that is news. Also called by the installer, on the new system. False: there is none. */
export async function recordAccount(target: Target, user: string): Promise<boolean> {
  const now = await accountNow(target, user);
  if (now === null) return false;
  const text = `${JSON.stringify(now)}\n`;
  const file = inRoot(target, ACCOUNT_RECORD);
  if ((await readTextIfExists(file)) !== text) {
    await writeAtomic(file, text, { mode: 0o600 });
    target.note('kept the account on STATE');
  }
  await putText(target, MARK, `${user}\n`, 0o644);
  return true;
}

async function writeKeys(target: Target, record: AccountRecord): Promise<void> {
  const [, , uid, gid, , home] = fields(await readTextIfExists(inRoot(target, '/etc/passwd')), record.user) ?? [];
  if (home === undefined || record.authorizedKeys === '') return;
  const dir = inRoot(target, path.join(home, '.ssh'));
  await ensureDir(dir, 0o700);
  await chmod(dir, 0o700);
  await chown(dir, Number(uid), Number(gid));
  await writeAtomic(path.join(dir, 'authorized_keys'), record.authorizedKeys, {
    mode: 0o600,
    owner: { uid: Number(uid), gid: Number(gid) },
  });
}

async function recreate(target: Target, record: AccountRecord): Promise<void> {
  const { user, hash, keyOnly } = record;
  const inside = isLive(target) ? [] : ['chroot', target.root];
  if (fields(await readTextIfExists(inRoot(target, '/etc/passwd')), user) === undefined) {
    const isGroup = fields(await readTextIfExists(inRoot(target, '/etc/group')), user) !== undefined;
    const group = isGroup ? ['--gid', user] : [];
    await runOk([...inside, 'useradd', '--create-home', ...group, '--groups', 'sudo', '--shell', '/bin/bash', user], {}, target.run);
  }
  await runOk([...inside, 'chpasswd', '--encrypted'], { stdin: new Secret(`${user}:${hash}\n`) }, target.run);
  await writeKeys(target, record);
  if (keyOnly) {
    await remove(inRoot(target, PASSWORD_LOGIN));
    await writeAtomic(inRoot(target, KEY_ONLY), KEY_ONLY_TEXT, { mode: 0o644 });
  }
  target.note(`made the account ${user} again from STATE: /etc had lost it`);
}

/**
 * An account that is there is recorded, with a password or keys that were changed since. One that is gone with all of /etc is made
 * again; one that somebody removed stays removed.
 * @throws Error when /etc was lost and STATE holds no record to make the account from
 */
export async function renderAccount(target: Target, values: ReadonlyMap<string, string>): Promise<void> {
  // Whatever STATE remembers of a system that was not locked.
  if (await exists(inRoot(target, PATHS.lockedMark))) return;
  const record = parseAccountRecord(await readTextIfExists(inRoot(target, ACCOUNT_RECORD)));
  const user = record?.user ?? values.get('admin_user') ?? '';
  if (user === '' || (await recordAccount(target, user))) return;
  if ((await readTextIfExists(inRoot(target, MARK))) !== null) {
    if (record === null) return;
    await remove(inRoot(target, ACCOUNT_RECORD));
    return target.note(`the account ${user} was removed; STATE forgets it`);
  }
  if (record === null) throw new Error(`/etc has no account ${user} and STATE no record to make it from: reinstall keeping /var`);
  await recreate(target, record);
  await recordAccount(target, user);
}
