/**
 * What was begun and what was done, one JSON line each, flushed before the next thing happens.
 * Kept on the medium, and on the target's STATE from the moment it is mounted, where it outlives a power cut.
 */
import path from 'node:path';
import type { Plan } from '#model/plan.ts';
import { appendDurably, ensureDir, readTextIfExists, writeAtomic } from '#system/files.ts';

export type JournalState = 'started' | 'done' | 'failed';

export interface JournalRecord {
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly planHash: string;
  readonly step: string;
  readonly state: JournalState;
}

/** Records of a journal, oldest first; a line cut short by a power cut is left out. */
export function parseJournal(text: string): JournalRecord[] {
  return text.split('\n').flatMap((line) => {
    try {
      const record: unknown = JSON.parse(line);
      return isJournalRecord(record) ? [record] : [];
    } catch {
      return [];
    }
  });
}

function isJournalRecord(value: unknown): value is JournalRecord {
  if (typeof value !== 'object' || value === null) return false;
  const state = 'state' in value ? value.state : null;
  return (
    'step' in value &&
    typeof value.step === 'string' &&
    'planHash' in value &&
    (state === 'started' || state === 'done' || state === 'failed')
  );
}

/** Steps of that plan whose last word is `done`. */
export function doneSteps(records: readonly JournalRecord[], planHash: string): Set<string> {
  const done = new Set<string>();
  for (const record of records) {
    if (record.planHash !== planHash) continue;
    if (record.state === 'done') done.add(record.step);
    else done.delete(record.step);
  }
  return done;
}

/** The record of one run, a line of JSON a step, beside its log; once the target is mounted it is kept there too. */
export class Journal {
  readonly #file: string;
  readonly #planHash: string;
  readonly #now: () => Date;
  #copy: string | null = null;

  constructor(logDir: string, planHash: string, now: () => Date) {
    this.#file = path.join(logDir, 'journal.jsonl');
    this.#planHash = planHash;
    this.#now = now;
  }

  get isKept(): boolean {
    return this.#copy !== null;
  }

  async #records(): Promise<JournalRecord[]> {
    return parseJournal((await readTextIfExists(this.#file)) ?? '').filter((record) => record.planHash === this.#planHash);
  }

  async read(): Promise<Set<string>> {
    return doneSteps(await this.#records(), this.#planHash);
  }

  /** Steps of this plan that an earlier run began, whatever became of them. */
  async begun(): Promise<Set<string>> {
    return new Set((await this.#records()).map((record) => record.step));
  }

  async write(step: string, state: JournalState): Promise<void> {
    const line = `${JSON.stringify({ at: this.#now().toISOString(), planHash: this.#planHash, step, state })}\n`;
    await appendDurably(this.#file, line);
    if (this.#copy !== null) await appendDurably(this.#copy, line);
  }

  /**
   * From here on the journal, begun with all so far, the plan and the name of the image are on the target too.
   * `dir` must be on STATE.
   */
  async keepOn(dir: string, plan: Plan, image: string): Promise<void> {
    await ensureDir(dir, 0o700);
    await writeAtomic(path.join(dir, 'image'), `${image}\n`, { mode: 0o600 });
    await writeAtomic(path.join(dir, 'plan.json'), `${JSON.stringify(plan)}\n`, { mode: 0o600 });
    await writeAtomic(path.join(dir, 'journal.jsonl'), (await readTextIfExists(this.#file)) ?? '', { mode: 0o600 });
    this.#copy = path.join(dir, 'journal.jsonl');
  }

  /** STATE is about to be unmounted. */
  letGo(): void {
    this.#copy = null;
  }
}
