/** A run that breaks off after partitioning, and the next one on the same disk, as the wizard's "Try again" starts it. */
import crypto from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runPlan } from '#installer/engine/run-plan.ts';
import { makePlan } from '#installer/plan/make-plan.ts';
import { machineForRetry } from '#installer/run/retry.ts';
import { GIB } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import type { EngineResult, Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { identityOf } from '#rules/disks.ts';
import { settings } from '../../unit/plan/samples.ts';
import { type BenchDisk, benchName, benchRunner, machineWith, makeDisk } from '../bench-disk.ts';
import { makeRoot } from '../make-root.ts';

let disk: BenchDisk;
beforeAll(() => {
  disk = makeDisk(40 * GIB);
});
afterAll(() => disk?.remove());

const planOn = (machine: Machine): Plan =>
  makePlan({
    settings: settings({ targetDisk: disk.node, adminUser: 'ops' }),
    machine,
    target: identityOf(machine, benchName(disk)),
    uuids: () => crypto.randomUUID(),
    extraKernelWords: [],
    exportedAnswers: '#\n',
  });

/** Stopped on request as soon as it copies. */
async function attempt(plan: Plan): Promise<EngineResult> {
  const stopping = new AbortController();
  return runPlan(plan, {
    secrets: { adminPassword: new Secret('first-Passw0rd'), adminPasswordHash: null, pairingCode: null },
    sourceSquashfs: makeRoot(),
    signal: stopping.signal,
    targetRoot: path.join(disk.dir, 'target'),
    logDir: path.join(disk.dir, 'logs'),
    reprobe: () => machineWith([disk]),
    onEvent: (e) => {
      if (e.type === 'step' && e.id === 'copy-system') stopping.abort();
    },
    runner: benchRunner(),
  });
}

it('comes as far as the first run did, where a plan for the disk as it was is refused', async () => {
  const before = await machineWith([disk]);
  const first = planOn(before);
  const ended = await attempt(first);
  expect(ended.failure?.id).toBe('copy-system');
  expect(ended.nothingWritten).toBe(false);

  const stale = await attempt(planOn(before));
  expect(stale.failure?.message).toContain('is not the disk that was confirmed');
  expect(stale.nothingWritten).toBe(true);

  const again = await attempt(planOn(machineForRetry(first, before, await machineWith([disk]))));
  expect(again.failure?.id).toBe('copy-system');
});
