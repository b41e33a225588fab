/** SSH host keys: made once on the machine itself, kept on STATE, copied to /etc/ssh. */
import { hostname as systemHostname } from 'node:os';
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import {
  chmod,
  copyFile,
  ensureDir,
  exists,
  listNames,
  makeTempDir,
  readTextIfExists,
  remove,
  rename,
  writeAtomic,
} from '#system/files.ts';
import { runOk } from '#system/run.ts';
import { inRoot, type Target } from './target.ts';

const STATE_SSH = `${PATHS.state}/ssh`;
const TYPES: readonly (readonly [string, readonly string[]])[] = [
  ['ed25519', []],
  ['ecdsa', []],
  ['rsa', ['-b', '3072']],
];
const CHECKED = '.build-keys-checked';
const KEY_NAME = /^ssh_host_[a-z0-9]+_key(\.pub)?$/;
const GENERATE_TIMEOUT_MS = 120_000;

/**
 * Keys that came with an image are shared by every machine made from it. Build machines have names of twelve
 * hexadecimal digits, and ssh-keygen puts the name into the comment.
 */
export function isBuildKey(publicKey: string, hostname: string): boolean {
  const comment = publicKey.trim().split(/\s+/).slice(2).join(' ');
  const host = /^root@([0-9a-f]{12})$/.exec(comment)?.[1];
  return host !== undefined && host !== hostname;
}

async function keysIn(dir: string): Promise<readonly string[]> {
  return (await listNames(dir)).filter((name) => KEY_NAME.test(name));
}

async function hasBuildKey(dir: string, hostname: string): Promise<boolean> {
  for (const name of (await keysIn(dir)).filter((n) => n.endsWith('.pub')))
    if (isBuildKey((await readTextIfExists(path.join(dir, name))) ?? '', hostname)) return true;
  return false;
}

/** A pair counts only whole: a power cut between the two files must not leave a key without its half. */
async function hasPair(dir: string): Promise<boolean> {
  const names = await keysIn(dir);
  return names.some((name) => !name.endsWith('.pub') && names.includes(`${name}.pub`));
}

async function copyKeys(from: string, to: string): Promise<number> {
  await ensureDir(to);
  let copied = 0;
  for (const name of await keysIn(from)) {
    const content = await readTextIfExists(path.join(from, name));
    if (content === null || (await readTextIfExists(path.join(to, name))) === content) continue;
    await writeAtomic(path.join(to, name), content, { mode: name.endsWith('.pub') ? 0o644 : 0o600 });
    copied++;
  }
  return copied;
}

/** New keys appear beside the old ones and take their place at the end; a failure keeps what was there. */
async function generate(target: Target, into: string, hostname: string): Promise<void> {
  const scratch = await makeTempDir(path.dirname(into), '.ssh-new-');
  try {
    for (const [type, more] of TYPES) {
      const file = path.join(scratch, `ssh_host_${type}_key`);
      const argv = ['ssh-keygen', '-q', '-t', type, ...more, '-N', '', '-C', `root@${hostname}`, '-f', file];
      await runOk(argv, { timeoutMs: GENERATE_TIMEOUT_MS }, target.run);
    }
    for (const name of await keysIn(scratch)) {
      await chmod(path.join(scratch, name), name.endsWith('.pub') ? 0o644 : 0o600);
      await rename(path.join(scratch, name), path.join(into, name));
    }
    target.note('made new SSH host keys');
  } finally {
    await remove(scratch);
  }
}

/**
 * Copies the keys of STATE to /etc/ssh. Without keys there: adopts those of /etc/ssh, unless they came with an image.
 * @param create make keys when there are none; off early in the boot, where it would hold everything up
 */
export async function renderSshKeys(target: Target, create: boolean): Promise<void> {
  const state = inRoot(target, STATE_SSH);
  const etc = inRoot(target, '/etc/ssh');
  const hostname = (await readTextIfExists(inRoot(target, '/etc/hostname')))?.trim() || systemHostname();
  await ensureDir(state, 0o700);
  if (!(await exists(path.join(state, CHECKED)))) {
    if (await hasBuildKey(state, hostname)) {
      target.note('SSH host keys on STATE came with an image; they are replaced');
      for (const name of await keysIn(state)) await remove(path.join(state, name));
      for (const name of await keysIn(etc)) await remove(path.join(etc, name));
    }
    await writeAtomic(path.join(state, CHECKED), '', { mode: 0o644 });
  }
  if (!(await hasPair(state))) {
    if ((await hasPair(etc)) && !(await hasBuildKey(etc, hostname))) {
      for (const name of await keysIn(etc)) await copyFile(path.join(etc, name), path.join(state, name));
      target.note('kept the SSH host keys of /etc/ssh on STATE');
    } else if (create) await generate(target, state, hostname);
    else return;
  }
  if ((await copyKeys(state, etc)) > 0) target.note('copied SSH host keys from STATE');
}
