/**
 * A load balancer from its first boot, in a virtual machine: the token of its SMBIOS serial, one identity, a configuration that its own
 * HAProxy runs under systemd; the same token again; and a copy of its disk in another machine. The panel is on the host.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { BOOT_MS, installLocked, LOCKED_DISK, lockedIso } from '../lib/locked.ts';
import { blankDisk, inspectDisk, withSlotA } from '../lib/media.ts';
import { balancer, PanelLab } from '../lib/panel-lab.ts';
import { Vm } from '../lib/qemu.ts';
import { until as waitUntil } from '../lib/until.ts';

/** How long a box that must not poll is watched: several intervals. */
const SILENCE_MS = 40_000;

let dir = '';
let disk = '';
let lab: PanelLab;
let vm: Vm | null = null;
const uuid = randomUUID();

const boot = (file: string, machine: string): Promise<Vm> =>
  Vm.start({ firmware: 'bios', disk: file, isOnline: true, hardware: lab.hardware(machine) });

const until = (check: () => boolean, what: string, waitMs: number): Promise<void> =>
  waitUntil(vm, check, what, waitMs, () => `the panel saw:\n${lab.seen.join('\n')}`);

beforeAll(async () => {
  lockedIso();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-enrol-'));
  const config = balancer({ address: '127.0.0.1', port: 8080 }, { address: '192.0.2.10', port: 80 });
  lab = await PanelLab.open(path.join(dir, 'panel'), config);
});
afterEach(async () => {
  await vm?.stop();
  vm = null;
});
afterAll(async () => {
  await lab?.close();
  fs.rmSync(dir, { recursive: true, force: true });
});
// What comes after a machine that is not there only waits for its limit.
beforeEach(({ task }) => {
  if (task.name !== 'is installed' && disk === '') throw new Error('nothing was installed');
});

test('is installed', async () => {
  const blank = LOCKED_DISK || blankDisk(dir, 40);
  if (LOCKED_DISK === '') await installLocked(dir, blank, { hostname: 'lb-enrol', password: 'Zx9-enrol-only-here' });
  disk = withSlotA(blank, dir, 'lb', (root) => lab.settle(root));
});

test('enrols at its first boot and runs what it is told, and no log has the token', async () => {
  vm = await boot(disk, uuid);
  await until(() => lab.reports().some((report) => report.applied_version === 1), 'applied configuration', BOOT_MS);
  expect((await lab.panel.records.read()).devices).toMatchObject([{ state: 'active', product_uuid: uuid }]);
  expect(lab.reports()[0]).toMatchObject({ state: 'applied', daemon_version: expect.stringMatching(/^3\./) });
  await vm.screen.waitFor(/Panel +enrolled +Config 1/, 60_000, 'the console says so');
  expect(vm.screen.raw).not.toContain(lab.token);
  expect(lab.seen.join('\n')).not.toContain(lab.token);
});

test('the same token at the next boot does nothing', async () => {
  lab.seen.length = 0;
  vm = await boot(disk, uuid);
  await until(
    () => lab.seen.filter((line) => line.includes('/v1/lb/config') && line.includes(' 304 ')).length > 1,
    'unchanged poll',
    BOOT_MS,
  );
  expect(lab.seen.filter((line) => line.includes('/v1/enroll'))).toEqual([]);
  expect((await lab.panel.records.read()).devices).toHaveLength(1);
});

test('a copy of the disk in another machine asks nothing and says why', async () => {
  lab.seen.length = 0;
  vm = await boot(disk, randomUUID());
  await vm.screen.waitFor(/CLONED|copy of another/i, BOOT_MS, 'the reason on the console');
  await pause(SILENCE_MS);
  expect(lab.seen.filter((line) => line.includes('/v1/'))).toEqual([]);
  await vm.stop();
  inspectDisk(disk, dir, ({ ext4 }) => expect(fs.existsSync(path.join(ext4('var'), 'lib/spatiumddi/identity/identity.json'))).toBe(true));
});
