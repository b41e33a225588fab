/** How long a new version has to be well, and what is said of one that never was. */
import { describe, expect, test } from 'vitest';
import { HEALTH_LIMITS, type ServiceLook, watchHealth } from '#supervisor/update/health.ts';

interface Box {
  readonly look?: Partial<ServiceLook> | null;
  readonly answers?: string | null;
  readonly isReady?: boolean;
}

/** `boxAt`: the machine that many milliseconds after the start of the new version; what is left out is well. */
async function verdictOn(boxAt: (nowMs: number) => Box): Promise<{ why: string; afterS: number }> {
  let nowMs = 0;
  const well: ServiceLook = { isActive: true, identity: 'a 7 0', mainPid: 7, restarts: 0, words: 'active (running)' };
  const health = await watchHealth(
    '2.0.0',
    {
      service: {
        restart: async () => null,
        resetFailed: async () => undefined,
        look: async () => {
          const { look = {} } = boxAt(nowMs);
          return look === null ? null : { ...well, ...look };
        },
        isGoingDown: async () => false,
      },
      runningVersion: async () => boxAt(nowMs).answers ?? (boxAt(nowMs).answers === null ? null : '2.0.0'),
      ready: async () => ((boxAt(nowMs).isReady ?? true) ? { version: '2.0.0', pid: 7 } : null),
      monoMs: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
    HEALTH_LIMITS,
  );
  return { why: health.ok ? 'well' : health.why, afterS: Math.round(nowMs / 1000) };
}

describe('a service that does not stay up', () => {
  const words = 'activating (auto-restart, exit-code)';
  /** Started again every so often, and seen between two starts each time; `before`: what systemd had counted already. */
  const loop =
    (everyMs: number, before = 0) =>
    (nowMs: number): Box => ({ look: { isActive: false, mainPid: null, restarts: before + Math.floor(nowMs / everyMs), words } });

  test('is said to end again and again, with how often', async () => {
    expect((await verdictOn(loop(2500))).why).toBe(
      `after 45 s: it ends again and again, started anew 18 times, and never answered; the service is ${words}`,
    );
    // What was counted before this version was started is not its own.
    expect((await verdictOn(loop(2500, 7))).why).toContain('started anew 18 times');
    expect((await verdictOn(loop(30_000))).why).toContain('it ended and was started again, and never answered');
    expect((await verdictOn(loop(1_000_000))).why).toBe(`after 45 s: the service is ${words}`);
  });

  test('gains no time by being seen while it runs', async () => {
    const seen = (nowMs: number): Box => ({ look: { restarts: Math.floor(nowMs / 10_000) }, answers: null });
    expect(await verdictOn(seen)).toMatchObject({ why: expect.stringContaining('started anew 4 times'), afterS: 46 });
  });
});

describe('a machine that is only slow', () => {
  test.each<[string, (isYet: boolean) => Box]>([
    ['answers', (isYet) => ({ answers: isYet ? '2.0.0' : null })],
    ['has loaded everything', (isYet) => ({ isReady: isYet })],
    ['has a service manager that answers', (isYet) => ({ look: isYet ? {} : null })],
  ])('has time until it %s', async (_what, box) => {
    expect(await verdictOn((nowMs) => box(nowMs > 170_000))).toMatchObject({ why: 'well' });
    expect(await verdictOn(() => box(false))).toMatchObject({ why: expect.stringMatching(/^after 180 s: /), afterS: 180 });
  });

  test('may be silent for a while, and for no longer', async () => {
    const silentFrom = (fromMs: number, toMs: number) => (nowMs: number) => ({ answers: nowMs > fromMs && nowMs < toMs ? null : '2.0.0' });
    expect((await verdictOn(silentFrom(10_000, 38_000))).why).toBe('well');
    expect((await verdictOn(silentFrom(10_000, 50_000))).why).toBe('for 30 s: nothing answers on the status socket');
  });
});

test('another version that answers has no such time', async () => {
  expect(await verdictOn(() => ({ answers: '1.9.0' }))).toEqual({
    why: 'after 45 s: version 1.9.0 answers instead of 2.0.0',
    afterS: 46,
  });
});
