import { describe, expect, test } from 'vitest';
import { ControlPlaneWatch } from '../../../src/supervisor/collectors/control-plane-look.ts';
import { pairingCollector } from '../../../src/supervisor/collectors/fleet.ts';
import { pairingOf, pairingStateOf } from '../../../src/supervisor/identity/pairing-view.ts';
import { hostView } from '../../../src/system/observe.ts';
import { mintCode, mintToken } from '../../panel/records.ts';
import { testPanel } from '../panel/support.ts';
import { Machine, poll } from './support.ts';

describe('the pairing section of a box that asks a panel', () => {
  test('from the first attempt to the approval, and to a revocation', async () => {
    const panel = await testPanel();
    const machine = new Machine();
    const code = await mintCode(panel.records, 'lb');
    machine.code(code);
    const keeper = await machine.keeper(panel);
    const collector = pairingCollector(hostView(machine.root), new ControlPlaneWatch(() => 0), (hasCode) => pairingOf(keeper, hasCode));
    const section = async () => {
      const found = await collector.collect();
      if (found.state !== 'ok') throw new Error(found.state);
      expect(JSON.stringify(found)).not.toContain(code);
      return found.data;
    };
    expect(await section()).toMatchObject({ applicable: true, state: 'registering', code_present: true, attempts: 0, retry_at: null });
    await panel.faults({ pair: { do: 'status', status: 503 } });
    await machine.step(keeper);
    expect(await section()).toMatchObject({
      state: 'registering',
      attempts: 1,
      last_error: { code: 'ENR-503', http_status: 503 },
      pinned: true,
    });
    expect((await section()).retry_at).toMatch(/Z$/);
    await panel.faults({});
    await machine.step(keeper);
    expect(await section()).toMatchObject({ state: 'awaiting', code_present: false, last_error: null, approved_at: null });
    await panel.records.change((r) => {
      for (const device of r.devices) device.state = 'active';
    });
    await machine.step(keeper);
    expect(await section()).toMatchObject({ state: 'paired', approved_at: expect.any(String), revocation: null, retry_at: null });
    await panel.records.change((r) => {
      for (const device of r.devices) device.state = 'revoked';
    });
    await poll(keeper);
    expect(await section()).toMatchObject({ state: 'paired', revocation: { strikes: 1, header: 'revoked' } });
    await poll(keeper);
    expect(await section()).toMatchObject({ state: 'revoked', revocation: { strikes: 2, header: 'revoked' } });
  });

  test('a box with a token is not paired', async () => {
    const panel = await testPanel();
    const machine = new Machine();
    machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    const keeper = await machine.keeper(panel);
    await machine.step(keeper);
    expect(pairingOf(keeper, false)).toBe(null);
  });

  test.each([
    ['enrolling', 'ENR-UNREACHABLE', 'unreachable'],
    ['enrolling', 'ENR-TLS_CLOCK', 'unreachable'],
    ['enrolling', 'ENR-TLS_PIN', 'pin_mismatch'],
    ['enrolling', 'ENR-404', 'registering'],
    ['token_refused', 'ENR-401', 'code_rejected'],
    ['used_elsewhere', 'ENR-409', 'code_rejected'],
    ['token_expired', 'ENR-410', 'code_rejected'],
    ['retired', 'ENR-RETIRED', 'revoked'],
    ['no_token', 'ENR-EMPTY', 'no_code'],
  ] as const)('%s with %s is %s', (state, code, shown) => {
    expect(pairingStateOf(state, code)).toBe(shown);
  });
});
