import { describe, expect, test } from 'vitest';
import { CLEAN, type Standing, standingAfter, standingAfterHeader } from '../../../src/supervisor/identity/strikes.ts';

/** Status and second of each answer. */
const standing = (answers: readonly (readonly [number, number])[], source: 'token' | 'code' = 'token'): Standing =>
  answers.reduce((s, [status, second]) => standingAfter(s, source, status, second * 1000), CLEAN);

describe('strikes', () => {
  test.each<[string, [number, number][], string]>([
    [
      'two refusals',
      [
        [401, 0],
        [401, 600],
      ],
      'accepted',
    ],
    [
      'three within five minutes',
      [
        [401, 0],
        [401, 10],
        [403, 299],
      ],
      'accepted',
    ],
    [
      'three over five minutes',
      [
        [401, 0],
        [404, 10],
        [403, 300],
      ],
      'revoked',
    ],
    [
      'a success between',
      [
        [401, 0],
        [401, 200],
        [304, 250],
        [401, 400],
      ],
      'accepted',
    ],
    [
      'a busy panel between',
      [
        [401, 0],
        [401, 200],
        [503, 250],
        [401, 400],
      ],
      'revoked',
    ],
    [
      'taken back by a success',
      [
        [401, 0],
        [401, 10],
        [401, 300],
        [204, 310],
      ],
      'accepted',
    ],
    ['410 once', [[410, 0]], 'accepted'],
    [
      '410 twice at once',
      [
        [410, 0],
        [410, 59],
      ],
      'accepted',
    ],
    [
      '410 twice, a minute apart',
      [
        [410, 0],
        [410, 60],
      ],
      'retired',
    ],
    [
      '410 twice, something else between',
      [
        [410, 0],
        [401, 30],
        [410, 60],
      ],
      'accepted',
    ],
    [
      'retired stays retired over a 401',
      [
        [410, 0],
        [410, 60],
        [401, 90],
      ],
      'retired',
    ],
  ])('%s', (_name, answers, verdict) => {
    expect(standing(answers).verdict).toBe(verdict);
  });

  test('a paired box is not revoked by a 404 of a proxy, nor by a bare 403', () => {
    const many = Array.from({ length: 50 }, (_, i) => [i % 2 ? 404 : 403, i * 60] as const);
    expect(standing(many, 'code').verdict).toBe('accepted');
  });

  test('two refusals with the header in a row', () => {
    const once = standingAfterHeader(CLEAN, 'revoked');
    expect(once.verdict).toBe('accepted');
    expect(standingAfterHeader(once, 'unknown')).toMatchObject({ verdict: 'revoked', revocations: 2, revocation: 'unknown' });
    expect(standingAfterHeader(standingAfterHeader(once, null), 'revoked').verdict).toBe('accepted');
  });
});
