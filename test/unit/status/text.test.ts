import { expect, it } from 'vitest';
import { age, moment, uptime } from '#status/format.ts';
import { statusText } from '#status/text.ts';
import { healthyView } from '../../support/status-fixtures.ts';

const NOW_MS = Date.parse('2026-11-30T15:55:53.123Z');

it.each([
  ['2026-11-30T00:04:59.999Z', '00:04 UTC'],
  ['2026-11-30T01:04:00+02:00', '2026-11-29 23:04 UTC'],
  ['2025-11-30T15:55:00Z', '2025-11-30 15:55 UTC'],
  ['yesterday', '?'],
])('%s is %s', (iso, text) => expect(moment(iso, NOW_MS)).toBe(text));

it('a time that is none has no age', () => {
  expect([age(Number.NaN), uptime(Number.NaN)]).toEqual(['?', '?']);
});

it('a reason says since when in minutes', () => {
  const reason = {
    code: 'x',
    level: 'DEGRADED',
    subject: null,
    text: 'disk full',
    section: 'disks',
    since: '2026-11-30T15:51:02.417Z',
    action_hint: null,
  } as const;
  const text = statusText(
    healthyView(),
    { level: 'DEGRADED', reasons: [reason], unknown_sections: [], computed_at: '2026-11-30T15:55:53Z' },
    NOW_MS,
  );
  expect(text).toContain('  DEGRADED disk full (since 15:51 UTC)\n');
});

it('the cluster and its certificates have lines where there are any', () => {
  const none = { state: 'not_applicable', data: null } as const;
  const without = statusText(healthyView({}, { nodes: none, pods: none }), null, NOW_MS);
  expect(without).not.toMatch(/^(nodes|pods|API|database|balancer|certs) /m);
  const certs = [
    { name: 'k3s_ca', not_after: null, days_left: 900, severity: 'ok' },
    { name: 'web_ui', not_after: null, days_left: 12, severity: 'warning' },
    { name: 'pin', not_after: null, days_left: null, severity: 'unknown' },
  ] as never;
  const text = statusText(healthyView({ certs }), null, NOW_MS);
  expect(text).toContain('nodes     1 of 1 ready\npods      11 of 11 ready, 0 failing\n');
  expect(text).toContain('certs     web_ui ends first, in 12 d; cannot be read: pin\n');
});
