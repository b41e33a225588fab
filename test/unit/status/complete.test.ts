/** A status of the inventory's fields alone, as another supervisor may send it: what follows from them is shown and judged. */
import { expect, it } from 'vitest';
import type { Verdict } from '#model/status.ts';
import { applyFrame, clientVerdict, EMPTY_MODEL } from '#status/client-model.ts';
import { EMPTY_MEMORY } from '#status/verdict.ts';
import { pod, section, sectionsOf } from '../../support/status-fixtures.ts';

const NOW = '2026-11-30T15:55:53Z';
const HEALTHY: Verdict = { level: 'HEALTHY', reasons: [], unknown_sections: [], computed_at: NOW };

function read(name: string, data: unknown) {
  const sections = { ...sectionsOf(), [name]: section(data) };
  const got = applyFrame(EMPTY_MODEL, { t: 'snapshot', seq: 1, schema: 1, now: NOW, sections, verdict: HEALTHY }, 0);
  if (!got.ok) throw new Error(got.why);
  return {
    data: got.model.sections,
    reasons: clientVerdict(got.model, 0, EMPTY_MEMORY).verdict.reasons.map((r) => `${r.level} ${r.text}`),
  };
}

const disk = (more: object) => ({
  mount: '/var',
  device: '/dev/sda4',
  fstype: 'ext4',
  role: 'var',
  ro: false,
  warn_pct: 80,
  crit_pct: 90,
  ...more,
});
const full = { severity: 'critical', total_bytes: 100, used_bytes: 90 };
it.each([
  [{ ...full, avail_bytes: 10 }, 90, ['CRITICAL disk /var 90% full']],
  [{ ...full, avail_bytes: 6 }, 93.8, ['CRITICAL disk /var 93% full']],
  [full, 90, ['CRITICAL disk /var 90% full']],
  [{ severity: 'ok', total_bytes: 0, used_bytes: 0 }, null, []],
])('the share of a disk: %j', (more, pct, reasons) => {
  const got = read('disks', { mounts: [disk(more)] });
  expect([got.data.disks?.data?.mounts[0]?.used_pct, got.reasons]).toEqual([pct, reasons]);
});

const webui = (checked_at: string) => ({
  webui: { status: 'blocked', ports: { 443: 'blocked' }, checked_at, ttl_s: 900, consecutive_indeterminate: 0 },
  apply: { status: 'ok' },
  lockout_risk: 'none',
});
it.each([
  ['2026-11-30T15:55:23Z', ['CRITICAL Web UI blocked by firewall (tcp/443)']],
  ['2026-11-30T15:40:53Z', ['CRITICAL Web UI blocked by firewall (tcp/443)']],
  ['2026-11-30T15:40:52Z', []],
  ['2026-11-30T15:55:54Z', []],
  ['never', []],
])('the age of a self-check of %s', (at, reasons) => expect(read('firewall', webui(at)).reasons).toEqual(reasons));

const array = (more: object) => ({ name: 'md0', level: 'raid1', array_state: 'clean', members_faulty: 0, spares: 0, members: [], ...more });
it.each([
  [
    { state: 'degraded', severity: 'critical', members_in_sync: 1, members_expected: 2, sync: { action: 'recover', pct: 43.9 } },
    'CRITICAL md0 raid1 DEGRADED 1/2 43%',
  ],
  [{ state: 'degraded', severity: 'warning', members_in_sync: 2, members_expected: 3 }, 'DEGRADED md0 raid1 DEGRADED 2/3'],
  [{ state: 'failed', severity: 'critical', array_state: 'inactive' }, 'CRITICAL md0 raid1 FAILED to assemble'],
  [{ state: 'unknown', severity: 'warning' }, 'DEGRADED md0 raid1 state unknown'],
])('the words for an array: %j', (more, reason) => {
  expect(read('storage', { md_supported: true, arrays: [array(more)], multipath: [] }).reasons).toEqual([reason]);
});

it('the words for paths, and none where nothing is wrong', () => {
  const map = (severity: string, faulted: number) => ({
    name: 'mpatha',
    dm: 'dm-0',
    uuid: 'u',
    paths_total: 2,
    paths_faulted: faulted,
    paths: [],
    severity,
  });
  const reasons = (m: object) => read('storage', { md_supported: false, arrays: [], multipath: [m] }).reasons;
  expect([reasons(map('critical', 2)), reasons(map('warning', 1)), reasons(map('neutral', 0))]).toEqual([
    ['CRITICAL mpatha mpath 0/2 paths'],
    ['DEGRADED mpatha mpath 1/2 paths'],
    [],
  ]);
});

const slots = (booted: string | null, durable: string | null) => ({
  available: true,
  booted,
  durable,
  slots: { slot_a: { version_state: 'known' }, slot_b: { version_state: 'known' } },
});
it.each([
  ['slot_b', 'slot_a', ['DEGRADED trial boot - a reboot goes back to slot A']],
  ['slot_a', 'slot_a', []],
  ['slot_a', null, []],
])('%s runs, %s is kept', (booted, durable, reasons) => expect(read('slots', slots(booted, durable)).reasons).toEqual(reasons));

it('a critical pod that runs is flapping, and an upgrade has its share', () => {
  const list = [pod('web-1', { short: 'web-1', severity: 'critical', severity_code: null, restarts: 4 })];
  const counts = { total: 1, ready: 1, pending: 0, failed: 0, succeeded: 0 };
  expect(read('pods', { list, counts, complete: true, truncated_count: 0 }).reasons).toEqual(['CRITICAL web-1 flapping']);
  const upgrade = { state: 'writing', bytes_done: 25, bytes_total: 100, recent_failures_1h: 0 };
  expect(read('upgrade', upgrade).data.upgrade?.data?.pct).toBe(25);
});
