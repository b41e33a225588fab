import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AskPanel, PanelRequest } from '../../../src/model/pull.ts';
import { mintCode, mintToken, sha256 } from '../../panel/records.ts';
import { testPanel } from '../panel/support.ts';
import { Machine, poll } from './support.ts';

describe('pairing codes', () => {
  async function paired() {
    const panel = await testPanel();
    const machine = new Machine();
    const code = await mintCode(panel.records, 'lb');
    machine.code(code);
    const keeper = await machine.keeper(panel);
    return { panel, machine, keeper, code };
  }
  const set = (panel: Awaited<ReturnType<typeof testPanel>>, state: 'active' | 'revoked') =>
    panel.records.change((r) => {
      for (const device of r.devices) device.state = state;
    });

  test('waits for approval; the code is gone as soon as it is bound to us, and in no log', async () => {
    const { panel, machine, keeper, code } = await paired();
    await machine.step(keeper);
    expect(keeper.state()).toBe('awaiting_approval');
    expect(await machine.deps(panel).code.read()).toBe(null);
    await machine.step(keeper);
    expect(keeper.state()).toBe('awaiting_approval');
    await set(panel, 'active');
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
    expect(await poll(keeper)).toBe(204);
    expect([...machine.lines, JSON.stringify(machine.stored())].join('\n')).not.toContain(code);
  });

  test('revoked by 403 with its header, twice; never by less', async () => {
    const { panel, machine, keeper } = await paired();
    await machine.step(keeper);
    await set(panel, 'active');
    await machine.step(keeper);
    for (const status of [401, 403, 404]) {
      await panel.faults({ config: { do: 'status', status } });
      for (let i = 0; i < 10; i++) {
        machine.nowMs += 120_000;
        await poll(keeper);
      }
      expect(keeper.state()).toBe('active');
    }
    await panel.faults({});
    await set(panel, 'revoked');
    expect(await poll(keeper)).toBe(403);
    expect(keeper.state()).toBe('active');
    expect(await poll(keeper)).toBe(403);
    expect(keeper.state()).toBe('revoked');
    await set(panel, 'active');
    await poll(keeper);
    expect(keeper.state()).toBe('active');
  });

  test('one left by the installation goes when the token has enrolled this box; a copy of its disk then asks nobody', async () => {
    const panel = await testPanel();
    const machine = new Machine();
    machine.code('00000000');
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    const keeper = await machine.keeper(panel);
    await machine.step(keeper);
    await machine.step(keeper);
    expect([keeper.state(), keeper.words().code]).toEqual(['active', null]);
    expect(await machine.deps(panel).code.read()).toBe(null);
    machine.uuid('11111111-2222-4333-8444-555555555555');
    const copy = await machine.keeper(panel);
    const asked = panel.requests().length;
    await machine.step(copy);
    expect([copy.state(), panel.requests().length]).toEqual(['cloned', asked]);
    // Set by an operator, it is meant.
    machine.code(await mintCode(panel.records, 'lb'));
    await machine.step(copy);
    expect(copy.state()).toBe('awaiting_approval');
  });

  test('a wrong code is not tried again at once: the panel shuts out who guesses', async () => {
    const { panel, machine, keeper } = await paired();
    machine.code('00000000');
    const ms = await machine.step(keeper);
    expect(keeper.state()).toBe('token_refused');
    expect(ms).toBeGreaterThanOrEqual(3_600_000);
    expect(panel.requests()).toHaveLength(1);
  });

  test('a new code pairs anew; something that is no code does nothing', async () => {
    const { panel, machine, keeper } = await paired();
    await machine.step(keeper);
    await set(panel, 'active');
    await machine.step(keeper);
    await poll(keeper);
    const before = keeper.deviceId();
    machine.code('not digits');
    await machine.step(keeper);
    expect(keeper.state()).toBe('active');
    machine.code(await mintCode(panel.records, 'lb'));
    await machine.step(keeper);
    expect(keeper.state()).toBe('awaiting_approval');
    expect(await poll(keeper)).toBe(204);
    await set(panel, 'active');
    await machine.step(keeper);
    expect(keeper.deviceId()).not.toBe(before);
  });

  test('the code of this identity typed again changes nothing, is said, and goes', async () => {
    const { panel, machine, keeper, code } = await paired();
    await machine.step(keeper);
    await set(panel, 'active');
    await machine.step(keeper);
    const before = keeper.deviceId();
    machine.code(code);
    await machine.step(keeper);
    expect([keeper.state(), keeper.deviceId()]).toEqual(['active', before]);
    expect(await machine.deps(panel).code.read()).toBe(null);
    expect(machine.lines.at(-1)).toContain('has done its work here');
  });

  test('speaks the wire of the specification: register with code, hostname and key, then ask with the session token', async () => {
    const { panel, machine, code } = await paired();
    const asked: PanelRequest[] = [];
    const deps = machine.deps(panel);
    const keeper = await machine.keeper(panel, {
      connect: (to, trust) => {
        const client = deps.connect(to, trust);
        const ask: AskPanel = (request, signal) => {
          asked.push(request);
          return client.ask(request, signal);
        };
        return { ...client, ask };
      },
    });
    await machine.step(keeper);
    const base = '/api/v1/appliance/supervisor';
    expect(asked.map((r) => `${r.method} ${r.path}`)).toEqual([`POST ${base}/register`, `POST ${base}/poll`]);
    const [register, wait] = asked;
    expect(register?.bearer).toBe(null);
    expect(register?.body).toMatchObject({ code, kind: 'lb', agent_version: '1.2.3', hostname: null });
    const { pubkey = '' } = (register?.body ?? {}) as { pubkey?: string };
    expect(createPublicKey({ key: Buffer.from(pubkey, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyType).toBe('ed25519');
    expect(JSON.stringify(wait?.body)).not.toContain(code);
    const stored = machine.stored()['pending'] as Record<string, string>;
    expect(wait?.bearer?.reveal()).toBe(stored['secret']);
    expect((await panel.records.read()).devices[0]).toMatchObject({ pubkey, secret_sha256: sha256(stored['secret'] ?? '') });
    await set(panel, 'active');
    await machine.step(keeper);
    expect(keeper.credential()?.reveal()).toBe(stored['secret']);
  });

  test('a reply that is lost costs nothing: the same key claims the same code again', async () => {
    const { panel, machine, keeper } = await paired();
    await panel.faults({ pair: { do: 'lost', times: 2 } });
    for (let i = 0; i < 3; i++) await machine.step(keeper);
    expect(keeper.state()).toBe('awaiting_approval');
    expect((await panel.records.read()).devices).toHaveLength(1);
  });

  test.each([401, 403])('%i without the header means a wrong code, and is not hammered', async (status) => {
    const { panel, machine, keeper } = await paired();
    await panel.faults({ pair: { do: 'status', status } });
    expect(await machine.step(keeper)).toBeGreaterThanOrEqual(3_600_000);
    expect([keeper.state(), keeper.words().code]).toEqual(['token_refused', `ENR-${status}`]);
    await panel.faults({});
    await machine.step(keeper);
    expect(keeper.state()).toBe('awaiting_approval');
  });

  test('404: registration is off, and it idles', async () => {
    const { panel, machine, keeper } = await paired();
    await panel.faults({ pair: { do: 'status', status: 404 } });
    expect(await machine.step(keeper)).toBeGreaterThanOrEqual(150_000);
    expect([keeper.state(), keeper.words().code]).toEqual(['enrolling', 'ENR-404']);
  });

  test.each(['{}', '{"session_token": ""}', '{"session_token": "a\\nb"}', '{"session_token": 5}', 'null', '<html>'])(
    'a 200 with %s takes no code away',
    async (body) => {
      const { panel, machine, code } = await paired();
      const deps = machine.deps(panel);
      const keeper = await machine.keeper(panel, {
        connect: (to, trust) => ({
          ...deps.connect(to, trust),
          ask: async () => ({ kind: 'reply', status: 200, headers: { 'content-type': 'application/json' }, body }),
        }),
      });
      await machine.step(keeper);
      expect([keeper.state(), keeper.words().code]).toEqual(['enrolling', 'ENR-BODY']);
      expect((await deps.code.read())?.reveal()).toBe(code);
    },
  );

  test('the panel shuts out who guesses, and a right code counts for nothing', async () => {
    const { panel } = await paired();
    const machines = Array.from({ length: 12 }, () => new Machine());
    const states: (string | null)[] = [];
    for (const machine of machines) {
      machine.code('00000000');
      const keeper = await machine.keeper(panel);
      await machine.step(keeper);
      states.push(keeper.words().code);
    }
    expect(states).toEqual([...Array(10).fill('ENR-401'), 'ENR-429', 'ENR-429']);
  });

  test('a refusal that is no revocation is told once, by its name', async () => {
    const { panel, machine, keeper } = await paired();
    await machine.step(keeper);
    await set(panel, 'active');
    await machine.step(keeper);
    await panel.faults({ config: { do: 'status', status: 404 } });
    for (let i = 0; i < 3; i++) await poll(keeper);
    expect(machine.lines.filter((l) => l.includes('supervisor.heartbeat.refused_not_revocation'))).toHaveLength(1);
    expect(machine.lines.join()).toContain('supervisor.tls.pinned_on_first_contact');
  });
});
