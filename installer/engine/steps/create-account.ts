import path from 'node:path';
import { recordAccount } from '#boot/account.ts';
import { Secret } from '#model/secret.ts';
import { chmod, chown, ensureDir, factsOf, readText, remove, writeAtomic } from '#system/files.ts';
import { type StepContext, StepFailure, type StepRunner, secretOf } from '../context.ts';
import { mountForChroot } from '../mounts.ts';

interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The account's line of passwd text; null when there is none. */
export function accountIn(passwd: string, user: string): Account | null {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === user);
  const [, , uid, gid, , home] = fields ?? [];
  return uid === undefined || gid === undefined || home === undefined ? null : { uid: Number(uid), gid: Number(gid), home };
}

const readAccount = async (context: StepContext, user: string): Promise<Account | null> =>
  accountIn(await readText(path.join(context.root, '/etc/passwd')), user);

/** A kept home belongs to whoever has the name now, whatever number the old system gave. */
async function ownHome(context: StepContext, user: string, account: Account): Promise<void> {
  const facts = await factsOf(path.join(context.root, account.home));
  if (facts === null || (facts.uid === account.uid && facts.gid === account.gid)) return;
  await context.runInTarget(['chown', '--recursive', '--no-dereference', `${account.uid}:${account.gid}`, account.home]);
  context.log.write(`the kept home of ${user} was given to its new number ${account.uid}`);
}

async function writeKeys(context: StepContext, account: Account, keys: readonly string[]): Promise<void> {
  const dir = path.join(context.root, account.home, '.ssh');
  await ensureDir(dir, 0o700);
  await chmod(dir, 0o700);
  await chown(dir, account.uid, account.gid);
  await writeAtomic(path.join(dir, 'authorized_keys'), keys.map((k) => `${k}\n`).join(''), { mode: 0o600, owner: account });
}

/** Written beside the account files by the shadow tools, with the number of the process that holds them. */
const LOCKED = ['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid'];

/**
 * A lock that an interrupted run left. The tools take it for live when any process has that number now, after a restart
 * of the machine too; nothing else works in the target, so none is.
 */
async function dropStaleLocks(root: string): Promise<void> {
  for (const name of LOCKED) await remove(path.join(root, 'etc', `${name}.lock`));
}

/** The operator's account: made with the system's own tools, its password fed on standard input. */
export const createAccount: StepRunner<'create-account'> = async (action, context) => {
  await mountForChroot(context);
  await dropStaleLocks(context.root);
  const { user } = action;
  if ((await readAccount(context, user)) === null) {
    // useradd refuses a name that is a group already (operator, staff); the account then joins it.
    const isGroup = (await readText(path.join(context.root, '/etc/group'))).split('\n').some((line) => line.startsWith(`${user}:`));
    const group = isGroup ? ['--gid', user] : [];
    await context.runInTarget(['useradd', '--create-home', ...group, '--groups', 'sudo', '--shell', '/bin/bash', user]);
  }
  const account = await readAccount(context, user);
  if (account === null) throw new StepFailure(`the account ${user} was not created`);
  await ownHome(context, user, account);
  const password = secretOf(context.options.secrets, action.password).reveal();
  const users = action.setRootPassword ? [user, 'root'] : [user];
  const records = new Secret(users.map((name) => `${name}:${password}\n`).join(''));
  await context.runInTarget(action.password === 'admin_password_hash' ? ['chpasswd', '--encrypted'] : ['chpasswd'], { stdin: records });
  if (!action.setRootPassword) await context.runInTarget(['passwd', '--lock', 'root']);
  if (action.authorizedKeys.length > 0) await writeKeys(context, account, action.authorizedKeys);
  // An emptied /var takes the account with it; the next boot then makes it again from this.
  const target = { root: context.root, run: context.tryRun, note: (text: string) => context.log.write(text) };
  if (!(await recordAccount(target, user))) throw new StepFailure(`the account ${user} has no password`);
};
