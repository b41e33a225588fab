/** What is left on the consoles when a person's dialogue is over. */
import { expect, it } from 'vitest';
import { afterWizard, leavesTo } from '#installer/run/medium.ts';

const MEDIUM = { cmdline: 'boot=live spatium-mode=install', isLocked: false, allConsoles: true };
const LOCKED = { ...MEDIUM, isLocked: true };
const BY_HAND = { ...MEDIUM, allConsoles: false };
const ELSEWHERE = { ...BY_HAND, cmdline: 'root=UUID=1' };

it('is a shell where the image allows one, and only for who has left', () => {
  for (const outcome of ['failed', 'left'] as const) {
    expect(afterWizard(outcome, 'reboot', MEDIUM)).toBe('shell');
    for (const facts of [LOCKED, BY_HAND, ELSEWHERE]) expect(afterWizard(outcome, 'reboot', facts)).toBe('stay');
  }
  expect([MEDIUM, LOCKED, BY_HAND, ELSEWHERE].map(leavesTo)).toEqual(['shell', 'nothing', 'caller', 'caller']);
});

it('restarts the medium, never a machine that it was tried on', () => {
  expect([MEDIUM, LOCKED, ELSEWHERE].map((facts) => afterWizard('restart', 'poweroff', facts))).toEqual(['reboot', 'reboot', 'stay']);
  expect([MEDIUM, ELSEWHERE].map((facts) => afterWizard('installed', 'poweroff', facts))).toEqual(['poweroff', 'stay']);
});
