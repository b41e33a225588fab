/** The engine killed in the middle of its steps and started again: each time it goes on, and the end is a whole system. */
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { continueFrom, findInterrupted } from '#installer/engine/interrupted.ts';
import { makePlan } from '#installer/plan/make-plan.ts';
import { GIB, PATHS } from '#model/limits.ts';
import type { Plan } from '#model/plan.ts';
import { identityOf } from '#rules/disks.ts';
import { settings } from '../unit/plan/samples.ts';
import { type BenchDisk, benchName, machineWith, makeDisk } from './bench-disk.ts';
import { runEngine } from './run-engine.ts';

let disk: BenchDisk;
let plan: Plan;

beforeAll(async () => {
  disk = makeDisk(40 * GIB);
  const machine = await machineWith([disk]);
  plan = makePlan({
    settings: settings({ targetDisk: disk.node, adminUser: 'ops' }),
    machine,
    target: identityOf(machine, benchName(disk)),
    uuids: () => crypto.randomUUID(),
    extraKernelWords: [],
    exportedAnswers: '#\n',
  });
});
afterAll(() => disk?.remove());

const attempt = (logDir: string, resume: boolean, killIn?: string, afterMs?: number) =>
  runEngine({ plan, disk, logDir, resume, ...(killIn === undefined ? {} : { killIn, afterMs: afterMs ?? 150 }) });

/** `started` or `skipped`: between the journal's word and the event that tells of it there is a moment for a kill. */
const firstWord = (lines: readonly string[], step: string): string =>
  lines.find((line) => line === `started ${step}` || line === `skipped ${step}`)?.split(' ')[0] ?? 'missing';

it('goes on after each kill, skipping only what was done', async () => {
  const logDir = path.join(disk.dir, 'logs');
  const cuts = ['partition', 'format-root_a', 'copy-system', 'snapshot-etc', 'account', 'boot-loader-i386-pc', 'clone-slot'];
  let before = '';
  let wasDone = false;
  for (const cut of cuts) {
    // A lock as useradd leaves it, by a number that lives again: after a power cut any may.
    if (before === 'account') fs.writeFileSync(path.join(disk.dir, 'target', PATHS.etcUpper, 'group.lock'), `${process.pid}\0`);
    const ended = await attempt(logDir, cut !== cuts[0], cut, cut === 'copy-system' || cut === 'clone-slot' ? 800 : 60);
    expect([cut, ended.result]).toEqual([cut, null]);
    // On a fast machine the step was over before the blow fell; then it must not be done again.
    if (before !== '') expect(ended.lines).toContain(`${wasDone ? 'skipped' : firstWord(ended.lines, before)} ${before}`);
    before = cut;
    wasDone = ended.lines.includes(`done ${cut}`);
  }
  const end = await attempt(logDir, true);
  expect(end.result?.failure).toBeNull();
  expect(end.result?.checks.filter((c) => !c.ok)).toEqual([]);
  expect(end.lines).toContain('skipped copy-system');
  expect(fs.readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(disk.dir);
  execFileSync('e2fsck', ['-f', '-n', `${disk.node}p4`], { stdio: 'ignore' });
});

it('tells from the disk alone what an interrupted run had done, and goes on from there', async () => {
  const fresh = path.join(disk.dir, 'logs-2');
  expect((await attempt(fresh, false, 'clone-slot', 300)).result).toBeNull();
  execFileSync('umount', ['-R', path.join(disk.dir, 'target')]);
  const found = await findInterrupted(`${disk.node}p3`, path.join(disk.dir, 'peek'));
  expect(found?.stoppedAt).toBe('Copy slot A to slot B');
  expect(found?.done).toContain('Copy the system');
  expect(found?.plan).toEqual(plan);
  const third = path.join(disk.dir, 'logs-3');
  await continueFrom(found!, third);
  const end = await attempt(third, true);
  expect(end.lines).toContain('skipped copy-system');
  expect(end.result?.ok).toBe(true);
  expect(await findInterrupted(`${disk.node}p3`, path.join(disk.dir, 'peek'))).toBeNull();
});
