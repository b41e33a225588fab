import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { planSchema } from '#installer/plan/plan-schema.ts';
import { applianceSettings, disk, planFor, settings } from './samples.ts';

const published: object = JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, '../../../schemas/plan.schema.json'), 'utf8'));
const valid = new Ajv2020().compile(published);

describe('plan schema', () => {
  it('is what the source says', () => expect(published).toEqual(JSON.parse(JSON.stringify(planSchema()))));

  it('admits every kind of plan', () => {
    const mirror = planFor({ settings: settings({ mirrorDisk: '/dev/sdb' }), mirror: disk({ path: '/dev/sdb' }) });
    for (const plan of [planFor(), planFor({ settings: applianceSettings() }), mirror]) {
      valid(JSON.parse(JSON.stringify(plan)));
      expect(valid.errors).toBeNull();
    }
  });

  it('refuses a step of unknown kind, an extra field and a relative path', () => {
    const broken = (change: (plan: { steps: { action: Record<string, unknown> }[]; target: Record<string, unknown> }) => void) => {
      const plan = JSON.parse(JSON.stringify(planFor()));
      change(plan);
      return valid(plan);
    };
    expect(broken((p) => (p.steps[0]!.action['kind'] = 'shell'))).toBe(false);
    expect(broken((p) => (p.steps[0]!.action['command'] = 'x'))).toBe(false);
    expect(broken((p) => (p.target['path'] = 'sda'))).toBe(false);
  });
});
