/** The engine in a process of its own, run to its end or to the moment at which it is killed. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { EngineResult, Plan } from '#model/plan.ts';
import { NODE, REPO } from '../support/program.ts';
import type { BenchDisk } from './bench-disk.ts';
import type { ChildJob } from './engine-child.ts';
import { makeRoot } from './make-root.ts';

export interface Attempt {
  readonly plan: Plan;
  readonly disk: BenchDisk;
  readonly logDir: string;
  readonly resume: boolean;
  /** Kill it and all it started `afterMs` after it began this step. */
  readonly killIn?: string;
  readonly afterMs?: number;
  /** It kills itself at this very event. */
  readonly dieAt?: ChildJob['dieAt'];
}

export interface Ended {
  readonly lines: readonly string[];
  /** null: it was killed. */
  readonly result: EngineResult | null;
}

export async function runEngine({ plan, disk, logDir, resume, killIn, afterMs, dieAt }: Attempt): Promise<Ended> {
  const { remove: _, ...plainDisk } = disk;
  const targetRoot = path.join(disk.dir, 'target');
  const job: ChildJob = { plan, disk: plainDisk, squashfs: makeRoot(), targetRoot, logDir, resume, ...(dieAt ? { dieAt } : {}) };
  const file = path.join(disk.dir, 'job.json');
  fs.writeFileSync(file, JSON.stringify(job));
  const child = spawn(NODE, [path.join(REPO, 'test/loop/engine-child.ts'), file], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (killIn !== undefined && chunk.split('\n').includes(`started ${killIn}`))
      setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), afterMs);
  });
  await new Promise((resolve) => child.once('close', resolve));
  const lines = text.trim().split('\n');
  const last = lines.at(-1) ?? '';
  return { lines, result: last.startsWith('result ') ? JSON.parse(last.slice(7)) : null };
}
