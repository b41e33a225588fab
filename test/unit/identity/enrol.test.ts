import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../panel/faults.ts';
import { mintToken } from '../../panel/records.ts';
import { testPanel } from '../panel/support.ts';
import { Machine, OTHER_UUID, poll, UUID } from './support.ts';

async function withToken(pin: 'pin' | null = 'pin') {
  const panel = await testPanel();
  const machine = new Machine();
  const token = await mintToken(panel.records, 'lb', pin === null ? null : panel.pin);
  machine.serial(token);
  return { panel, machine, token };
}

describe('enrolling', () => {
  test('once, stored, used; a restart asks nothing more', async () => {
    const { panel, machine, token } = await withToken();
    const keeper = await machine.keeper(panel);
    expect(keeper.state()).toBe('enrolling');
    expect(keeper.credential()).toBe(null);
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
    expect(await poll(keeper)).toBe(204);
    const deviceId = keeper.deviceId();
    expect(machine.forgotten).toEqual([deviceId]);
    await keeper.stop();
    const again = await machine.keeper(panel);
    expect(again.state()).toBe('active');
    await machine.step(again);
    expect(await poll(again)).toBe(204);
    expect(again.deviceId()).toBe(deviceId);
    expect(panel.requests().filter((r) => r.includes('enroll'))).toHaveLength(1);
    expect(statSync(machine.file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(machine.file)).mode & 0o777).toBe(0o700);
    const stored = readFileSync(machine.file, 'utf8');
    expect(stored).not.toContain(token);
    expect(JSON.parse(stored)).toMatchObject({ active: { confirmed_at: expect.any(String), product_uuid: UUID }, pending: null });
  });

  test('the token and the secret are in no log, and the panel stores hashes only', async () => {
    const { panel, machine, token } = await withToken(null);
    const keeper = await machine.keeper(panel);
    await machine.step(keeper);
    const secret = keeper.credential()?.reveal() ?? '';
    expect(secret).toHaveLength(43);
    for (const text of [machine.lines.join('\n'), JSON.stringify(await panel.records.read()), panel.requests().join('\n')]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(token.slice(3));
      expect(text).not.toContain(secret);
    }
  });

  test('first contact: the key is stored before a byte is sent, and told', async () => {
    const { panel, machine } = await withToken(null);
    let seen = '';
    const deps = machine.deps(panel);
    const keeper = await machine.keeper(panel, {
      connect: (to, trust) => {
        seen = `${readFileSync(machine.file, 'utf8')} ${panel.receivedBytes()}`;
        return deps.connect(to, trust);
      },
    });
    await machine.step(keeper);
    expect(seen).toContain(`"${panel.pin}"`);
    expect(seen).toMatch(/ 0$/);
    expect(machine.lines.join('\n')).toContain(panel.pin);
    expect(machine.lines.join('\n')).toMatch(/SHA-256 fingerprint of the certificate ([0-9A-F]{2}:){31}/);
    expect(keeper.state()).toBe('active');
  });

  test('a token with the key of another panel is told to nobody', async () => {
    const panel = await testPanel();
    const machine = new Machine();
    machine.serial(await mintToken(panel.records, 'lb', 'A'.repeat(43)));
    const keeper = await machine.keeper(panel);
    const ms = await machine.step(keeper);
    expect(keeper.words()).toMatchObject({ code: 'ENR-TLS_PIN' });
    expect(ms).toBeGreaterThanOrEqual(150_000);
    expect(panel.receivedBytes()).toBe(0);
  });

  test('the folder is closed to others, also when it was open before; leftovers of a crash go', async () => {
    const { panel, machine } = await withToken();
    await machine.keeper(panel);
    const dir = path.dirname(machine.file);
    writeFileSync(path.join(dir, '.identity.json.99.0123456789ab.new'), 'half a secret');
    await machine.keeper(panel);
    expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('the replies of the panel', () => {
  const minutes = (n: number) => n * 60_000;
  test.each<[string, Fault, string, string, number, number]>([
    ['401', { do: 'status', status: 401 }, 'enrolling', 'ENR-401', 2500, 10_000],
    ['403', { do: 'status', status: 403 }, 'enrolling', 'ENR-403', 2500, 10_000],
    ['404', { do: 'status', status: 404 }, 'enrolling', 'ENR-404', minutes(2.5), minutes(5)],
    ['409', { do: 'status', status: 409 }, 'used_elsewhere', 'ENR-409', 5000, 5000],
    ['410', { do: 'status', status: 410 }, 'token_expired', 'ENR-410', 5000, 5000],
    ['422', { do: 'status', status: 422 }, 'enrolling', 'ENR-422', minutes(2.5), minutes(5)],
    ['429', { do: 'status', status: 429, retry_after: '60' }, 'enrolling', 'ENR-429', 60_000, 72_000],
    ['503', { do: 'status', status: 503, retry_after: '90' }, 'enrolling', 'ENR-503', 90_000, 108_000],
    ['500', { do: 'status', status: 500 }, 'enrolling', 'ENR-500', 2500, 10_000],
    ['a redirect', { do: 'redirect' }, 'enrolling', 'ENR-302', 2500, 10_000],
    ['a sign-in page', { do: 'portal' }, 'enrolling', 'ENR-BODY', 2500, 10_000],
    ['garbage', { do: 'garbage' }, 'enrolling', 'ENR-BODY', 2500, 10_000],
    ['an empty 204', { do: 'status', status: 204 }, 'enrolling', 'ENR-204', minutes(2.5), minutes(5)],
    ['a cut reply', { do: 'cut' }, 'enrolling', 'ENR-CUT', 2500, 10_000],
    ['no reply', { do: 'reset' }, 'enrolling', 'ENR-CUT', 2500, 10_000],
  ])('%s', async (_name, fault, state, code, least, most) => {
    const { panel, machine } = await withToken();
    await panel.faults({ enroll: fault });
    const keeper = await machine.keeper(panel);
    const ms = await machine.step(keeper);
    expect([keeper.state(), keeper.words().code]).toEqual([state, code]);
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
    await panel.faults({});
    await machine.step(keeper);
    const isFinal = state !== 'enrolling';
    expect(keeper.state()).toBe(isFinal ? state : 'active');
  });

  test('401 is refused after ten minutes, then hourly, and the token is still taken when the panel knows it', async () => {
    const { panel, machine } = await withToken();
    await panel.faults({ enroll: { do: 'status', status: 401 } });
    const keeper = await machine.keeper(panel);
    const startMs = machine.nowMs;
    while (keeper.state() === 'enrolling') await machine.step(keeper);
    expect(keeper.state()).toBe('token_refused');
    const lastMs = await machine.step(keeper);
    expect(lastMs).toBeGreaterThanOrEqual(3_600_000);
    expect(machine.nowMs - startMs).toBeGreaterThan(600_000);
    await panel.faults({});
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
  });

  test('202: waits for the operator at the pace of the panel', async () => {
    const panel = await testPanel({ needsApproval: true });
    const machine = new Machine();
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    const keeper = await machine.keeper(panel);
    for (let i = 0; i < 20; i++) expect(await machine.step(keeper)).toBeLessThanOrEqual(10_000);
    expect(keeper.state()).toBe('awaiting_approval');
    expect(keeper.credential()).toBe(null);
    await panel.records.change((r) => {
      for (const device of r.devices) device.state = 'active';
    });
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
    expect((await panel.records.read()).devices).toHaveLength(1);
  });

  test('409 and 410 are not asked about again until a new start or a new token', async () => {
    const { panel, machine } = await withToken();
    await panel.faults({ enroll: { do: 'status', status: 409 } });
    const keeper = await machine.keeper(panel);
    for (let i = 0; i < 50; i++) await machine.step(keeper);
    expect(panel.requests()).toHaveLength(1);
    expect(keeper.words().message).toContain('ANOTHER MACHINE HAS USED');
    const restarted = await machine.keeper(panel);
    await machine.step(restarted);
    expect(panel.requests()).toHaveLength(2);
    await panel.faults({});
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    await machine.step(restarted);
    expect(restarted.state()).toBe('active');
  });
});

describe('token against stored identity', () => {
  async function enrolledMachine() {
    const { panel, machine, token } = await withToken();
    const keeper = await machine.keeper(panel);
    await machine.step(keeper);
    await poll(keeper);
    await keeper.stop();
    return { panel, machine, token, deviceId: keeper.deviceId() };
  }

  test('a new token: the old identity polls on, and gives way on the 200', async () => {
    const { panel, machine, deviceId } = await enrolledMachine();
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    await panel.faults({ enroll: { do: 'status', status: 503 } });
    const keeper = await machine.keeper(panel);
    await machine.step(keeper);
    expect([keeper.state(), keeper.deviceId()]).toEqual(['enrolling', deviceId]);
    expect(await poll(keeper)).toBe(204);
    await panel.faults({});
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
    expect(keeper.deviceId()).not.toBe(deviceId);
    expect(machine.forgotten.at(-1)).toBe(keeper.deviceId());
    expect(machine.stored()['previous']).toMatchObject({ device_id: deviceId });
    expect(await poll(keeper)).toBe(204);
    await keeper.stop();
    expect(machine.stored()['previous']).toBe(null);
  });

  test('a copied disk never polls, and takes a token of its own', async () => {
    const { panel, machine, deviceId } = await enrolledMachine();
    machine.uuid(OTHER_UUID);
    const before = panel.requests().length;
    const keeper = await machine.keeper(panel);
    for (let i = 0; i < 10; i++) await machine.step(keeper);
    expect([keeper.state(), keeper.credential(), keeper.deviceId()]).toEqual(['cloned', null, null]);
    expect(await poll(keeper)).toBe('no credential');
    expect(panel.requests().length).toBe(before);
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
    expect(keeper.deviceId()).not.toBe(deviceId);
  });

  test('the same machine whose firmware writes the UUID the other way round is no copy', async () => {
    const { panel, machine } = await enrolledMachine();
    machine.uuid('44332211-6655-8877-99AA-BBCCDDEEFF00');
    expect((await machine.keeper(panel)).state()).toBe('active');
  });

  test('a copy made in the middle of an enrolment does not share it', async () => {
    const { panel, machine } = await withToken();
    await panel.faults({ enroll: { do: 'lost', times: 1 } });
    const first = await machine.keeper(panel);
    await machine.step(first);
    machine.uuid(OTHER_UUID);
    const copy = await machine.keeper(panel);
    await machine.step(copy);
    expect(copy.state()).toBe('used_elsewhere');
    machine.uuid(UUID);
    expect((await panel.records.read()).devices).toHaveLength(1);
  });

  test('a pending enrolment with another token starts over', async () => {
    const { panel, machine } = await withToken();
    await panel.faults({ enroll: { do: 'status', status: 503 } });
    const first = await machine.keeper(panel);
    await machine.step(first);
    const before = machine.stored()['pending'] as Record<string, string>;
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    await panel.faults({});
    const second = await machine.keeper(panel);
    await machine.step(second);
    expect(second.state()).toBe('active');
    const active = machine.stored()['active'] as Record<string, string>;
    expect(active['enrollment_id']).not.toBe(before['enrollment_id']);
    expect(active['secret']).not.toBe(before['secret']);
  });

  test.each([
    ['half', '{"schema": 1, "act'],
    ['empty', ''],
    ['of another schema', '{"schema": 9}'],
    ['of another shape', '{"schema":1,"active":7}'],
  ])('a file that is %s is set aside and counts as none', async (_name, content) => {
    const { panel, machine } = await enrolledMachine();
    writeFileSync(machine.file, content);
    const keeper = await machine.keeper(panel);
    expect(keeper.state()).toBe('enrolling');
    expect(readFileSync(`${machine.file}.corrupt`, 'utf8')).toBe(content);
    await machine.step(keeper);
    // The panel forgot the token at the first poll, so only a new one helps.
    expect(keeper.state()).toBe('token_expired');
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
  });
});
