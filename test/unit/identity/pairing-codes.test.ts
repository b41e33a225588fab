import { describe, expect, test } from 'vitest';
import { mintCode, mintToken } from '../../panel/records.ts';
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
});
