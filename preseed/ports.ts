/** The linter's view of files and devices, on the real machine. */
import path from 'node:path';
import { MAX_ANSWER_FILE_BYTES } from '#model/limits.ts';
import { isMissing, listNames, readTextIfExists, realPath, writeAtomic } from '#system/files.ts';
import { factsOf, readBytes } from '#system/files-now.ts';
import { writeError } from '#system/output.ts';

/** One byte more than is allowed, so that a file over the limit is known as one. */
const READ_BYTES = MAX_ANSWER_FILE_BYTES + 1;

export type Loaded = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly why: string };

function whyUnreadable(error: unknown): string {
  if (isMissing(error)) return 'no such file';
  if (error instanceof Error && error.name === 'InputError') return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'EACCES' || code === 'EPERM'
    ? 'permission denied'
    : code === 'EISDIR'
      ? 'it is a directory'
      : `cannot be read (${code || 'unknown error'})`;
}

/** Reads pipes, and tells somebody at a terminal that it is their turn. */
async function patientReader(file: string): Promise<(file: string, maxBytes: number) => Promise<Uint8Array>> {
  const { isInputTerminal, readInput } = await import('#system/input.ts');
  if (file === '-' && isInputTerminal())
    writeError('waiting for standard input: type or paste the text, then Ctrl-D at the start of a line; Ctrl-C to give up\n');
  return readInput;
}

/** At most one byte over the limit of a file, or of standard input for `-`. Never throws: `why` is a phrase for a message. */
export async function loadFile(file: string): Promise<Loaded> {
  try {
    const kind = file === '-' ? 'pipe' : (await factsOf(file, true))?.kind;
    if (kind === 'block' || kind === 'char') return { ok: false, why: 'it is a device, not a file; standard input is -' };
    // What waits for pipes is loaded only when one is named.
    const read = kind === 'file' ? readBytes : await patientReader(file);
    return { ok: true, bytes: await read(file, READ_BYTES) };
  } catch (error) {
    return { ok: false, why: whyUnreadable(error) };
  }
}

/** Names of the regular files in a directory, and of links to such; a pipe or a device there is nobody's answer file. */
async function filesIn(dir: string, extension: RegExp): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await listNames(dir)) {
    if (!extension.test(name) || name.startsWith('.')) continue;
    const file = path.join(dir, name);
    const facts = await factsOf(file, true).catch(() => null);
    // A link that leads nowhere was meant to be read, so it is named as unreadable.
    if (facts === null || facts.kind === 'file') found.push(file);
  }
  return found;
}

/** A directory stands for the files of that extension in it, sorted by name; anything else for itself. */
export async function expandNames(files: readonly string[], extension = /\.ya?ml$/i): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const facts = file === '-' ? null : await factsOf(file, true).catch(() => null);
    found.push(...(facts?.kind === 'directory' ? await filesIn(file, extension) : [file]));
  }
  return found;
}

/** Puts new content in the place of a file, through links; mode and owner stay. Throws what writing throws. */
export async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  const real = (await realPath(file)) ?? file;
  const facts = await factsOf(real);
  await writeAtomic(real, bytes, { mode: facts?.mode ?? 0o600, ...(facts ? { owner: { uid: facts.uid, gid: facts.gid } } : {}) });
}

export interface LocalDisk {
  readonly kname: string;
  readonly sizeBytes: number;
  readonly isWhole: boolean;
}

/**
 * SPATIUM_FAKE_DISK_BYTES, kept from the installer before this one for its tests: a number is the size of every disk,
 * `path=bytes,...` names the disks there are. null: not set.
 */
function fakeDiskBytes(setting: string, name: string): number | null {
  if (/^[0-9]+$/.test(setting)) return Number(setting);
  const sizes = setting.split(',').map((pair) => /^(.+)=([0-9]+)$/.exec(pair.trim()));
  const found = sizes.find((pair) => pair?.[1] === name);
  return found ? Number(found[2]) : null;
}

/** Size of a named block device, from sysfs; null when this machine has none of that name. */
export async function blockDeviceSize(name: string): Promise<LocalDisk | null> {
  if (!name.startsWith('/dev/')) return null;
  const fake = process.env['SPATIUM_FAKE_DISK_BYTES'];
  if (fake) {
    const sizeBytes = fakeDiskBytes(fake, name);
    return sizeBytes === null ? null : { kname: path.basename(name), sizeBytes, isWhole: true };
  }
  try {
    if ((await factsOf(name, true))?.kind !== 'block') return null;
    const kname = path.basename((await realPath(name)) ?? name);
    const sysfs = `/sys/class/block/${kname}`;
    const sectors = Number(await readTextIfExists(`${sysfs}/size`));
    const isPartition = (await readTextIfExists(`${sysfs}/partition`)) !== null;
    return { kname, sizeBytes: sectors * 512, isWhole: !isPartition };
  } catch {
    // A device that cannot be looked at is one that this machine cannot check.
    return null;
  }
}
