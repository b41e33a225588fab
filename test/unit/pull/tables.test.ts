import { describe, expect, it } from 'vitest';
import type { PanelFault } from '#model/pull.ts';
import {
  backoffMs,
  delayMs,
  failuresAfter,
  firstDelayMs,
  intervalMs,
  MAX_TIMER_MS,
  reportDelayAfterOutageMs,
  timerMs,
} from '#supervisor/pull/backoff.ts';
import { afterReport } from '#supervisor/pull/report.ts';
import { garbled, type Row, rowOfFault, rowOfStatus, UNASKED_304 } from '#supervisor/pull/responses.ts';
import { retryAfterMs } from '#supervisor/pull/retry-after.ts';
import { readSettings } from '#supervisor/pull/settings.ts';
import { judgeVersion } from '#supervisor/pull/versions.ts';

type Expected = readonly [Row['meaning'], Row['pace'], boolean, boolean, string | null];
const shape = (r: Row): Expected => [r.meaning, r.pace, r.honoursRetryAfter, r.forgetsTag, r.code];

describe('what an answer means', () => {
  // meaning, pace, honours Retry-After, forgets the tag, code
  const rows: readonly (readonly [number, ...Expected])[] = [
    [200, 'new', 'normal', false, false, null],
    [204, 'unassigned', 'normal', false, false, null],
    [304, 'unchanged', 'normal', false, false, null],
    ...[301, 302, 303, 307, 308, 300].map((s) => [s, 'failure', 'backoff', false, false, `POL-${s}`] as const),
    ...[400, 405, 406, 415, 422, 402, 409, 418, 451, 201, 202, 206].map((s) => [s, 'failure', 'cap', false, false, `POL-${s}`] as const),
    ...[401, 403, 404].map((s) => [s, 'failure', 'backoff', false, false, `POL-${s}`] as const),
    [410, 'failure', 'gone', false, false, 'POL-410'],
    ...[408, 425, 429, 500, 501, 502, 503, 504, 599].map((s) => [s, 'failure', 'backoff', true, false, `POL-${s}`] as const),
  ];
  it.each(rows)('%i', (status, ...expected) => expect(shape(rowOfStatus(status))).toEqual(expected));

  const faults: Readonly<Record<PanelFault, readonly [Row['pace'], boolean, string]>> = {
    unreachable: ['backoff', false, 'POL-UNREACHABLE'],
    timeout: ['backoff', false, 'POL-TIMEOUT'],
    cut: ['backoff', true, 'POL-CUT'],
    too_large: ['backoff', true, 'POL-SIZE'],
    tls_clock: ['backoff', false, 'POL-CLOCK'],
    tls_expired: ['backoff', false, 'POL-EXPIRED'],
    tls_pin: ['cap', false, 'POL-PIN'],
    tls_name: ['cap', false, 'POL-NAME'],
    tls_issuer: ['cap', false, 'POL-ISSUER'],
    tls_other: ['backoff', false, 'POL-TLS'],
  };
  it.each(Object.entries(faults))('%s', (fault, [pace, forgets, code]) => {
    expect(shape(rowOfFault(fault as PanelFault))).toEqual(['failure', pace, false, forgets, code]);
  });

  it('an unasked 304 and a body of nobody forget the tag', () => {
    expect(shape(UNASKED_304)).toEqual(['failure', 'backoff', false, true, 'POL-304']);
    expect(shape(garbled('no JSON'))).toEqual(['failure', 'backoff', false, true, 'POL-BODY']);
  });

  it('every failure says a sentence, and never one about the credential itself', () => {
    for (let status = 100; status < 600; status++) {
      const row = rowOfStatus(status);
      expect(row.meaning === 'failure', String(status)).toBe(row.message !== null && row.code !== null);
    }
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  it.each<[string | undefined, number | null]>([
    ['5', 5000],
    [' 5 ', 5000],
    ['0', 1000],
    ['99999', 3_600_000],
    ['999999999', 3_600_000],
    ['1234567890', null],
    ['-1', null],
    ['1.5', null],
    ['+5', null],
    ['5s', null],
    ['0x10', null],
    ['', null],
    [undefined, null],
    ['soon', null],
    ['Mon, 30 Nov 2026 12:01:00 GMT', 60_000],
    ['Mon, 30 Nov 2026 11:00:00 GMT', 1000],
    ['Tue, 01 Dec 2026 12:00:00 GMT', 3_600_000],
    ['Mon, 30 Nov 2026 12:01:00 +0100', null],
    ['2026-11-30T12:01:00Z', null],
    ['Mon, 30 Foo 2026 12:01:00 GMT', null],
    ['Mon, 99 Nov 2026 12:01:00 GMT', null],
  ])('%s', (header, expected) => expect(retryAfterMs(header, now)).toBe(expected));
});

describe('how long to wait', () => {
  const low = () => 0;
  const high = () => 1 - Number.EPSILON;
  const wait = { pace: 'backoff' as const, failures: 1, goneCount: 0, intervalMs: 5000, retryAfterMs: null };

  it.each<[number | undefined, number]>([
    [undefined, 5000],
    [1, 2000],
    [-3, 2000],
    [10, 10_000],
    [301, 300_000],
    [Number.NaN, 5000],
    [Number.POSITIVE_INFINITY, 5000],
  ])('poll_seconds %s', (seconds, ms) => expect(intervalMs(seconds)).toBe(ms));

  it('spreads every wait, the first and the quiet ones too', () => {
    expect([firstDelayMs(5000, low), firstDelayMs(5000, high)]).toEqual([0, 5000]);
    expect([delayMs({ ...wait, pace: 'normal' }, low), delayMs({ ...wait, pace: 'normal' }, high)]).toEqual([4000, 6000]);
  });

  it('doubles, caps, and still draws over the whole width at the cap', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1e9].map((n) => backoffMs(n, 5000, high))).toEqual([
      10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000,
    ]);
    expect([1, 30].map((n) => backoffMs(n, 5000, low))).toEqual([2500, 2500]);
    expect(backoffMs(30, 300_000, low)).toBe(150_000);
  });

  it('goes to the cap at once for what waiting does not mend, and once more before "hourly"', () => {
    expect([delayMs({ ...wait, pace: 'cap' }, low), delayMs({ ...wait, pace: 'cap' }, high)]).toEqual([150_000, 300_000]);
    expect(delayMs({ ...wait, pace: 'gone', goneCount: 1 }, low)).toBe(60_000);
    expect(delayMs({ ...wait, pace: 'gone', goneCount: 2 }, low)).toBe(3_600_000);
  });

  it('takes the larger of its own delay and the one asked for, spread upwards', () => {
    expect(delayMs({ ...wait, retryAfterMs: 60_000 }, low)).toBe(60_000);
    expect(delayMs({ ...wait, retryAfterMs: 60_000 }, high)).toBe(72_000);
    expect(delayMs({ ...wait, failures: 20, retryAfterMs: 1000 }, high)).toBe(300_000);
  });

  it('halves the failures after a success and never overflows a timer', () => {
    expect([7, 1, 0].map((n) => failuresAfter(n, true))).toEqual([3, 0, 0]);
    expect(failuresAfter(Number.MAX_SAFE_INTEGER, false)).toBe(Number.MAX_SAFE_INTEGER);
    expect([timerMs(1e12), timerMs(-1)]).toEqual([MAX_TIMER_MS, 0]);
    expect(MAX_TIMER_MS).toBeLessThan(2 ** 31);
  });

  it('holds a report back only after an outage', () => {
    expect([0, 2].map((n) => reportDelayAfterOutageMs(n, high))).toEqual([0, 0]);
    expect(reportDelayAfterOutageMs(3, high)).toBe(30_000);
  });
});

