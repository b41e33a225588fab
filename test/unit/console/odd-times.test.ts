import { describe, expect, it } from 'vitest';
import { localTime } from '#console/clock.ts';
import { composeFrame } from '#console/layout.ts';
import { reasonLines } from '#console/panels/verdict.ts';
import { textOf } from '#console/style.ts';
import { logLines, stateOf } from '../../support/console-fixtures.ts';

const SIZE = { columns: 160, rows: 24 };
const reason = (since: string) =>
  ({ code: 'x', level: 'CRITICAL', subject: null, text: 'disk full', since, section: 'disks', action_hint: null }) as const;
const shown = (since: string): string => reasonLines(reason(since), stateOf(), 80).map(textOf).join('');

describe('times that are none, or far off', () => {
  it.each(['2099-99-99', '', 'now'])('a log line from %j costs its time only', (at) => {
    const state = stateOf();
    const lines = logLines(60).map((l, i) => (i === 59 ? { ...l, at } : l));
    const text = composeFrame({ ...state, log: { ...state.log, lines } }, SIZE)
      .map(textOf)
      .join('\n');
    expect(text).not.toContain('cannot be drawn');
    expect(text).toContain('(60)');
    expect(text).toContain('(59)');
  });
  it('a reason without a time says so', () => expect(shown('not a time')).toContain('since ?'));
  it('a reason from another day says the day, be it past or to come', () => {
    expect(shown('2026-11-28T10:00:00Z')).toContain('since 2026-11-28 (2d)');
    expect(shown('2099-01-01T00:00:00Z')).toContain('since 2099-01-01');
  });
  it('no moment is a date that a Date cannot hold', () => {
    expect([localTime(Number.NaN, 'UTC').time, localTime(9e15, 'UTC').date]).toEqual(['?', '?']);
  });
});

describe('the lost link', () => {
  const lost = (why: string, columns = 80) => {
    const link = { state: 'lost', since: '2026-11-30T15:50:00Z', sinceMs: 0, why } as const;
    return composeFrame(stateOf({}, {}, { link, powerWhy: 'no appliance' }), { columns, rows: 24 })
      .map(textOf)
      .join('\n')
      .replace(/\s+/g, ' ');
  };
  const why = 'it speaks version 2 of the protocol, this program up to 1: update this program';
  it('says why in full', () => {
    expect(lost(why)).toContain(why);
    expect(lost('the supervisor closed the connection')).toContain('the supervisor closed the connection');
  });
  it('offers to start a supervisor only where there is none', () => {
    expect(lost('no socket')).toContain('start one:');
    expect(lost(why)).not.toContain('start one:');
  });
});
