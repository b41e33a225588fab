/** Checks of what people and the first boot will need: STATE, the account, and that no secret can be read by everyone. */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { parseStateConfig } from '#rules/state-config.ts';
import { factsOf, listNames, readText, readTextIfExists, readWhole } from '#system/files.ts';
import { type StepContext, secretOf } from '../context.ts';
import { accountIn } from './create-account.ts';

/** The machine's own description on STATE; the pairing code's file is for root only. */
export async function stateFault({ root, plan }: StepContext): Promise<string | null> {
  const state = path.join(root, PATHS.state);
  const text = await readTextIfExists(path.join(root, PATHS.stateConfig));
  if (text === null) return 'spatium-config.yaml is missing';
  const { values, warnings } = parseStateConfig(text);
  if (warnings.length > 0) return `spatium-config.yaml: ${warnings[0]}`;
  if (values.get('hostname') !== plan.settings.hostname) return 'spatium-config.yaml does not hold the host name';
  const id = (await readTextIfExists(path.join(state, 'machine-id')))?.trim() ?? '';
  if (!/^[0-9a-f]{32}$/.test(id)) return 'machine-id is missing or not valid';
  if (!(await readText(path.join(root, PATHS.grubDir, 'grub.cfg'))).includes(`systemd.machine_id=${id}`))
    return 'the boot menu names another machine id';
  if ((await factsOf(path.join(state, 'ssh')))?.mode !== 0o700) return 'the folder of the SSH host keys is not for root only';
  const code = await factsOf(path.join(state, 'pairing-code'));
  if (code !== null && code.mode !== 0o600) return `pairing-code has mode 0${code.mode.toString(8)}`;
  return null;
}

const fieldOf = (table: string, name: string, field: number): string | undefined =>
  table
    .split('\n')
    .find((l) => l.startsWith(`${name}:`))
    ?.split(':')[field];

/** Of a locked image: nobody has a password. */
function openAccountFault(shadow: string): string | null {
  const open = shadow.split('\n').filter((line) => line !== '' && !/^[^:]+:[!*]/.test(line));
  return open.length === 0 ? null : `accounts with a password in a locked image: ${open.map((line) => line.split(':')[0]).join(', ')}`;
}

/** Whoever the operator will be can log in, become root, and root itself is as it was asked for. */
export async function accountFault(context: StepContext): Promise<string | null> {
  const { root, plan, options } = context;
  const { adminUser: user, setRootPassword, sshAuthorizedKeys, passwordKind } = plan.settings;
  const etc = (name: string) => readText(path.join(root, '/etc', name));
  if (!plan.steps.some((s) => s.action.kind === 'create-account')) return openAccountFault(await etc('shadow'));
  const account = accountIn(await etc('passwd'), user);
  if (account === null) return `no account ${user}`;
  const shadow = await etc('shadow');
  const hash = fieldOf(shadow, user, 1) ?? '';
  if (!/^\$[0-9a-z]+\$./.test(hash)) return `the account ${user} has no password that can log in`;
  if (passwordKind === 'hash' && hash !== secretOf(options.secrets, 'admin_password_hash').reveal())
    return `the account ${user} has another password hash than was given`;
  const rootHash = fieldOf(shadow, 'root', 1) ?? '';
  if (setRootPassword === /^[!*]/.test(rootHash)) return setRootPassword ? 'root has no password' : 'root is not locked';
  if (!(fieldOf(await etc('group'), 'sudo', 3) ?? '').split(',').includes(user)) return `${user} is not in the group sudo`;
  const home = await factsOf(path.join(root, account.home));
  if (home?.kind !== 'directory' || home.uid !== account.uid) return `${account.home} is missing or is not ${user}'s`;
  if (sshAuthorizedKeys.length === 0) return null;
  const file = path.join(root, account.home, '.ssh/authorized_keys');
  const facts = await factsOf(file);
  const lines = (await readTextIfExists(file))?.split('\n') ?? [];
  const isRight = facts?.uid === account.uid && facts.mode === 0o600 && sshAuthorizedKeys.every((key) => lines.includes(key));
  return isRight ? null : 'the SSH keys are not all in authorized_keys, or others can read it';
}

/** Larger ones are none that this installation writes a secret to. */
const MAX_BYTES = 4 * 1024 ** 2;

async function* filesBelow(dir: string): AsyncGenerator<string> {
  for (const name of await listNames(dir)) {
    const entry = path.join(dir, name);
    const facts = await factsOf(entry);
    if (facts?.kind === 'directory') yield* filesBelow(entry);
    else if (facts?.kind === 'file' && (facts.mode & 0o004) !== 0 && facts.sizeBytes <= MAX_BYTES) yield entry;
  }
}

/** Everywhere that an installation writes, and its logs: a secret may stand only in a file that nobody but root can read. */
export async function secretFault({ root, options }: StepContext): Promise<string | null> {
  const secrets = Object.values(options.secrets).flatMap((s) => (s === null ? [] : [Buffer.from(s.reveal())]));
  const written = [PATHS.etcUpper, PATHS.etcImage, PATHS.state, PATHS.installLogs, '/var/home', '/var/root', '/boot/efi/grub'];
  for (const dir of [...written.map((d) => path.join(root, d)), options.logDir])
    for await (const file of filesBelow(dir)) {
      const bytes = Buffer.from(await readWhole(file));
      if (secrets.some((secret) => bytes.includes(secret))) return `${file} can be read by everyone and holds a secret`;
    }
  return null;
}
