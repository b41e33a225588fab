/**
 * A load balancer from its first boot, in a virtual machine: the token of its SMBIOS serial, one identity, a configuration that its own
 * HAProxy runs under systemd; the same token again; and a copy of its disk in another machine. The panel is on the host.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '#model/pull.ts';
import { mintToken } from '../../panel/records.ts';
import { type Panel, startPanel } from '../../panel/server.ts';
import { answerVolume, blankDisk, directBoot, inspectDisk, withSlotA } from '../lib/media.ts';
import { Vm } from '../lib/qemu.ts';

const ISO = process.env['SPATIUM_LOCKED_ISO'] ?? path.resolve(import.meta.dirname, '../../../dist/spatium-locked.iso');
const BOOT_MS = 900_000;
const INSTALL_MS = 1_500_000;
/** How long a box that must not poll is watched: several intervals. */
const SILENCE_MS = 40_000;
const answers = `#cloud-config
spatium_preseed:
  unattended: true
  target_disk: /dev/vda
  confirm_wipe: true
  hostname: lb-enrol
  admin_user: ops
  admin_password: "Zx9-enrol-only-here"
  timezone: UTC
  after_install: poweroff
  role: appliance
  network: { mode: dhcp }
  control_plane_url: "https://cp.example.test"
  pairing_code: "73519264"
`;

let dir = '';
let disk = '';
let panel: Panel;
let token = '';
let vm: Vm | null = null;
const seen: string[] = [];
const uuid = randomUUID();

const boot = (file: string, machine: string): Promise<Vm> =>
  Vm.start({
    firmware: 'bios',
    disk: file,
    isOnline: true,
    hardware: ['-smbios', `type=1,serial=${token},uuid=${machine}`],
  });

const reports = (): StatusReport[] => {
  const at = path.join(dir, 'panel/status');
  if (!fs.existsSync(at)) return [];
  const names = fs.readdirSync(at).filter((name) => /^[^.].*\.json$/.test(name));
  return names.map((name) => JSON.parse(fs.readFileSync(path.join(at, name), 'utf8')) as StatusReport);
};

async function until(check: () => boolean, what: string, waitMs: number): Promise<void> {
  for (const endMs = Date.now() + waitMs; !check(); await pause(200))
    if (Date.now() > endMs || !vm?.running) throw new Error(`no ${what}; the panel saw:\n${seen.join('\n')}\n${vm?.screen.text()}`);
}

beforeAll(async () => {
  if (!fs.existsSync(ISO)) throw new Error(`${ISO} does not exist; run "npm run build" and, as root, "npm run image -- --profile locked"`);
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-enrol-'));
  fs.mkdirSync(path.join(dir, 'panel/config'), { recursive: true });
  const config = {
    listeners: [{ name: 'web', address: '127.0.0.1', port: 8080, default_backend: 'app' }],
    backends: [{ name: 'app', servers: [{ name: 'one', address: '192.0.2.10', port: 80 }] }],
  };
  fs.writeFileSync(path.join(dir, 'panel/config/lb.json'), JSON.stringify(config));
  panel = await startPanel({ dir: path.join(dir, 'panel'), log: (line) => seen.push(line) });
  token = await mintToken(panel.records, 'lb', panel.pin);
});
afterEach(async () => {
  await vm?.stop();
  vm = null;
});
afterAll(async () => {
  await panel?.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

test('is installed', async () => {
  const blank = blankDisk(dir, 40);
  vm = await Vm.start({ firmware: 'bios', iso: ISO, disk: blank, volumes: [answerVolume(dir, answers)], hardware: directBoot(ISO, dir) });
  await vm.ended(INSTALL_MS, /HALTED|FAILED at .*|service ended: .*/);
  const settings = { kind: 'lb', panel: `https://10.0.2.2:${panel.port}`, pins: [] };
  // An image of a panel of its own brings this file; here the panel's port is known only now.
  disk = withSlotA(blank, dir, 'lb', (root) => fs.writeFileSync(path.join(root, 'usr/lib/spatiumddi/pull.json'), JSON.stringify(settings)));
});

test('enrols at its first boot and runs what it is told, and no log has the token', async () => {
  vm = await boot(disk, uuid);
  await until(() => reports().some((report) => report.applied_version === 1), 'applied configuration', BOOT_MS);
  expect((await panel.records.read()).devices).toMatchObject([{ state: 'active', product_uuid: uuid }]);
  expect(reports()[0]).toMatchObject({ state: 'applied', daemon_version: expect.stringMatching(/^3\./) });
  await vm.screen.waitFor(/Panel +enrolled +Config 1/, 60_000, 'the console says so');
  expect(vm.screen.raw).not.toContain(token);
  expect(seen.join('\n')).not.toContain(token);
});

test('the same token at the next boot does nothing', async () => {
  seen.length = 0;
  vm = await boot(disk, uuid);
  await until(() => seen.filter((line) => line.includes('/v1/lb/config') && line.includes(' 304 ')).length > 1, 'unchanged poll', BOOT_MS);
  expect(seen.filter((line) => line.includes('/v1/enroll'))).toEqual([]);
  expect((await panel.records.read()).devices).toHaveLength(1);
});

test('a copy of the disk in another machine asks nothing and says why', async () => {
  seen.length = 0;
  vm = await boot(disk, randomUUID());
  await vm.screen.waitFor(/CLONED|copy of another/i, BOOT_MS, 'the reason on the console');
  await pause(SILENCE_MS);
  expect(seen.filter((line) => line.includes('/v1/'))).toEqual([]);
  await vm.stop();
  inspectDisk(disk, dir, ({ ext4 }) => expect(fs.existsSync(path.join(ext4('var'), 'lib/spatiumddi/identity/identity.json'))).toBe(true));
});