describe('versions', () => {
  const mark = (version: number, sha256 = 'a', epoch?: string) => ({ version, sha256, epoch });
  it.each([
    ['the first', mark(5), null, 'accept'],
    ['greater', mark(6), mark(5), 'accept'],
    ['as numbers, not as texts', mark(10), mark(9), 'accept'],
    ['equal, same content', mark(5), mark(5), 'same'],
    ['equal, other content', mark(5, 'b'), mark(5), 'reused'],
    ['lower', mark(4), mark(5), 'regressed'],
    ['lower in another epoch', mark(1, 'b', 'e2'), mark(57, 'a', 'e1'), 'accept'],
    ['lower, the epoch is new', mark(1, 'b', 'e2'), mark(57), 'accept'],
    ['lower, the epoch is gone', mark(1), mark(57, 'a', 'e1'), 'accept'],
    ['lower in the same epoch', mark(1, 'b', 'e1'), mark(57, 'a', 'e1'), 'regressed'],
  ])('%s', (_name, incoming, stored, verdict) => expect(judgeVersion(incoming, stored)).toBe(verdict));
});

describe('answers to a report', () => {
  it.each<[number, string]>([
    ...[200, 201, 202, 204].map((s): [number, string] => [s, 'sent']),
    ...[400, 402, 405, 409, 410, 413, 415, 422, 451].map((s): [number, string] => [s, 'drop']),
    ...[301, 304, 401, 403, 404, 408, 425, 429, 500, 503].map((s): [number, string] => [s, 'again']),
  ])('%i: %s', (status, verdict) => expect(afterReport(status)).toBe(verdict));
});

describe('pull.json', () => {
  const image = JSON.stringify({ kind: 'lb', panel: 'https://panel.example' });
  it('is overridden key by key', () => {
    const pin = 'A'.repeat(43);
    expect(readSettings(image, JSON.stringify({ panel: 'https://other.example:8443/', pins: [pin] }))).toEqual({
      kind: 'settings',
      settings: { kind: 'lb', panel: 'https://other.example:8443', pins: [pin] },
    });
    expect(readSettings(null, null)).toEqual({ kind: 'none' });
  });
  it.each([
    ['{', 'no JSON object'],
    ['[]', 'no JSON object'],
    ['{"kind":"k3s","panel":"https://p"}', '"kind" must be one of lb, gw, s3'],
    ['{"kind":"lb"}', '"panel" must be https'],
    ['{"kind":"lb","panel":"http://p"}', '"panel" must be https'],
    ['{"kind":"lb","panel":"https://u:p@p"}', '"panel" must be https'],
    ['{"kind":"lb","panel":"https://p/x"}', '"panel" must be https'],
    ['{"kind":"lb","panel":"https://p","pins":["short"]}', '"pins" must be a list'],
  ])('%s', (text, words) => {
    const read = readSettings(text, null);
    expect(read.kind === 'wrong' && read.message).toContain(words);
  });
});
