/** A restart of the machine in the health window: no fault of the version, and no lost verdict. */
import { describe, expect, test } from 'vitest';
import { ACTIONS } from '#status/action-catalogue.ts';
import { GoingDown, HEALTH_LIMITS, type HealthPorts, watchHealth } from '#supervisor/update/health.ts';
import { systemdService } from '#supervisor/update/service.ts';
import { awaitVerdict, WAIT_MS } from '#supervisor/update/wait.ts';

/** Well for ten seconds, then the service goes away. */
function portsWith(isGoingDown: boolean): HealthPorts {
  let nowMs = 0;
  return {
    service: {
      restart: async () => null,
      resetFailed: async () => undefined,
      look: async () =>
        nowMs < 10_000
          ? { isActive: true, identity: 'a 7 0', mainPid: 7, restarts: 0, words: 'active (running)' }
          : { isActive: false, identity: 'a 0 0', mainPid: null, restarts: 0, words: 'deactivating (stop-sigterm)' },
      isGoingDown: async () => isGoingDown,
    },
    runningVersion: async () => '2.0.0',
    ready: async () => ({ version: '2.0.0', pid: 7 }),
    monoMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
}

test('a service that ends because the machine does is not judged', async () => {
  await expect(watchHealth('2.0.0', portsWith(true), HEALTH_LIMITS)).rejects.toBeInstanceOf(GoingDown);
  expect(await watchHealth('2.0.0', portsWith(false), HEALTH_LIMITS)).toMatchObject({ ok: false });
});

test.each([
  ['stopping', 1, true],
  ['running', 0, false],
  ['degraded', 1, false],
  ['', 1, false],
])('systemd says %j', async (word, code, isGoingDown) => {
  const service = systemdService(async (argv) => ({
    kind: 'exited',
    code,
    argv,
    stdout: `${word}\n`,
    stderr: '',
    tail: [],
    durationMs: 1,
  }));
  expect(await service.isGoingDown()).toBe(isGoingDown);
});

describe('who restarts the machine', () => {
  const wait = async (pendingForMs: number, isJudging: boolean) => {
    let nowMs = 0;
    const did: string[] = [];
    const isDone = await awaitVerdict({
      isPending: async () => nowMs < pendingForMs,
      isJudging: async () => isJudging || did.includes('started'),
      startJudging: async () => void did.push('started'),
      sleep: async (ms) => {
        nowMs += ms;
      },
      monoMs: () => nowMs,
      note: (text) => void did.push(text),
    });
    return { isDone, nowMs, did };
  };

  test('waits for a verdict, and for nothing else', async () => {
    expect(await wait(0, false)).toEqual({ isDone: true, nowMs: 0, did: [] });
    const { isDone, nowMs, did } = await wait(60_000, true);
    expect([isDone, nowMs, did.length]).toEqual([true, 60_000, 1]);
    expect(did[0]).toContain('waiting for its verdict');
  });

  test('has it judged when nobody is at it, and does not wait for ever', async () => {
    expect((await wait(60_000, false)).did.filter((d) => d === 'started')).toHaveLength(1);
    const { isDone, nowMs } = await wait(Number.POSITIVE_INFINITY, true);
    expect([isDone, nowMs]).toEqual([false, WAIT_MS]);
  });

  test.each(['power.reboot', 'power.poweroff'])('%s does so first, and goes on whatever comes of it', (name) => {
    const [first, second] = ACTIONS.find((a) => a.name === name)?.steps ?? [];
    expect(first).toMatchObject({ argv: ['spatium', 'update', 'wait'], tolerant: true });
    expect(first?.timeoutMs).toBeGreaterThan(WAIT_MS);
    expect(second?.argv[0]).toBe('systemctl');
  });
});
