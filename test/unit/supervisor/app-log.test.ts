import { describe, expect, it } from 'vitest';
import { LogRing } from '#status/log-ring.ts';
import { readAppLine } from '#supervisor/applog/app-line.ts';
import { AppLog, logsOf } from '#supervisor/applog/app-log.ts';

const AT = '2026-11-30T15:55:50.123456789Z';
const ID = '[0b5cb9ea-9a5f-4a5e-8f2c-0a1b2c3d4e5f]';

describe('a line of the application', () => {
  it.each([
    ['INFO: 10.42.0.1:5 - "GET /health/ready HTTP/1.1" 200', null],
    ['INFO: 10.42.0.1:5 - "GET /health/ready HTTP/1.1" 503', 'err'],
    ['INFO: 10.42.0.1:5 - "GET /metrics HTTP/1.1" 200 OK', null],
    ['health check /healthz timed out', 'info'],
    [`[2026-11-30 15:55:50,123: INFO/MainProcess] Task ipam.sync${ID} received`, null],
    [`[2026-11-30 15:55:50,123: INFO/ForkPoolWorker-2] Task ipam.sync${ID} succeeded in 0.1s: {'changed': 0, 'state': 'idle'}`, null],
    [`[2026-11-30 15:55:50,123: INFO/ForkPoolWorker-2] Task ipam.sync${ID} succeeded in 0.1s: {'changed': 3}`, 'info'],
    [`[2026-11-30 15:55:50,123: INFO/ForkPoolWorker-2] Task ipam.sync${ID} succeeded in 0.1s: True`, 'info'],
    [`[2026-11-30 15:55:50,123: INFO/ForkPoolWorker-2] Task ipam.sync${ID} succeeded in 0.1s: {'a': {'b': 0}}`, 'info'],
    [`[2026-11-30 15:55:50,123: ERROR/ForkPoolWorker-2] Task ipam.sync${ID} raised`, 'err'],
    ['Traceback (most recent call last):', 'err'],
    ['WARNING: pool is small', 'warn'],
    ['   ', null],
  ])('%s: %s', (text, sev) => expect(readAppLine(`${AT} ${text}`)?.sev ?? null).toBe(sev));
  it('keeps its time, and loses the identifier of a task, the prefix, and what moves a cursor', () => {
    const line = readAppLine(`${AT} [2026-11-30 15:55:50,123: INFO/MainProcess] Task a${ID} succeeded in 1s: \x1b[31mTrue`);
    expect(line).toEqual({ at: '2026-11-30T15:55:50.123Z', sev: 'info', text: 'Task a succeeded in 1s: True' });
    expect(readAppLine('no time here')?.at).toBeNull();
  });
});

const pod = (name: string, over: object = {}, node = 'n1', namespace = 'spatium') => ({
  metadata: { name, namespace, labels: { 'app.kubernetes.io/component': `c-${name}` } },
  spec: { nodeName: node },
  status: { containerStatuses: [{ name: 'app', restartCount: 0, state: { running: {} }, ...over }] },
});

describe('which logs', () => {
  it('of containers that run, of the product, on this node', () => {
    const pods = [pod('a'), pod('b', { state: { waiting: {} } }), pod('c', {}, 'n2'), pod('d', {}, 'n1', 'kube-system')];
    expect(logsOf(pods, 'n1').map((l) => [l.key, l.unit])).toEqual([['a/app/0', 'c-a']]);
  });
  it('a container that was started again is another log', () => {
    expect(logsOf([pod('a', { restartCount: 2 })], 'n1')[0]?.key).toBe('a/app/2');
  });
});

describe('following', () => {
  interface Opened {
    readonly path: string;
    readonly onLine: (line: string) => void;
    readonly onEnd: (why: string) => void;
    stopped: boolean;
  }
  function stand() {
    const opened: Opened[] = [];
    const state = { nowMs: 0, pods: [pod('a')] };
    const lines = (path: string, onLine: (l: string) => void, onEnd: (why: string) => void) => {
      const one: Opened = { path, onLine, onEnd, stopped: false };
      opened.push(one);
      const stop = (): void => {
        one.stopped = true;
      };
      return { stop };
    };
    const cluster = {
      pods: () => ({ state: 'known', items: state.pods }) as const,
      connection: () => ({ ok: true, api: { lines } }) as never,
    };
    const ring = new LogRing();
    const log = new AppLog({ cluster, ring, node: async () => 'n1', now: () => 'now', monoMs: () => state.nowMs, lookMs: 3_600_000 });
    const look = async () => {
      await log.start();
    };
    return { opened, state, ring, log, look };
  }
  it('begins with the last lines, goes on where it was, not at once, and repeats nothing', async () => {
    const { opened, state, ring, log, look } = stand();
    await look();
    expect(opened[0]?.path).toContain('container=app&follow=true&timestamps=true&tailLines=4');
    opened[0]?.onLine(`${AT} first`);
    opened[0]?.onEnd('the watch ended');
    await look();
    expect(opened.length).toBe(1);
    state.nowMs = 5_000;
    await look();
    expect(opened[1]?.path).toContain(`sinceTime=${encodeURIComponent(AT)}`);
    opened[1]?.onLine(`${AT} first`);
    opened[1]?.onLine('2026-11-30T15:55:51.000000000Z second');
    opened[1]?.onLine('2026-11-30T15:55:51.000000000Z third, at the same time');
    expect(ring.after(0, 10).map((l) => [l.src, l.unit, l.text])).toEqual([
      ['app', 'c-a', 'first'],
      ['app', 'c-a', 'second'],
      ['app', 'c-a', 'third, at the same time'],
    ]);
    log.stop();
  });
  it('takes up new pods, lets go of those that went, and all at its end', async () => {
    const { opened, state, log, look } = stand();
    await look();
    state.pods = [pod('b')];
    await look();
    expect(opened.map((o) => o.stopped)).toEqual([true, false]);
    log.stop();
    expect(opened.every((o) => o.stopped)).toBe(true);
  });
  it('never more than it may', async () => {
    const { opened, state, log, look } = stand();
    state.pods = Array.from({ length: 50 }, (_, i) => pod(`p${i}`));
    await look();
    await look();
    expect(opened.length).toBe(32);
    log.stop();
  });
});
