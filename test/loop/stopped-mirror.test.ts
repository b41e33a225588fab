/** An installation on a mirror that nobody has assembled: found and told from either half, which is only read. Needs root. */
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMirrorHalf } from '#installer/engine/mirror-half.ts';
import { planHash } from '#installer/plan/print-plan.ts';
import { decideUnfinished } from '#installer/run/unattended.ts';
import { findUnfinished } from '#installer/run/unfinished.ts';
import { probeMachine } from '#machine/probe.ts';
import type { Machine } from '#model/machine.ts';
import { mdSuperblock } from '../support/md-superblock.ts';
import { disk, planFor, settings } from '../unit/plan/samples.ts';
import { makeRoot } from './make-root.ts';

const OFFSET_SECTORS = 6144;
const SIZE_SECTORS = 120_000;
const sh = (file: string, ...args: string[]): string => execFileSync(file, args, { encoding: 'utf8', stdio: 'pipe' }).trim();

let dir: string;
let nodes: string[];
const image = (index: number): string => path.join(dir, `half-${index}.img`);
const hash = (text: string): string => crypto.createHash('sha256').update(text).digest('hex');
const sums = (): string[] => [0, 1].map((index) => sh('sha256sum', image(index)));

/** A half with a STATE that holds the plan and these many done steps. */
function makeHalf(index: number, doneCount: number): string {
  fs.writeFileSync(image(index), mdSuperblock({ name: 'any:state', dataOffsetSectors: OFFSET_SECTORS, dataSectors: SIZE_SECTORS }));
  fs.truncateSync(image(index), 64 * 1024 ** 2);
  const content = path.join(dir, `state-${index}`);
  fs.mkdirSync(path.join(content, 'install'), { recursive: true });
  const plan = mirrorPlan();
  const records = plan.steps.slice(0, doneCount).map(({ id }, at) => ({
    at: `2026-11-30T12:00:${String(at).padStart(2, '0')}Z`,
    planHash: planHash(plan, hash),
    step: id,
    state: 'done',
  }));
  fs.writeFileSync(path.join(content, 'install/plan.json'), JSON.stringify(plan));
  fs.writeFileSync(path.join(content, 'install/journal.jsonl'), `${records.map((r) => JSON.stringify(r)).join('\n')}\n`);
  sh('mkfs.ext4', '-q', '-L', 'state', '-d', content, '-E', `offset=${OFFSET_SECTORS * 512}`, image(index), `${SIZE_SECTORS / 2}k`);
  return sh('losetup', '--find', '--show', image(index));
}

const mirrorPlan = () =>
  planFor({
    settings: settings({ mirrorDisk: '/dev/disk/by-id/wwn-0x5000c500a1b2c3d5' }),
    target: disk(),
    mirror: disk({ kname: 'sdb', path: '/dev/sdb', serial: 'ZA1B2C3E' }),
  });

/** The halves among these nodes, each as the only partition of a disk. */
async function machineOf(present: readonly string[]): Promise<Machine> {
  const machine = await probeMachine();
  const devices = machine.devices
    .filter((d) => present.includes(d.path))
    .flatMap((half) => {
      const kname = half.path === nodes[0] ? 'sda' : 'sdb';
      const whole = {
        ...half,
        kname,
        path: `/dev/${kname}`,
        type: 'disk',
        fsType: null,
        fsLabel: null,
        parents: [],
        children: [half.kname],
      };
      return [whole, { ...half, type: 'part', parents: [kname] }];
    });
  return { ...machine, devices };
}

beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-half-'));
  nodes = [makeHalf(0, 3), makeHalf(1, 5)];
});
afterEach(() => {
  for (const node of nodes) sh('losetup', '--detach', node);
  fs.rmSync(dir, { recursive: true, force: true });
});

it('is found, with the later of two records, and not a byte is written', async () => {
  const before = sums();
  const found = await findUnfinished(await machineOf(nodes), { sourceSquashfs: makeRoot(), extraKernelWords: [] });
  expect(found).toHaveLength(1);
  expect(found[0]?.view).toMatchObject({ disks: ['/dev/sda', '/dev/sdb'], hostname: 'ddi-1', lastAt: '2026-11-30T12:00:04Z' });
  expect(found[0]?.view.done).toHaveLength(5);
  expect(found[0]?.view.refusal).toMatch(/^the mirror it lies on is not assembled on this medium/);
  expect(sums()).toEqual(before);
  expect(sh('losetup', '--list', '--noheadings', '--output', 'BACK-FILE')).not.toContain(nodes[0]);

  const decision = decideUnfinished(found, planFor({ target: disk() }));
  expect(decision).toMatchObject({ kind: 'new', lines: [expect.stringContaining('mirror it lies on is not assembled')] });
});

it('is read from one half when the other is lost', async () => {
  const [first = ''] = nodes;
  const [found] = await findUnfinished(await machineOf([first]), { sourceSquashfs: makeRoot(), extraKernelWords: [] });
  expect(found?.view).toMatchObject({ disks: ['/dev/sda'], lastAt: '2026-11-30T12:00:02Z' });
});

it('lies where mdadm says', async () => {
  const [node = ''] = nodes;
  const said = sh('mdadm', '--examine', node);
  expect(/Data Offset : (\d+) sectors/.exec(said)?.[1]).toBe(String(OFFSET_SECTORS));
  expect(said).toContain('Raid Level : raid1');
  expect(await readMirrorHalf(node)).toMatchObject({ dataOffsetBytes: OFFSET_SECTORS * 512, dataBytes: SIZE_SECTORS * 512 });
  expect(await readMirrorHalf(makeRoot())).toBeNull();
});
