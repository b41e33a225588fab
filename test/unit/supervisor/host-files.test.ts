import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectTime, endpointOf, type PairingFiles, pairingState } from '#supervisor/collectors/fleet.ts';
import { planeOf, type UpgradeFiles, upgradeOf } from '#supervisor/collectors/release-state.ts';
import { parseTracking } from '#supervisor/collectors/time.ts';

const NOW = Date.parse('2026-11-30T15:55:53Z');

describe('chrony', () => {
  it('synchronised, not synchronised, and garbage', () => {
    expect(
      parseTracking('C0A80A01,192.168.10.1,3,1796047053.123456789,0.000012345,-0.000001,0.0001,-12.3,0.001,0.05,0.002,0.001,64.2,Normal\n'),
    ).toEqual({
      synced: true,
      source: '192.168.10.1',
      offset_ms: 0.012,
      stratum: 3,
      last_sync_at: '2026-11-30T13:57:33.123Z',
    });
    expect(parseTracking('7F7F0101,,0,0.000000000,0.000000000,0,0,0,0,0,1,1,0.0,Not synchronised')).toMatchObject({
      synced: false,
      stratum: null,
      offset_ms: null,
      last_sync_at: null,
    });
    expect(parseTracking('506 Cannot talk to daemon')).toBeNull();
  });
});

describe('host planes', () => {
  it.each([
    [null, 'abc', 'idle'],
    ['abc\t1\t2026-11-30T15:00:00Z', 'abc', 'applied'],
    ['abc\t1\t2026-11-30T15:00:00Z', 'old', 'retrying'],
    ['abc\t2\tx', null, 'retrying'],
    ['abc\t3\tx', 'old', 'failing'],
  ])('%j applied %j: %s', (fire, applied, want) => expect(planeOf('ntp', fire, applied).state).toBe(want));
});

describe('upgrade', () => {
  const none: UpgradeFiles = { progress: null, stateWord: '', isPending: false, failuresMs: [] };
  const progress = (step: string, at: unknown = '2026-11-30T15:55:00Z'): string => JSON.stringify({ step, pct: 43, detail: 'x', at });
  it('nothing is idle', () => expect(upgradeOf(none, NOW).state).toBe('idle'));
  it('the time is ISO text, and old progress says nothing', () => {
    expect(upgradeOf({ ...none, progress: progress('writing') }, NOW)).toMatchObject({ state: 'writing', pct: 43, step_index: 3 });
    expect(upgradeOf({ ...none, progress: progress('writing', '2026-11-30T15:40:00Z') }, NOW)).toMatchObject({ state: 'idle', pct: null });
    expect(upgradeOf({ ...none, progress: progress('dd', NOW / 1000) }, NOW).state).toBe('writing');
  });
  it.each(['queued', 'download', 'verify', 'bootloader', 'arming', 'reboot-pending', 'failed'])('knows the step %s', (step) => {
    expect(upgradeOf({ ...none, progress: progress(step) }, NOW).state).not.toBe('idle');
  });
  it('three failures within an hour are a failure, an old one is not', () => {
    const at = [1, 2, 3].map((m) => NOW - m * 60_000);
    expect(upgradeOf({ ...none, failuresMs: at }, NOW)).toMatchObject({ state: 'failed', recent_failures_1h: 3 });
    expect(upgradeOf({ ...none, failuresMs: at.map((t) => t - 3_600_000) }, NOW).state).toBe('idle');
  });
  it('garbage in the file is no progress', () => expect(upgradeOf({ ...none, progress: '{"step":' }, NOW).state).toBe('idle'));
});

describe('pairing', () => {
  const f = (over: Partial<PairingFiles>): string =>
    pairingState({ hasUrl: true, hasCode: false, approval: null, hasId: false, certificate: null, ...over });
  it('tells each state that files can tell', () => {
    expect([
      f({ hasUrl: false }),
      f({ hasCode: true }),
      f({}),
      f({ hasId: true }),
      f({ certificate: 'x' }),
      f({ certificate: 'x', approval: 'revoked' }),
    ]).toEqual(['no_url', 'registering', 'no_code', 'awaiting', 'paired', 'revoked']);
  });
});

describe('control plane address', () => {
  it.each([
    ['https://cp.example', { host: 'cp.example', port: 443 }],
    ['http://cp.example:8080/x', { host: 'cp.example', port: 8080 }],
    ['cp.example', { host: 'cp.example', port: 443 }],
    ['https://[2001:db8::1]:9443', { host: '2001:db8::1', port: 9443 }],
    ['ftp://x', null],
    ['::::', null],
  ])('%s', (url, want) => {
    const found = endpointOf(url);
    expect(found && { host: found.host, port: found.port }).toEqual(want);
  });
  it('connects, and a closed port is no connection', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((r) => server.once('listening', r));
    const { port } = server.address() as net.AddressInfo;
    expect(await connectTime('127.0.0.1', port, 1000)).toBeGreaterThanOrEqual(0);
    await new Promise((r) => server.close(r));
    expect(await connectTime('127.0.0.1', port, 1000)).toBeNull();
  });
});
