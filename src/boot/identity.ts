/** Who this machine is: host name, machine id, role. STATE decides; /etc is a copy of it. */
import { createHash, randomBytes } from 'node:crypto';
import { PATHS } from '#model/limits.ts';
import { appendText, ensureDir, linkAtomic, readTextIfExists, writeAtomic } from '#system/files.ts';
import { inRoot, isLive, putText, type Target } from './target.ts';

const HOSTNAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const MACHINE_ID = /^[0-9a-f]{32}$/;
const STATE_MACHINE_ID = `${PATHS.state}/machine-id`;

/** The 127.0.1.1 line of /etc/hosts with this name; every other line stays as it is. */
export function hostsWith(hosts: string, hostname: string): string {
  const own = `127.0.1.1\t${hostname}`;
  const lines = hosts.split('\n');
  const at = lines.findIndex((line) => /^\s*127\.0\.1\.1\s/.test(line));
  if (at >= 0) {
    const names = (lines[at] ?? '').trim().split(/\s+/).slice(1);
    if (!names.includes(hostname)) lines[at] = own;
    return lines.join('\n');
  }
  const local = lines.findIndex((line) => /^\s*127\.0\.0\.1\s/.test(line));
  lines.splice(local + 1, 0, own);
  return lines.join('\n');
}

/** @throws Error when STATE holds no host name that may be set */
export async function renderHostname(target: Target, values: ReadonlyMap<string, string>): Promise<void> {
  const hostname = (values.get('hostname') ?? '').trim().toLowerCase();
  if (!HOSTNAME.test(hostname)) throw new Error('hostname is missing or not valid; the name in /etc/hostname stays');
  await putText(target, '/etc/hostname', `${hostname}\n`, 0o644);
  const hosts = (await readTextIfExists(inRoot(target, '/etc/hosts'))) ?? '127.0.0.1\tlocalhost\n';
  await putText(target, '/etc/hosts', hostsWith(hosts, hostname), 0o644);
  if (isLive(target)) await appendText('/proc/sys/kernel/hostname', hostname);
}

/**
 * The role file that the supervisor pod reads. A pairing code lies beside it on STATE, in a file of its own; one in
 * the configuration is of an older installer, and then only root may read the role file.
 */
export async function renderRole(target: Target, values: ReadonlyMap<string, string>): Promise<void> {
  const role = (values.get('role') ?? '').trim();
  if (role === '') return;
  const code = values.get('bootstrap_pairing_code') ?? '';
  const lines = [`ROLE=${role}`, `CONTROL_PLANE_URL=${values.get('control_plane_url') ?? ''}`];
  if (code !== '') lines.push(`BOOTSTRAP_PAIRING_CODE=${code}`);
  await putText(target, PATHS.roleConfig, `${lines.join('\n')}\n`, code === '' ? 0o644 : 0o600);
}

/** The supervisor's keys survive a reset of /var because they lie on STATE. */
export async function linkSupervisor(target: Target): Promise<void> {
  const home = `${PATHS.state}/supervisor`;
  await ensureDir(inRoot(target, home), 0o700);
  await ensureDir(inRoot(target, '/var/persist'));
  await linkAtomic(home, inRoot(target, '/var/persist/spatium-supervisor'));
}

const readId = async (file: string): Promise<string | null> => {
  const text = (await readTextIfExists(file))?.trim() ?? '';
  return MACHINE_ID.test(text) ? text : null;
};

/** The id that the boot menu gave this boot. systemd reads it before /etc is laid over, so it holds from the first moment. */
const idOfBoot = (cmdline: string): string | null => /(?:^|\s)systemd\.machine_id=([0-9a-f]{32})(?:\s|$)/.exec(cmdline)?.[1] ?? null;

/** One id for the machine's life: from STATE, else the one this boot already runs with, else a new one. */
export async function renderMachineId(target: Target): Promise<void> {
  const onState = inRoot(target, STATE_MACHINE_ID);
  const booted = idOfBoot((await readTextIfExists(inRoot(target, '/proc/cmdline'))) ?? '');
  let id = await readId(onState);
  if (id === null) {
    id = booted ?? (await readId(inRoot(target, '/run/machine-id'))) ?? (await readId(inRoot(target, '/etc/machine-id')));
    id ??= randomBytes(16).toString('hex');
    await writeAtomic(onState, `${id}\n`, { mode: 0o444 });
    target.note('kept the machine id on STATE');
  } else if (booted !== null && booted !== id) {
    target.note('warning: the boot menu names another machine id than STATE; STATE counts, and the menu needs rendering');
  }
  await putText(target, '/etc/machine-id', `${id}\n`, 0o444);
}

/** A UUID that depends on the machine and a name only, so that a lost overlay does not change it. */
export async function stableUuid(target: Target, name: string): Promise<string> {
  const id = (await readId(inRoot(target, STATE_MACHINE_ID))) ?? '';
  const hex = createHash('sha256').update(`spatium:${id}:${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
