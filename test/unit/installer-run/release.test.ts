import { expect, it } from 'vitest';
import { parseRelease, plainVersion } from '#installer/run/release.ts';

it.each([
  [
    'APPLIANCE_VERSION="2026.11.30-1"\nBUILD_TIME="2026-11-30T10:00:00Z"\nGIT_SHA="abc"\n',
    { version: '2026.11.30-1', buildDate: '2026-11-30' },
  ],
  ['APPLIANCE_VERSION=1.2\nBUILD_TIME=soon\n', { version: '1.2', buildDate: null }],
  ['', { version: '0.1.0', buildDate: null }],
])('%j', (text, release) => {
  expect(parseRelease(text, '0.1.0')).toEqual(release);
});

it('leaves out what the program was built from', () => {
  expect(plainVersion('0.1.0+abc1234.dirty')).toBe('0.1.0');
});
