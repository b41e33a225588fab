/** What the panel said of this box outlives the process and the power. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../src/model/limits.ts';
import { mintCode, mintToken } from '../../panel/records.ts';
import { testPanel } from '../panel/support.ts';
import { Machine, poll } from './support.ts';

const MINUTE_MS = 60_000;

async function enrolled(by: 'token' | 'code' = 'token') {
  const panel = await testPanel();
  const machine = new Machine();
  if (by === 'token') machine.serial(await mintToken(panel.records, 'lb', panel.pin));
  else machine.code(await mintCode(panel.records, 'lb'));
  let keeper = await machine.keeper(panel);
  const say = (state: 'active' | 'revoked' | 'retired') =>
    panel.records.change((r) => {
      for (const device of r.devices) device.state = state;
    });
  await machine.step(keeper);
  await say('active');
  await machine.step(keeper);
  await poll(keeper);
  const file = path.join(machine.root, PATHS.pullIdentity, 'standing.json');
  return {
    panel,
    machine,
    say,
    file,
    get keeper() {
      return keeper;
    },
    /** SIGKILL: nothing is told to end. `sleptMs`: how far the wall clock has gone meanwhile. */
    restart: async (sleptMs = 0) => {
      const { nowMs } = machine;
      // Monotonic time begins anew, somewhere else.
      machine.nowMs = nowMs + sleptMs;
      keeper = await machine.keeper(panel);
      return keeper;
    },
  };
}

describe('a restart', () => {
  test('between strikes forgets none of them', async () => {
    const box = await enrolled();
    await box.panel.faults({ config: { do: 'status', status: 401 } });
    for (let i = 0; i < 2; i++) {
      await box.restart();
      expect([i, box.keeper.state()]).toEqual([i, 'active']);
      await poll(box.keeper);
      box.machine.nowMs += 3 * MINUTE_MS;
      await poll(box.keeper);
    }
    expect(box.keeper.state()).toBe('revoked');
    expect((await box.restart()).state()).toBe('revoked');
    // Nothing was deleted, and one accepted request makes it good.
    await box.panel.faults({});
    expect(await poll(box.keeper)).toBe(204);
    expect(box.keeper.state()).toBe('active');
    expect(fs.existsSync(box.file)).toBe(false);
    expect((await box.restart()).state()).toBe('active');
  });

  test('after a week without power does not make five minutes of two strikes', async () => {
    const box = await enrolled();
    await box.panel.faults({ config: { do: 'status', status: 401 } });
    await poll(box.keeper);
    await poll(box.keeper);
    await box.restart(7 * 86_400_000);
    await poll(box.keeper);
    expect(box.keeper.state()).toBe('active');
    box.machine.nowMs += 5 * MINUTE_MS;
    await poll(box.keeper);
    expect(box.keeper.state()).toBe('revoked');
  });

  test('a retired box stays retired, as the console says at once and without the panel', async () => {
    const box = await enrolled();
    await box.say('retired');
    await poll(box.keeper);
    await box.restart();
    box.machine.nowMs += MINUTE_MS;
    expect(box.keeper.state()).toBe('active');
    await poll(box.keeper);
    expect(box.keeper.state()).toBe('retired');
    const asked = box.panel.requests().length;
    expect([(await box.restart()).state(), box.keeper.words().code]).toEqual(['retired', 'ENR-RETIRED']);
    expect(box.panel.requests()).toHaveLength(asked);
    expect(box.keeper.credential()).not.toBe(null);
  });

  test('a paired box that was revoked on purpose says so, and half a revocation counts on', async () => {
    const box = await enrolled('code');
    await box.say('revoked');
    await poll(box.keeper);
    await box.restart();
    expect(box.keeper.state()).toBe('active');
    await poll(box.keeper);
    expect(box.keeper.state()).toBe('revoked');
    await box.restart();
    expect([box.keeper.state(), box.keeper.standing().revocation]).toEqual(['revoked', 'revoked']);
  });

  test('an enrolment that was revoked while it waited stays so until an operator changes his mind', async () => {
    const panel = await testPanel();
    const machine = new Machine();
    machine.code(await mintCode(panel.records, 'lb'));
    const keeper = await machine.keeper(panel);
    const say = (state: 'awaiting' | 'revoked') =>
      panel.records.change((r) => {
        for (const device of r.devices) device.state = state;
      });
    await machine.step(keeper);
    await say('revoked');
    await machine.step(keeper);
    await machine.step(keeper);
    expect(keeper.state()).toBe('revoked');
    const again = await machine.keeper(panel);
    expect(again.state()).toBe('revoked');
    await panel.faults({ '*': { do: 'status', status: 503, times: 1 } });
    await machine.step(again);
    expect(again.state()).toBe('revoked');
    await say('awaiting');
    await machine.step(again);
    expect(again.state()).toBe('awaiting_approval');
  });

  test('a new identity owes nothing to the old one', async () => {
    const box = await enrolled();
    await box.say('retired');
    await poll(box.keeper);
    box.machine.nowMs += MINUTE_MS;
    await poll(box.keeper);
    expect(box.keeper.state()).toBe('retired');
    box.machine.serial(await mintToken(box.panel.records, 'lb', box.panel.pin));
    await box.restart();
    await box.machine.step(box.keeper);
    expect(box.keeper.state()).toBe('active');
    expect(await poll(box.keeper)).toBe(204);
    expect((await box.restart()).state()).toBe('active');
  });

  test.each(['{', '{"x": 1}', '[]', '\u0000'])('a damaged record %j costs the strikes and nothing else', async (text) => {
    const box = await enrolled();
    fs.writeFileSync(box.file, text);
    await box.restart();
    expect(await poll(box.keeper)).toBe(204);
  });

  test('a disk that takes nothing hides no refusal from the process that heard it', async () => {
    const box = await enrolled();
    fs.mkdirSync(box.file);
    await box.say('retired');
    await poll(box.keeper);
    box.machine.nowMs += MINUTE_MS;
    await poll(box.keeper);
    expect(box.keeper.state()).toBe('retired');
    expect(box.machine.lines.join('\n')).toContain('cannot be stored');
  });
});
