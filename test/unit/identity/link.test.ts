import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { IdentityDeps } from '../../../src/supervisor/identity/deps.ts';
import { systemIdentityClock } from '../../../src/supervisor/identity/open.ts';
import { readPinList } from '../../../src/supervisor/identity/repin.ts';
import { storedTrust } from '../../../src/supervisor/identity/stored-trust.ts';
import { mintToken, sha256 } from '../../panel/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import { testPanel } from '../panel/support.ts';
import { Machine, poll } from './support.ts';

const DAY_MS = 86_400_000;

async function active(more: Partial<IdentityDeps> = {}, pin = true) {
  const panel = await testPanel();
  const machine = new Machine();
  machine.serial(await mintToken(panel.records, 'lb', pin ? panel.pin : null));
  const keeper = await machine.keeper(panel, more);
  await machine.step(keeper);
  await poll(keeper);
  return { panel, machine, keeper };
}

describe('rotation', () => {
  test('after 30 days; the old secret ends with the first use of the new one', async () => {
    const { panel, machine, keeper } = await active();
    const old = keeper.credential()?.reveal();
    await machine.step(keeper);
    expect(panel.requests().join()).not.toContain('rotate');
    machine.nowMs += 30 * DAY_MS;
    let changes = 0;
    keeper.onChange(() => changes++);
    await machine.step(keeper);
    expect(changes).toBe(1);
    const fresh = keeper.credential()?.reveal() ?? '';
    expect(fresh).not.toBe(old);
    expect((await panel.records.read()).devices[0]).toMatchObject({ secret_sha256: sha256(old ?? ''), next_sha256: sha256(fresh) });
    expect(await poll(keeper)).toBe(204);
    expect((await panel.records.read()).devices[0]).toMatchObject({ secret_sha256: sha256(fresh), next_sha256: null });
    expect(machine.stored()['active']).toMatchObject({ secret: fresh, next: null });
    await machine.step(keeper);
    expect(panel.requests().filter((r) => r.includes('rotate'))).toHaveLength(1);
  });

  test.each(['lost', 'reset'] as const)('the offer is %s: nothing is stranded, and the same secret is offered again', async (fault) => {
    const { panel, machine, keeper } = await active();
    machine.nowMs += 31 * DAY_MS;
    await panel.faults({ rotate: { do: fault, times: 1 } });
    await machine.step(keeper);
    const next = (machine.stored()['active'] as Record<string, Record<string, string>>)['next']?.['secret'] ?? '';
    expect(next).toHaveLength(43);
    // A restart in the middle tries the new one first, and falls back.
    const again = await machine.keeper(panel);
    expect(again.credential()?.reveal()).toBe(next);
    expect(await poll(again)).toBe(204);
    await machine.step(again);
    expect(await poll(again)).toBe(204);
    expect(await poll(again)).toBe(204);
    await again.stop();
    expect(machine.stored()['active']).toMatchObject({ secret: next, next: null });
    expect((await panel.records.read()).devices).toHaveLength(1);
  });

  test('the first use was not noted any more: the old one is refused, the new one works', async () => {
    const { panel, machine, keeper } = await active();
    machine.nowMs += 31 * DAY_MS;
    await machine.step(keeper);
    const bearer = keeper.credential();
    if (bearer === null) throw new Error('no credential');
    // Somebody else of this process used it, and the note of it was lost with the power.
    await machine
      .deps(panel)
      .connect(panel.url, { kind: 'pins', pins: [panel.pin] })
      .ask({ method: 'GET', path: '/v1/lb/config', bearer });
    expect(machine.stored()['active']).not.toMatchObject({ next: null });
    const again = await machine.keeper(panel);
    expect(await poll(again)).toBe(204);
    await again.stop();
    expect(machine.stored()['active']).toMatchObject({ next: null });
  });

  test('the panel asks for it by a header', async () => {
    const { panel, machine, keeper } = await active();
    const old = keeper.credential()?.reveal();
    await panel.faults({ config: { do: 'status', status: 204, headers: { 'spatium-rotate': '1' }, times: 1 } });
    await poll(keeper);
    await machine.step(keeper);
    expect(keeper.credential()?.reveal()).not.toBe(old);
    expect(await poll(keeper)).toBe(204);
  });

  test('a panel that knows no rotation is not asked again for a day', async () => {
    const { panel, machine, keeper } = await active();
    machine.nowMs += 31 * DAY_MS;
    await panel.faults({ rotate: { do: 'status', status: 404 } });
    for (let i = 0; i < 20; i++) await machine.step(keeper);
    expect(panel.requests().filter((r) => r.includes('rotate'))).toHaveLength(1);
    expect(await poll(keeper)).toBe(204);
  });
});

