import { expect, it } from 'vitest';
import { escapeWaitMs, lineOf } from '#console/line.ts';

it('a screen and a pseudo terminal answer Esc at once; what may be a serial line waits for torn keys', () => {
  expect(['/dev/tty1', '/dev/tty63', '/dev/pts/0'].map((d) => escapeWaitMs(lineOf(d)))).toEqual([60, 60, 60]);
  const slow = ['/dev/ttyS0', '/dev/ttyUSB1', '/dev/ttyAMA0', '/dev/hvc0', '/dev/console', '/dev/tty', 'pipe:[1]', null];
  expect(new Set(slow.map((d) => lineOf(d)))).toEqual(new Set(['serial']));
  expect(escapeWaitMs('serial')).toBeGreaterThanOrEqual(500);
});
