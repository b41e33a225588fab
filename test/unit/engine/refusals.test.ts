/** Runs that must stop before anything is written, with the real engine and real files; no tool is started. */
import crypto from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineOptions } from '#installer/engine/context.ts';
import { runPlan } from '#installer/engine/run-plan.ts';
import { GIB } from '#model/limits.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import type { EngineEvent } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { identityOf } from '#rules/disks.ts';
import { bareDisk, bareMachine } from '../../support/machines.ts';
import { planFor } from '../plan/samples.ts';

const device = bareDisk('sdx', { path: '/dev/no-such-disk-sdx', model: 'BENCH', serial: 'SN-1', wwn: '0x5000000000000001' });
const machineOf = (change: Partial<BlockDevice> = {}, more: Partial<Machine> = {}): Machine =>
  bareMachine({ firmware: 'bios', devices: [{ ...device, ...change }], ...more });

let dir = '';
beforeEach(async () => {
  dir = await fs.mkdtemp(path.join(os.tmpdir(), 'spatium-engine-'));
  await fs.writeFile(path.join(dir, 'image.squashfs'), 'x');
});
afterEach(() => fs.rm(dir, { recursive: true, force: true }));

async function attempt(now: Machine, more: Partial<EngineOptions> = {}) {
  const events: EngineEvent[] = [];
  const plan = planFor({ machine: machineOf(), target: identityOf(machineOf(), 'sdx') });
  const result = await runPlan(plan, {
    secrets: { adminPassword: new Secret('correct-horse'), adminPasswordHash: null, pairingCode: null },
    sourceSquashfs: path.join(dir, 'image.squashfs'),
    targetRoot: path.join(dir, 'target'),
    logDir: path.join(dir, 'logs'),
    reprobe: async () => now,
    onEvent: (e) => events.push(e),
    ...more,
  });
  return { result, events, log: await fs.readFile(path.join(dir, 'logs/install.log'), 'utf8') };
}

describe('refusals at the door', () => {
  it.each<[string, Machine, RegExp]>([
    ['another serial number', machineOf({ serial: 'SN-2' }), /serial number was SN-1 and is now SN-2/],
    ['another size', machineOf({ sizeBytes: 41 * GIB }), /size was/],
    ['a table that was not there', machineOf({ partitionTable: 'gpt', partitionTableUuid: 'abc' }), /partition table was/],
    ['a disk that went away', bareMachine(), /not there any more/],
    ['a disk that became read-only', machineOf({ readOnly: true }), /cannot be installed on/],
    ['an account of the image', machineOf({}, { accounts: ['root', 'admin'] }), /already has an account admin/],
  ])('%s stops the run with nothing written', async (_name, now, message) => {
    const { result, events } = await attempt(now);
    expect(result).toMatchObject({ ok: false, nothingWritten: true });
    expect(result.failure?.message).toMatch(message);
    expect(result.failure?.id).toBe('check-identity');
    expect(events.at(-1)?.type).toBe('failed');
  });

  it('stops at a missing image and at an error of the rules, both in words', async () => {
    expect((await attempt(machineOf(), { sourceSquashfs: '/nowhere/x.squashfs' })).result.failure?.message).toMatch(
      /is the medium still in place/,
    );
    const rules = [{ severity: 'error' as const, rule: 'hostname.dot', path: 'hostname', message: 'has a dot' }];
    expect((await attempt(machineOf(), { judgeAgain: () => rules })).result.failure?.message).toBe('hostname: has a dot');
  });

  it('stops at an image that is not the one of its checksum', async () => {
    await fs.writeFile(path.join(dir, 'image.squashfs.sha256'), `${'0'.repeat(64)}  image.squashfs\n`);
    const { result } = await attempt(machineOf());
    expect(result).toMatchObject({ nothingWritten: true, failure: { id: 'check-identity' } });
    expect(result.failure?.message).toMatch(/image\.squashfs is not what was written to the medium \(2d711642b7.*write the medium anew/);
    const sum = crypto.createHash('sha256').update('x').digest('hex');
    await fs.writeFile(path.join(dir, 'image.squashfs.sha256'), `${sum}  image.squashfs\n`);
    expect((await attempt(machineOf())).result.failure?.message).toMatch(/cannot be read; is the medium damaged/);
  });

  it('does not begin when it was stopped before, and says so', async () => {
    const { result } = await attempt(machineOf(), { signal: AbortSignal.abort() });
    expect(result.failure?.message).toMatch(/stopped on request/);
    expect(result.nothingWritten).toBe(true);
  });

  it('admits one installation at a time', async () => {
    const [asked, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const reprobe = async () => {
      asked.resolve();
      await letGo.promise;
      return machineOf();
    };
    const hold = attempt(machineOf(), { reprobe });
    await asked.promise;
    await expect(attempt(machineOf())).rejects.toThrow(/is held by process/);
    letGo.resolve();
    await hold;
  });
});
