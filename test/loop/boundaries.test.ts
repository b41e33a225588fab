/**
 * A cut at every boundary of the plan: before a step has done anything, and after it has done all without its journal saying so,
 * so that each step is also done a second time over its own result. The end is a whole system each time.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GIB, PATHS } from '#model/limits.ts';
import type { Plan } from '#model/plan.ts';
import { type BenchDisk, machineWith, makeDisk, planOn } from './bench-disk.ts';
import { runEngine } from './run-engine.ts';

let disk: BenchDisk;
let logDir = '';

beforeAll(() => {
  disk = makeDisk(40 * GIB);
  logDir = path.join(disk.dir, 'logs');
});
afterAll(() => disk?.remove());

async function planNow(keepVar: boolean): Promise<Plan> {
  const machine = await machineWith([disk]);
  return planOn(disk, machine, { adminUser: 'ops', keepVar, ntpServers: [] });
}

/** Takes the last record out of the journals, as if the power had gone right before it was written. */
function forgetLast(step: string): void {
  for (const file of [path.join(logDir, 'journal.jsonl'), path.join(disk.dir, 'target', PATHS.state, 'install/journal.jsonl')]) {
    if (!fs.existsSync(file)) continue;
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ step, state: 'done' });
    fs.writeFileSync(
      file,
      lines
        .slice(0, -1)
        .map((l) => `${l}\n`)
        .join(''),
    );
  }
}

/** Two cuts at each of those steps, each followed by a new start; then a run to the end. */
async function cutEverywhere(plan: Plan, steps: readonly string[]): Promise<void> {
  let isFirst = true;
  for (const id of steps)
    for (const state of ['started', 'done'] as const) {
      const ended = await runEngine({ plan, disk, logDir, resume: !isFirst, dieAt: { step: id, state } });
      expect([id, state, ended.result?.failure]).toEqual([id, state, undefined]);
      expect(ended.lines.at(-1)).toBe(`${state} ${id}`);
      isFirst = false;
      if (state === 'done') forgetLast(id);
    }
  const end = await runEngine({ plan, disk, logDir, resume: true });
  expect(end.result?.failure).toBeNull();
  expect(end.result?.checks.filter((c) => !c.ok)).toEqual([]);
  expect(end.result?.ok).toBe(true);
  expect(fs.readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(disk.dir);
  for (const part of [3, 4, 5, 6]) execFileSync('e2fsck', ['-f', '-n', `${disk.node}p${part}`], { stdio: 'ignore' });
}

it('ends in a whole system, wherever a fresh installation is cut', async () => {
  const plan = await planNow(false);
  await cutEverywhere(
    plan,
    plan.steps.map((s) => s.id),
  );
});

it('ends in a whole system with its data, wherever a reinstallation with /var kept is cut', async () => {
  const at = path.join(disk.dir, 'look');
  const look = (what: () => void) => {
    fs.mkdirSync(at, { recursive: true });
    execFileSync('mount', [`${disk.node}p6`, at]);
    try {
      what();
    } finally {
      execFileSync('umount', [at]);
    }
  };
  // Alone it needs a system to keep something of.
  if (!fs.existsSync(`${disk.node}p6`))
    expect((await runEngine({ plan: await planNow(false), disk, logDir, resume: false })).result?.ok).toBe(true);
  look(() => {
    fs.writeFileSync(path.join(at, 'precious'), 'data');
    fs.mkdirSync(path.join(at, 'persist/etc/spatiumddi'), { recursive: true });
    fs.writeFileSync(path.join(at, 'persist/etc/spatiumddi/.env'), 'POSTGRES_PASSWORD=old');
  });
  // What it does as a fresh installation does was cut above.
  await cutEverywhere(await planNow(true), ['release-disks', 'format-root_a', 'copy-system', 'keep-data', 'files', 'account', 'save-logs']);
  look(() => {
    expect(fs.readFileSync(path.join(at, 'precious'), 'utf8')).toBe('data');
    expect(fs.readFileSync(path.join(at, 'persist/etc/spatiumddi/.env'), 'utf8')).toBe('POSTGRES_PASSWORD=old');
    expect(fs.existsSync(path.join(at, 'persist/etc.incomplete'))).toBe(false);
  });
});
