/** A /var and a STATE that cannot be kept, or would lead the installer astray: a refusal with nothing written, outside neither. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runPlan } from '#installer/engine/run-plan.ts';
import { GIB } from '#model/limits.ts';
import type { EngineEvent, EngineResult } from '#model/plan.ts';
import { type BenchDisk, benchOptions, machineWith, makeDisk, planOn, sh } from './bench-disk.ts';
import { runEngine } from './run-engine.ts';

let disk: BenchDisk;
let outside = '';
const STATE = 'lib/spatium-state';

/** Runs `change` on the kept file systems at one place, as the installed system mounts them. */
function onKept(change: (at: string) => void): void {
  const at = path.join(disk.dir, 'look');
  fs.mkdirSync(at, { recursive: true });
  sh('mount', `${disk.node}p6`, at);
  sh('mount', `${disk.node}p3`, path.join(at, STATE));
  try {
    change(at);
  } finally {
    sh('umount', path.join(at, STATE));
    sh('umount', at);
  }
}

async function keep(stopAfter?: string): Promise<EngineResult> {
  const machine = await machineWith([disk]);
  const abort = new AbortController();
  const stop = (e: EngineEvent) => e.type === 'step' && e.state === 'done' && e.id === stopAfter && abort.abort();
  return runPlan(planOn(disk, machine, { adminUser: 'ops', keepVar: true }), {
    ...benchOptions(disk),
    onEvent: stop,
    signal: abort.signal,
  });
}

beforeAll(async () => {
  disk = makeDisk(34 * GIB);
  outside = path.join(disk.dir, 'outside');
  fs.mkdirSync(outside);
  expect((await runPlan(planOn(disk, await machineWith([disk]), { adminUser: 'ops' }), benchOptions(disk))).ok).toBe(true);
});
afterAll(() => disk?.remove());

it.each([
  ['persist', /\/var\/persist is a link and must be a folder/],
  ['persist/etc', /\/var\/persist\/etc is a link/],
  ['home/ops', /\/var\/home\/ops is a link/],
  ['home/ops/.ssh', /\/var\/home\/ops\/\.ssh is a link/],
  ['lib', /\/var\/lib is a link/],
  [`${STATE}/install`, /STATE cannot be kept: .*\/install is a link/],
  [`${STATE}/machine-id`, /machine-id is a link and must be a file/],
])('refuses a link that leads outside at %s', async (place, message) => {
  const swap = (at: string, change: (real: string, aside: string) => void) => {
    const real = path.join(at, place);
    change(real, path.join(path.dirname(real), `.aside-${path.basename(real)}`));
  };
  // STATE hangs in /var/lib, so only the rest of the tree is there while that one is renamed.
  const where = place === 'lib' ? onVar : onKept;
  where((at) =>
    swap(at, (real, aside) => {
      if (fs.existsSync(real)) fs.renameSync(real, aside);
      fs.symlinkSync(outside, real);
    }),
  );
  const result = await keep();
  where((at) =>
    swap(at, (real, aside) => {
      fs.rmSync(real);
      if (fs.existsSync(aside)) fs.renameSync(aside, real);
    }),
  );
  expect(result.failure?.message).toMatch(message);
  expect(result).toMatchObject({ nothingWritten: true, failure: { id: 'check-identity' } });
  expect(fs.readdirSync(outside)).toEqual([]);
});

/** The same with /var alone. */
function onVar(change: (at: string) => void): void {
  const at = path.join(disk.dir, 'look');
  sh('mount', `${disk.node}p6`, at);
  try {
    change(at);
  } finally {
    sh('umount', at);
  }
}

it('refuses a /var without room, and one that is damaged', async () => {
  onVar((at) => sh('fallocate', '--length', String(fs.statfsSync(at).bavail * 4096 - 200 * 1024 ** 2), path.join(at, 'fill')));
  const full = await keep();
  onVar((at) => fs.rmSync(path.join(at, 'fill')));
  expect(full.failure?.message).toMatch(/\/var cannot be kept: \d+ MiB of it are free, and 256 MiB are needed/);
  expect(full.nothingWritten).toBe(true);
  sh('tune2fs', '-E', 'force_fsck', `${disk.node}p6`);
  const damaged = await keep();
  sh('e2fsck', '-f', '-p', `${disk.node}p6`);
  expect(damaged.failure?.message).toMatch(/marked as damaged; e2fsck -f may mend it/);
  expect(damaged.nothingWritten).toBe(true);
});

it('leaves a link of the operator alone, says so, and replaces a machine id that is none', async () => {
  onKept((at) => {
    fs.rmSync(path.join(at, 'spool'), { recursive: true, force: true });
    fs.symlinkSync(outside, path.join(at, 'spool'));
    fs.writeFileSync(path.join(at, STATE, 'machine-id'), 'x'.repeat(100_000));
  });
  const result = await keep('files');
  expect(result.failure?.message).toMatch(/stopped on request/);
  expect(result.warnings.join('\n')).toMatch(/\/var\/spool is kept as it is/);
  expect(result.warnings.join('\n')).toMatch(/machine id was not valid/);
  expect(fs.readdirSync(outside)).toEqual([]);
  onKept((at) => {
    expect(fs.readlinkSync(path.join(at, 'spool'))).toBe(outside);
    expect(fs.readFileSync(path.join(at, STATE, 'machine-id'), 'utf8')).toMatch(/^[0-9a-f]{32}\n$/);
  });
});

it('goes on after a kill while the kept /var is mounted beside the target', async () => {
  const plan = planOn(disk, await machineWith([disk]), { adminUser: 'ops', keepVar: true });
  const logDir = path.join(disk.dir, 'logs-kill');
  const killed = await runEngine({ plan, disk, logDir, resume: false, killIn: 'keep-data', afterMs: 150 });
  expect(killed.result).toBeNull();
  // However fast the step was, this is what a blow in the middle of it leaves.
  const beside = path.join(disk.dir, 'target-var');
  fs.mkdirSync(beside, { recursive: true });
  if (!fs.readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${beside} `)) sh('mount', `${disk.node}p6`, beside);
  const end = await runEngine({ plan, disk, logDir, resume: true });
  expect(end.result?.failure).toBeNull();
  expect(end.result?.checks.filter((c) => !c.ok)).toEqual([]);
  expect(fs.readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(disk.dir);
});
