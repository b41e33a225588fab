import { describe, expect, it } from 'vitest';
import type { Level, SectionData } from '#model/status.ts';
import { PULL } from '#model/status-fleet.ts';
import { statusText } from '#status/text.ts';
import { EMPTY_MEMORY, judgeStatus } from '#status/verdict.ts';
import { CODE_ORDER } from '#status/verdict-rule.ts';
import { healthyView } from '../../support/status-fixtures.ts';

type Pull = SectionData['pull'];
const NOW = '2026-11-30T15:55:53Z';
const MINUTE_MS = 60_000;

const PULL_OK: Pull = {
  kind: 'lb',
  panel: 'https://panel.example',
  identity: 'active',
  code: null,
  message: null,
  device_id: 'd-1',
  pin: null,
  last_contact_at: '2026-11-30T15:55:50Z',
  last_status: 304,
  consecutive_failures: 0,
  next_poll_at: null,
  fetched_version: 13,
  applied_version: 13,
  applied_at: null,
  state: 'applied',
  failed: null,
  update: null,
};
const FAILED = { version: 14, phase: 'validate', outcome: 'reverted', message: 'line 3: no\x1b[2J', attempts: 1, retry_at: null };

const view = (over: Partial<Pull>, envelope = {}) => healthyView({ pull: { ...PULL_OK, ...over } }, { pull: envelope });
const first = (over: Partial<Pull>) => judgeStatus({ view: view(over), now: NOW, nowMs: 0, memory: EMPTY_MEMORY });
/** Judged again after eleven minutes, so that what must last has lasted. */
const settled = (over: Partial<Pull>) =>
  judgeStatus({ view: view(over), now: NOW, nowMs: 11 * MINUTE_MS, memory: first(over).memory }).verdict;

const CASES: readonly (readonly [string, Partial<Pull>, Level, string | null, string | null])[] = [
  ['all well', {}, 'HEALTHY', null, null],
  ['waiting for approval', { identity: 'awaiting_approval' }, 'UNKNOWN', 'pull.awaiting_approval', 'F7'],
  ['a refused token', { identity: 'token_refused', code: 'ENR-403' }, 'DEGRADED', 'pull.token_refused', 'F7'],
  ['revoked', { identity: 'revoked' }, 'CRITICAL', 'pull.revoked', 'F7'],
  ['cloned', { identity: 'cloned' }, 'CRITICAL', 'pull.cloned', 'F7'],
  ['retired on purpose', { identity: 'retired' }, 'DEGRADED', 'pull.retired', 'F7'],
  ['two polls failed', { consecutive_failures: 2, last_status: null }, 'HEALTHY', null, null],
  ['three polls failed', { consecutive_failures: 3, last_status: null }, 'DEGRADED', 'pull.no_contact', 'F4'],
  ['a reverted configuration', { state: 'failed', failed: FAILED }, 'DEGRADED', 'pull.config_failed', 'F7'],
  ['nothing to go back to', { state: 'failed', failed: { ...FAILED, outcome: 'no_previous' } }, 'CRITICAL', 'pull.config_failed', 'F7'],
  ['going back failed', { state: 'failed', failed: { ...FAILED, outcome: 'revert_failed' } }, 'CRITICAL', 'pull.config_failed', 'F7'],
  ['nothing assigned', { state: 'unassigned', fetched_version: null, applied_version: null }, 'UNKNOWN', 'pull.unassigned', null],
  ['behind for long', { fetched_version: 14 }, 'DEGRADED', 'pull.behind', 'F7'],
  [
    'an update that went back',
    { update: { running: '1.0', target: '1.1', phase: 'rolled_back', bad: ['1.0.9 crash_loop', '1.1 health'], checked_at: null } },
    'DEGRADED',
    'pull.update_failed',
    'F7',
  ],
  [
    'an update under way',
    { update: { running: '1.0', target: '1.1', phase: 'health', bad: ['1.0 health', '1.1.0 health'], checked_at: null } },
    'HEALTHY',
    null,
    null,
  ],
];

describe('the panel of a box', () => {
  it.each(CASES)('%s', (_name, over, level, code, hint) => {
    const verdict = settled(over);
    const worst = verdict.reasons[0];
    expect([verdict.level, worst?.code ?? null, worst?.action_hint ?? null]).toEqual([level, code, hint]);
  });

  it.each(PULL.fields.identity.values)('identity %s has its place among the codes and words of its own', (identity) => {
    const reason = settled({ identity, code: 'ENR-1' }).reasons[0];
    if (identity === 'active') expect(reason).toBeUndefined();
    else {
      expect(CODE_ORDER).toContain(reason?.code);
      expect(reason?.text).toMatch(/ .* \(ENR-1\)$/);
    }
  });

  it('a configuration being applied is not behind yet', () => {
    expect(first({ fetched_version: 14 }).verdict.level).toBe('HEALTHY');
  });

  it('says what failed and what runs, without control sequences', () => {
    expect(settled({ failed: FAILED }).reasons[0]?.text).toBe('configuration 14 failed in validate, runs 13: line 3: no');
  });

  it('a state of a later supervisor is not known, and not healthy', () => {
    expect(settled({ identity: 'dreaming' as 'active' })).toMatchObject({ level: 'UNKNOWN', reasons: [{ text: 'identity dreaming' }] });
  });

  it('is asked for only where there is one', () => {
    expect(judgeStatus({ view: healthyView(), now: NOW, nowMs: 0, memory: EMPTY_MEMORY }).verdict.level).toBe('HEALTHY');
    const absent = healthyView({}, { pull: { state: 'not_applicable', data: null } });
    expect(judgeStatus({ view: absent, now: NOW, nowMs: 0, memory: EMPTY_MEMORY }).verdict.level).toBe('HEALTHY');
    expect(statusText(absent, null, 0)).not.toContain('panel');
    const broken = view({}, { state: 'unavailable', error: { code: 'x', msg: 'no answer' } });
    expect(judgeStatus({ view: broken, now: NOW, nowMs: 0, memory: EMPTY_MEMORY }).verdict.reasons[0]?.text).toBe('panel: no answer');
  });

  it('is a line of spatium status', () => {
    expect(statusText(view({ failed: FAILED, fetched_version: 14 }), null, 0)).toContain(
      'panel     lb of https://panel.example, active, runs configuration 13, fetched 14, 14 failed in validate\n',
    );
  });
});
