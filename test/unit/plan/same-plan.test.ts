import { expect, it } from 'vitest';
import { samePlan } from '#installer/plan/same-plan.ts';
import type { Plan } from '#model/plan.ts';
import { countingUuids, disk, planFor, settings } from './samples.ts';

/** Identifiers of another draw. */
const otherUuids = (): (() => string) => {
  const next = countingUuids();
  return () => next().replace(/^a/, 'b');
};
const fresh = (overrides: Parameters<typeof planFor>[0] = {}): Plan => planFor({ uuids: otherUuids(), ...overrides });

it('is the same for other identifiers, another name of the kernel, and what the first part has written', () => {
  expect(samePlan(planFor(), fresh({ target: disk({ kname: 'sdq', table: 'gpt:whatever 1=x/1' }), holds: ['Windows'] }))).toBe(true);
});

it.each<[string, Plan]>([
  ['another answer', fresh({ settings: settings({ hostname: 'ddi-9' }) })],
  ['another disk', fresh({ target: disk({ serial: 'OTHER' }) })],
  ['other words for the kernel', fresh({ extraKernelWords: ['quiet'] })],
])('is another with %s', (_name, plan) => {
  expect(samePlan(planFor(), plan)).toBe(false);
});

it('is none of ours with a file, a step or an identifier that this program does not make', () => {
  const plan = planFor();
  const step = { id: 'x', title: 'x', weight: 1, action: { kind: 'link-timezone', zone: 'UTC' } } as const;
  expect(samePlan({ ...plan, steps: [...plan.steps, step] }, fresh())).toBe(false);
  const [first] = plan.disks;
  const odd = { ...plan, disks: [{ ...first!, tableUuid: '../../etc' }] };
  expect(samePlan(odd, odd)).toBe(false);
});
