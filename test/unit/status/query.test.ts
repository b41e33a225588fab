import { describe, expect, it } from 'vitest';
import { faultOf, numberOf } from '#status/query.ts';

describe('words after the question mark', () => {
  it.each([
    ['sev=error', 'sev=error: err, warn, info or debug (once each) is wanted'],
    ['sev=err,warn', 'sev=err,warn: err, warn, info or debug (once each) is wanted'],
    ['limit=-1', 'limit=-1: a whole number is wanted'],
    ['limit=', 'limit=: a whole number is wanted'],
    ['min_interval_ms=abc', 'min_interval_ms=abc: a whole number is wanted'],
    ['follow=yes', 'follow=yes: 0 or 1 is wanted'],
  ])('%s is refused with what is wanted', (query, fault) => expect(faultOf(new URLSearchParams(query))).toBe(fault));

  it.each(['', 'sev=err&sev=warn', 'follow=1&since_id=0', 'limit=200', 'later=anything', '__proto__=1', 'constructor=1'])(
    '%j is taken',
    (query) => expect(faultOf(new URLSearchParams(query))).toBeNull(),
  );
  it('an endless word is not repeated whole', () => {
    expect(faultOf(new URLSearchParams(`limit=${'9'.repeat(400)}`))?.length).toBeLessThan(100);
  });
  it('numbers are clamped, and have a default', () => {
    const query = new URLSearchParams('limit=99999999999&since_id=4000000000');
    expect([numberOf(query, 'limit', 200, 2000), numberOf(query, 'since_id', 0, 1e15), numberOf(query, 'x', 7, 9)]).toEqual([
      2000, 4_000_000_000, 7,
    ]);
  });
});
