/** After a power cut: was an installation begun on this disk, how far did it come, and can it go on? */
import crypto from 'node:crypto';
import path from 'node:path';
import { planHash } from '#installer/plan/print-plan.ts';
import type { Plan } from '#model/plan.ts';
import { ensureDir, factsOf, readBytes, readForeignText, remove, writeAtomic } from '#system/files.ts';
import { type Runner, run, succeeded } from '#system/run.ts';
import { doneSteps, parseJournal } from './journal.ts';

const sha256 = (text: string): string => crypto.createHash('sha256').update(text).digest('hex');

export interface Interrupted {
  readonly plan: Plan;
  /** Titles in order. */
  readonly done: readonly string[];
  /** Title of the step that was under way, or the first that was not begun. */
  readonly stoppedAt: string;
  /** RFC 3339 UTC of the last record. */
  readonly lastAt: string;
  /** The journal's text, for `continueFrom`. */
  readonly journal: string;
  /** Which image was being installed: see `imageName`; null when that is not recorded. */
  readonly image: string | null;
}

/** A squashfs superblock: sizes, counts and the time of making. */
const SUPERBLOCK_BYTES = 96;

/** Tells two system images apart, for a run that goes on with what another has copied. Hexadecimal; cheap, as the superblock is all that is read. */
export async function imageName(squashfs: string): Promise<string> {
  return crypto
    .createHash('sha256')
    .update(await readBytes(squashfs, SUPERBLOCK_BYTES))
    .digest('hex');
}

/** Reads plan and journal texts as STATE keeps them; null when nothing was begun, all was done, or they cannot be read. */
function interruptedIn(planText: string | null, journal: string | null, image: string | null): Interrupted | null {
  if (planText === null || journal === null) return null;
  const records = parseJournal(journal);
  const last = records.at(-1);
  const plan = readPlan(planText);
  // A plan that was changed after it was begun is none of this program's.
  if (plan === null || last === undefined || planHash(plan, sha256) !== last.planHash) return null;
  const done = doneSteps(records, last.planHash);
  // The journal leaves STATE before the last step, which only unmounts.
  const open = plan.steps.find((s) => !done.has(s.id) && s.action.kind !== 'unmount');
  if (open === undefined) return null;
  const titles = plan.steps.filter((s) => done.has(s.id)).map((s) => s.title);
  return { plan, done: titles, stoppedAt: open.title, lastAt: last.at, journal, image: image?.trim() ?? null };
}

/** A plan as this program writes it; a torn or foreign file is null. */
function readPlan(text: string): Plan | null {
  try {
    const value: unknown = JSON.parse(text);
    const isPlan = typeof value === 'object' && value !== null && 'schema' in value && value.schema === 1 && 'steps' in value;
    return isPlan && Array.isArray(value.steps) ? (value as Plan) : null;
  } catch {
    return null;
  }
}

/** A plan with its journal is some hundred kB; what is much larger is not read. */
const RECORD_LIMIT_BYTES = 16 * 1024 ** 2;

/** STATE has 256 MiB; a larger one is somebody else's, and is not copied. */
const COPY_LIMIT_BYTES = 512 * 1024 ** 2;

/**
 * After a power cut the last records lie in the file system's own journal only. Replaying that would write to a disk which nobody
 * has chosen yet, so a copy in memory is replayed instead. True when the copy is made.
 */
async function copyWithJournal(node: string, copy: string, runner: Runner): Promise<boolean> {
  const head = await runner(['dumpe2fs', '-h', node]);
  if (!succeeded(head) || !/^Filesystem features:.*\bneeds_recovery\b/m.test(head.stdout)) return false;
  const size = await runner(['blockdev', '--getsize64', node]);
  if (!succeeded(size) || Number(size.stdout.trim()) > COPY_LIMIT_BYTES) return false;
  return succeeded(await runner(['dd', `if=${node}`, `of=${copy}`, 'bs=1M', 'conv=sparse', 'status=none'], { timeoutMs: 120_000 }));
}

/**
 * Looks on a STATE partition without changing a byte of it: mounted read-only, or as a copy while its journal is not replayed.
 * null when it cannot be mounted or holds no unfinished installation.
 */
export async function findInterrupted(stateNode: string, mountPoint: string, runner: Runner = run): Promise<Interrupted | null> {
  await ensureDir(mountPoint);
  const copy = `${mountPoint}.copy`;
  const source = (await copyWithJournal(stateNode, copy, runner)) ? ['loop', copy] : ['ro,noload', stateNode];
  const mounted = await runner(['mount', '-t', 'ext4', '-o', ...source, mountPoint]);
  try {
    if (!succeeded(mounted)) return null;
    const dir = path.join(mountPoint, 'install');
    if ((await factsOf(dir))?.kind !== 'directory') return null;
    const read = (name: string) => readForeignText(path.join(dir, name), RECORD_LIMIT_BYTES);
    return interruptedIn(await read('plan.json'), await read('journal.jsonl'), await read('image'));
  } finally {
    if (succeeded(mounted)) await runner(['umount', mountPoint]);
    await remove(copy);
    await remove(mountPoint);
  }
}

/** Puts the journal where `runPlan` with `resume` looks for it. */
export async function continueFrom(interrupted: Interrupted, logDir: string): Promise<void> {
  await ensureDir(logDir);
  await writeAtomic(path.join(logDir, 'journal.jsonl'), interrupted.journal);
}
