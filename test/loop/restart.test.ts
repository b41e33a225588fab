/** The engine killed in the middle of its steps and started again: each time it goes on, and the end is a whole system. */
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findInterrupted } from '#installer/engine/interrupted.ts';
import { planFor } from '#installer/run/prepare.ts';
import { findUnfinished } from '#installer/run/unfinished.ts';
import { GIB, PATHS } from '#model/limits.ts';
import type { Plan } from '#model/plan.ts';
import { settings } from '../unit/plan/samples.ts';
import { type BenchDisk, machineWith, makeDisk } from './bench-disk.ts';
import { makeRoot } from './make-root.ts';
import { runEngine } from './run-engine.ts';

let disk: BenchDisk;
let plan: Plan;

beforeAll(async () => {
  disk = makeDisk(40 * GIB);
  const machine = await machineWith([disk]);
  plan = planFor(
    settings({
      targetDisk: disk.node,
      adminUser: 'ops',
      network: { mode: 'dhcp', interface: null, ipv4: null, dns: [], ipv6: null, mtu: null },
    }),
    machine,
    {
      uuids: () => crypto.randomUUID(),
      extraKernelWords: [],
    },
  );
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

/** STATE as the disk holds it while it is mounted: the last records are in its file system's journal only. Nothing may be written to it. */
async function expectFoundAsAfterPowerCut(): Promise<void> {
  const image = path.join(disk.dir, 'state.img');
  const at = ['iflag=skip_bytes,count_bytes', `skip=${1_052_672 * 512}`, `count=${256 * 1024 ** 2}`];
  execFileSync('dd', [`if=${path.join(disk.dir, 'disk.img')}`, `of=${image}`, 'bs=1M', 'conv=sparse', 'status=none', ...at]);
  expect(execFileSync('dumpe2fs', ['-h', image], { encoding: 'utf8', stdio: 'pipe' })).toContain('needs_recovery');
  const before = execFileSync('sha256sum', [image], { encoding: 'utf8' });
  const node = execFileSync('losetup', ['--find', '--show', image], { encoding: 'utf8' }).trim();
  try {
    const found = await findInterrupted(node, path.join(disk.dir, 'peek'));
    expect(found?.stoppedAt).toBe('Copy slot A to slot B');
    expect(found?.plan).toEqual(plan);
  } finally {
    execFileSync('losetup', ['--detach', node]);
  }
  expect(execFileSync('sha256sum', [image], { encoding: 'utf8' })).toBe(before);
  expect(fs.readdirSync(disk.dir).filter((name) => name.startsWith('peek'))).toEqual([]);
}

it('tells from the disk alone what an interrupted run had done, and goes on only with that disk and that image', async () => {
  const fresh = path.join(disk.dir, 'logs-2');
  expect((await attempt(fresh, false, 'clone-slot', 300)).result).toBeNull();
  await expectFoundAsAfterPowerCut();
  execFileSync('umount', ['-R', path.join(disk.dir, 'target')]);
  const look = { sourceSquashfs: makeRoot(), extraKernelWords: [] };
  const machine = await machineWith([disk]);
  const [found] = await findUnfinished(machine, look);
  expect(found?.view).toMatchObject({
    disks: [disk.node],
    hostname: 'ddi-1',
    stoppedAt: 'Copy slot A to slot B',
    refusal: null,
    needs: [],
  });
  expect(found?.view.done).toContain('Copy the system');
  expect(found?.plan).toEqual(plan);

  const other = { ...machine, devices: machine.devices.map((d) => (d.path === disk.node ? { ...d, serial: 'ANOTHER' } : d)) };
  expect((await findUnfinished(other, look))[0]?.view.refusal).toContain('is not the disk that was confirmed');
  const words = { ...look, extraKernelWords: ['console=ttyS1'] };
  expect((await findUnfinished(machine, words))[0]?.view.refusal).toContain('another version of the installer');
  const image = path.join(disk.dir, 'other.squashfs');
  fs.writeFileSync(image, 'another image');
  expect((await findUnfinished(machine, { ...look, sourceSquashfs: image }))[0]?.view.refusal).toContain('another image');

  const third = path.join(disk.dir, 'logs-3');
  await found?.resumeIn(third);
  const end = await attempt(third, true);
  expect(end.lines).toContain('skipped copy-system');
  expect(end.result?.ok).toBe(true);
  expect(await findUnfinished(await machineWith([disk]), look)).toEqual([]);
});
