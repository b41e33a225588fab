import { expect, it } from 'vitest';
import { plainVersion } from '#installer/run/release.ts';

it.each([
  ['0.1.0+abc1234.dirty', '0.1.0'],
  ['0.1.0', '0.1.0'],
])('leaves out what %s was built from', (version, plain) => {
  expect(plainVersion(version)).toBe(plain);
});
