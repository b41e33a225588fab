/** A verified file becomes a version on disk, and is run once before anything depends on it. See docs/decisions/0017-updates.md. */
import path from 'node:path';
import { ensureDir, factsOf, remove, renameDurably, syncDir } from '#system/files.ts';
import { makeExecutable } from '#system/part-file.ts';
import { describeEnd, type Runner, type RunResult, succeeded, whyFailed } from '#system/run.ts';
import { PROGRAM, type VersionStore } from './store.ts';

/** Mode and content on the disk and the file closed, then its final name, then the directories. Gives the program's path. */
export async function placeVersion(store: VersionStore, version: string, file: string): Promise<string> {
  await makeExecutable(file);
  const dir = path.join(store.versionsDir, version);
  // A leftover of a run that was ended here; the current version is never installed again.
  await remove(dir);
  await ensureDir(dir);
  await renameDurably(file, path.join(dir, PROGRAM));
  await syncDir(store.versionsDir);
  return path.join(dir, PROGRAM);
}

export interface ProbePorts {
  readonly run: Runner;
  readonly sleep: (ms: number) => Promise<void>;
}

const BUSY_TRIES = 5;
const BUSY_PAUSE_MS = 100;
/** What fails here is never tried again, and on a machine with a load of 8 the two questions took 15 and 20 s. */
const PROBE_MS = 120_000;
/** systemd's word for "could not execute", and the errno it prints; the time limit is systemd's own, ours is only behind it. */
const SANDBOX = [
  'systemd-run',
  '--pipe',
  '--wait',
  '--collect',
  '--quiet',
  '-p',
  'DynamicUser=yes',
  '-p',
  'PrivateNetwork=yes',
  '-p',
  'PrivateDevices=yes',
  '-p',
  'NoNewPrivileges=yes',
  // It reads what only root may read, to see that the new program understands it, and can write nowhere.
  '-p',
  'AmbientCapabilities=CAP_DAC_READ_SEARCH',
  '-p',
  'CapabilityBoundingSet=CAP_DAC_READ_SEARCH',
  '-p',
  'MemoryMax=512M',
  '-p',
  `RuntimeMaxSec=${PROBE_MS / 1000}`,
];

/** Where systemd is the init, a transient unit of its own; elsewhere the bare program, by the time limit of the runner. */
const argvOf = async (program: string, words: readonly string[]): Promise<readonly string[]> =>
  (await factsOf('/run/systemd/system')) === null ? [program, ...words] : [...SANDBOX, program, ...words];

/** The file is still open for writing somewhere, if only in a child that was just forked: that passes, and says nothing about the release. */
const isBusy = (result: RunResult): boolean =>
  (result.kind === 'not_started' && result.errno === 'ETXTBSY') ||
  (result.kind === 'exited' && result.code === 203 && result.stderr.includes('Text file busy'));

async function runOnce(program: string, words: readonly string[], ports: ProbePorts): Promise<RunResult> {
  const argv = await argvOf(program, words);
  for (let attempt = 1; ; attempt += 1) {
    const result = await ports.run(argv, { timeoutMs: PROBE_MS + (argv.length > 4 ? 10_000 : 0), maxBytes: 64 * 1024 });
    if (!isBusy(result) || attempt === BUSY_TRIES) return result;
    await ports.sleep(BUSY_PAUSE_MS);
  }
}

export type Probe =
  | { readonly kind: 'good' }
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'later'; readonly why: string };

/**
 * Does the new program start, is it the version it should be, and does it understand what is stored on this box? `later`:
 * the box could not try it, which says nothing about the release.
 */
export async function probeVersion(program: string, version: string, ports: ProbePorts): Promise<Probe> {
  const asked = await runOnce(program, ['--version'], ports);
  if (isBusy(asked)) return { kind: 'later', why: 'the new file is still open for writing' };
  if (!succeeded(asked)) return { kind: 'bad', why: `it does not start: ${describeEnd(asked)}, ${whyFailed(asked)}` };
  const said = asked.stdout.trim();
  if (said !== `spatium ${version}`) return { kind: 'bad', why: `it says "${said.slice(0, 80)}" instead of "spatium ${version}"` };
  const checked = await runOnce(program, ['update', 'self-check'], ports);
  if (!succeeded(checked)) return { kind: 'bad', why: `its self-check failed: ${describeEnd(checked)}, ${whyFailed(checked)}` };
  return { kind: 'good' };
}
