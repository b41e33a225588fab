import { expect, it } from 'vitest';
import { preparePlan } from '#installer/run/prepare.ts';
import { machineForRetry } from '#installer/run/retry.ts';
import type { Machine } from '#model/machine.ts';
import type { Plan } from '#model/plan.ts';
import { FIRST_NODE, SERVER } from '../wizard/support.ts';

const planOn = (machine: Machine): Plan => {
  const prepared = preparePlan(FIRST_NODE, machine, { uuids: () => crypto.randomUUID(), extraKernelWords: [] });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  return prepared.plan;
};

/** The target with another table, as a run that broke off after partitioning leaves it. */
const written = (change: Record<string, unknown> = {}): Machine => ({
  ...SERVER,
  devices: SERVER.devices.map((d) => (d.kname === 'sdb' ? { ...d, partitionTable: 'gpt', partitionTableUuid: 'ours', ...change } : d)),
});

it('a retry is for the disk as the failed run left it', () => {
  const now = written();
  const next = machineForRetry(planOn(SERVER), SERVER, now);
  expect(next).toBe(now);
  expect(planOn(next).target.table).toMatch(/^gpt:ours/);
});

it('a disk that was exchanged meanwhile is not taken for the same one', () => {
  const plan = planOn(SERVER);
  expect(machineForRetry(plan, SERVER, written({ serial: 'ANOTHER-1' }))).toBe(SERVER);
  expect(machineForRetry(plan, SERVER, { ...SERVER, devices: SERVER.devices.filter((d) => d.kname !== 'sdb') })).toBe(SERVER);
});