describe('a panel with another key', () => {
  test('the appliance CA vouches for it: pinned, and the question is answered', async () => {
    const { panel, machine, keeper } = await active();
    await panel.faults({ tls: 'vouched' });
    expect(await poll(keeper)).toBe(204);
    expect(machine.lines.join('\n')).toMatch(/the appliance CA vouches for the keys/);
    expect((machine.stored()['active'] as { pins: string[] }).pins).toHaveLength(2);
    const restarted = await machine.keeper(panel);
    expect(await poll(restarted)).toBe(204);
  });

  test('nobody vouches for it: the old pin stays, and no credential is sent', async () => {
    const { panel, machine, keeper } = await active();
    await panel.faults({ tls: 'wrong_key' });
    const before = panel.requests().length;
    expect(await poll(keeper)).toBe('tls_pin');
    expect(panel.requests().slice(before)).toEqual(['GET /api/v1/appliance/supervisor/tls-pins 200']);
    expect(await poll(keeper)).toBe('tls_pin');
    expect(panel.requests().slice(before)).toEqual(['GET /api/v1/appliance/supervisor/tls-pins 200']);
    await panel.faults({});
    expect(await poll(keeper)).toBe(204);
    expect(machine.lines.join('\n')).toContain('does not vouch for (it is not on the list)');
    expect((machine.stored()['active'] as { pins: string[] }).pins).toEqual([panel.pin]);
  });

  test('a list is believed only with the right signature, whole, and not when it is older', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
    const reply = (signed: string, by = privateKey) =>
      ({
        kind: 'reply',
        status: 200,
        headers: {},
        body: JSON.stringify({ signed, signature: sign(null, Buffer.from(signed), by).toString('base64url') }),
      }) as const;
    const good = JSON.stringify({ pins: ['p'.repeat(43)], issued_at: '2026-05-01T00:00:00Z' });
    expect(readPinList(reply(good), key, null)).toEqual({ pins: ['p'.repeat(43)], issuedAt: '2026-05-01T00:00:00Z' });
    expect(readPinList(reply(good), key, '2026-05-01T00:00:00Z')).toMatchObject({ pins: [expect.any(String)] });
    expect(readPinList(reply(good), key, '2026-05-02T00:00:00Z')).toMatch(/older/);
    expect(readPinList(reply(good, generateKeyPairSync('ed25519').privateKey), key, null)).toMatch(/signature/);
    expect(readPinList({ ...reply(good), body: reply(good).body.replace('pppp', 'qqqq') }, key, null)).toMatch(/signature/);
    expect(readPinList(reply('{"pins":[],"issued_at":"2026-05-01T00:00:00Z"}'), key, null)).toMatch(/pin/);
    expect(readPinList(reply('[]'), key, null)).toMatch(/not/);
    expect(readPinList({ ...reply(good), body: '<html>' }, key, null)).toMatch(/no signed list/);
    expect(readPinList({ ...reply(good), status: 404 }, key, null)).toMatch(/404/);
  });

  test('the key of the first contact is checked against the list', async () => {
    const honest = await active({}, false);
    await honest.machine.step(honest.keeper);
    expect(honest.panel.requests()).toContain('GET /api/v1/appliance/supervisor/tls-pins 200');
    expect(honest.machine.lines.join('\n')).not.toContain('WARNING');
  });
});

describe('what the answers say about us', () => {
  test('refused for long: revoked, and it keeps asking; a success takes it back; nothing is deleted', async () => {
    const { panel, machine, keeper } = await active();
    await panel.faults({ config: { do: 'status', status: 401 } });
    for (const minutes of [0, 3, 3]) {
      machine.nowMs += minutes * 60_000;
      expect(await poll(keeper)).toBe(401);
    }
    expect([keeper.state(), keeper.words().code]).toEqual(['revoked', 'ENR-REVOKED']);
    expect(keeper.credential()).not.toBe(null);
    await panel.faults({});
    expect(await poll(keeper)).toBe(204);
    expect(keeper.state()).toBe('active');
    expect(machine.stored()['active']).not.toBe(null);
  });

  test('410 twice: retired', async () => {
    const { panel, machine, keeper } = await active();
    await panel.records.change((r) => {
      for (const device of r.devices) device.state = 'retired';
    });
    await poll(keeper);
    expect(keeper.state()).toBe('active');
    machine.nowMs += 61_000;
    await poll(keeper);
    expect(keeper.state()).toBe('retired');
    expect(machine.stored()['active']).not.toBe(null);
  });
});

test('the loop enrols by itself, survives a full disk, and ends at once', async () => {
  const panel = await testPanel();
  const machine = new Machine();
  machine.random = 0;
  const deps = machine.deps(panel);
  let isFull = true;
  const keeper = await machine.keeper(panel, {
    clock: { ...systemIdentityClock, sleep: (ms, signal) => systemIdentityClock.sleep(Math.min(ms, 20), signal) },
    store: {
      ...deps.store,
      save: async (identity) => {
        if (isFull) throw new Error('ENOSPC: no space left on device');
        await deps.store.save(identity);
      },
    },
  });
  machine.serial(await mintToken(panel.records, 'lb', panel.pin));
  const enrolled = new Promise<void>((resolve) => keeper.onChange(() => keeper.state() === 'active' && resolve()));
  keeper.start();
  await waitFor(() => machine.lines.join('\n').includes('no space left'), 'the complaint');
  // What cannot be stored is not asked for.
  expect(panel.requests()).toEqual([]);
  isFull = false;
  await enrolled;
  await keeper.stop();
  expect(keeper.deviceId()).toMatch(/^d-/);
  expect(await storedTrust({ kind: 'lb', panel: panel.url, pins: [] }, machine.root, {})).toEqual({ kind: 'pins', pins: [panel.pin] });
});

test('verification off is only by the variable', async () => {
  const machine = new Machine();
  const settings = { kind: 'lb', panel: 'https://panel.invalid', pins: [] } as const;
  expect(await storedTrust(settings, machine.root, {})).toBe(null);
  expect(await storedTrust(settings, machine.root, { SPATIUM_INSECURE_SKIP_TLS_VERIFY: 'true' })).toBe(null);
  expect(await storedTrust(settings, machine.root, { SPATIUM_INSECURE_SKIP_TLS_VERIFY: '1' })).toEqual({ kind: 'off' });
});
