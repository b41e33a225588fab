/**
 * The updater on an installed load balancer under its own systemd: the units, the sandbox, the swap, the window and the way back as
 * shipped, releases from a panel on the host. Changed for the test: the timer's numbers, and a unit that prints the journal.
 */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { StatusReport } from '#model/pull.ts';
import { signManifest } from '#supervisor/update/manifest.ts';
import { mintToken } from '../../panel/records.ts';
import { type Panel, startPanel } from '../../panel/server.ts';
import { Doorbell } from '../lib/doorbell.ts';
import { answerVolume, blankDisk, directBoot, inspectDisk, withSlotA } from '../lib/media.ts';
import { Vm } from '../lib/qemu.ts';

const REPO = path.resolve(import.meta.dirname, '../../..');
const ISO = process.env['SPATIUM_LOCKED_ISO'] ?? path.join(REPO, 'dist/spatium-locked.iso');
const BOOT_MS = 900_000;
const INSTALL_MS = 1_500_000;
/** Download, two starts in the sandbox, the swap and the window, all in software emulation. */
const VERDICT_MS = 900_000;
const SCREEN_MS = 120_000;
const F8 = '\x1b[19~';
const PORT = 8080;
const answers = `#cloud-config
spatium_preseed:
  unattended: true
  target_disk: /dev/vda
  confirm_wipe: true
  hostname: lb-update
  admin_user: ops
  admin_password: "Zx9-update-only-here"
  timezone: UTC
  after_install: poweroff
  role: appliance
  network: { mode: dhcp }
  control_plane_url: "https://cp.example.test"
  pairing_code: "73519264"
`;
/** Each line replaces a number of the shipped timer: nobody can wait for its hour. What it starts is not touched. */
const TIMER = `[Timer]
OnBootSec=
OnUnitActiveSec=
OnBootSec=20s
OnUnitInactiveSec=15s
RandomizedDelaySec=0
AccuracySec=1s
`;
const JOURNAL = `[Unit]
Description=what the test reads
[Service]
ExecStart=/bin/sh -c 'exec journalctl -b -f -n all --no-hostname -o short-monotonic >/dev/ttyS1 2>&1'
`;
const UNITS = 'usr/lib/systemd/system';

let dir = '';
let disk = '';
let panel: Panel;
let origin: http.Server;
let token = '';
let vm: Vm | null = null;
let bell: Doorbell | null = null;
let image = '';
const keys = generateKeyPairSync('ed25519');
const uuid = randomUUID();
const seen: string[] = [];
const took = (what: string, sinceMs: number): void => console.info(`${what}: ${Math.round((Date.now() - sinceMs) / 1000)} s`);

/** The journal of the machine as far as it was printed. */
const journal = (): string => {
  const file = path.join(dir, 'journal.log');
  return fs.existsSync(file) ? fs.readFileSync(file, 'latin1') : '';
};
const updaterSaid = (): string =>
  journal()
    .split(/\r?\n/)
    .filter((l) => /spatium-(update|supervisor)|Installed version|spatium\[|systemd-run|run-agent/.test(l))
    .slice(-60)
    .join('\n');

const reported = (): StatusReport['update'] => {
  const at = path.join(dir, 'panel/status');
  if (!fs.existsSync(at)) return undefined;
  const names = fs.readdirSync(at).filter((name) => /^[^.].*\.json$/.test(name));
  const reports = names.map((name) => JSON.parse(fs.readFileSync(path.join(at, name), 'utf8')) as StatusReport);
  return reports[0]?.update;
};

async function until(check: () => boolean, what: string, waitMs: number): Promise<void> {
  for (const endMs = Date.now() + waitMs; !check(); await pause(200))
    if (Date.now() > endMs || !vm?.running)
      throw new Error(`no ${what}; the panel has ${JSON.stringify(reported())}, the box said:\n${updaterSaid()}\n${vm?.screen.text()}`);
}

function publish(version: string, content: Buffer): void {
  const name = `spatium-${version}`;
  fs.mkdirSync(path.join(dir, 'panel/releases/files'), { recursive: true });
  fs.writeFileSync(path.join(dir, 'panel/releases/files', name), content);
  const fields = {
    channel: 'stable',
    version,
    url: `/v1/releases/files/${name}`,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
  const file = path.join(dir, 'panel/releases/stable.json');
  fs.writeFileSync(`${file}.new`, JSON.stringify(signManifest(fields, keys.privateKey)));
  fs.renameSync(`${file}.new`, file);
}

/** The product itself under another version. */
function built(version: string): Buffer {
  const output = path.join(dir, `build-${version}`);
  execFileSync(process.execPath, [path.join(REPO, 'scripts/build.mjs'), '--version', version, '--output', output], { stdio: 'pipe' });
  return fs.readFileSync(path.join(output, 'spatium'));
}

/** A release that passes, or does not pass, the two questions in the sandbox, and then supervises in its own way. */
const bad = (saysVersion: string, supervises: string): Buffer =>
  Buffer.from(
    `#!/bin/sh\ncase "$*" in --version) echo "spatium ${saysVersion}";; "update self-check") exit 0;; supervise) ${supervises};; *) exit 2;; esac\n`,
  );

async function boot(): Promise<void> {
  fs.rmSync(path.join(dir, 'journal.log'), { force: true });
  vm = await Vm.start({
    firmware: 'bios',
    disk,
    isOnline: true,
    hardware: [
      ...['-chardev', `file,id=journal,path=${path.join(dir, 'journal.log')}`, '-device', 'isa-serial,chardev=journal'],
      ...['-smbios', `type=1,serial=${token},uuid=${uuid}`],
    ],
  });
  bell = await Doorbell.open(vm, PORT);
}

async function powerCut(): Promise<void> {
  bell?.close();
  expect(bell?.missed ?? []).toEqual([]);
  await vm?.stop();
  vm = null;
}

/** Until the panel was told of this verdict by a process of this version. */
const verdict = (running: string, target: string, phase: string): Promise<void> =>
  until(
    () => {
      const u = reported();
      return u?.running === running && u.target === target && u.phase === phase;
    },
    `report of ${target} ${phase} from ${running}`,
    VERDICT_MS,
  );

/** On the page of the panel, on the serial line. */
async function consoleShows(wanted: RegExp): Promise<void> {
  if (vm === null) throw new Error('no machine runs');
  if (!vm.screen.text().includes(' Runs ')) vm.screen.type(F8);
  await vm.screen.waitFor(wanted, SCREEN_MS);
}

beforeAll(async () => {
  if (!fs.existsSync(ISO)) throw new Error(`${ISO} does not exist; run "npm run build" and, as root, "npm run image -- --profile locked"`);
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-update-'));
  // What HAProxy passes requests on to.
  origin = http.createServer((_, response) => response.end('from behind'));
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  fs.mkdirSync(path.join(dir, 'panel/config'), { recursive: true });
  const config = {
    listeners: [{ name: 'web', address: '0.0.0.0', port: PORT, default_backend: 'app' }],
    backends: [{ name: 'app', servers: [{ name: 'one', address: '10.0.2.2', port: (origin.address() as AddressInfo).port }] }],
  };
  fs.writeFileSync(path.join(dir, 'panel/config/lb.json'), JSON.stringify(config));
  panel = await startPanel({ dir: path.join(dir, 'panel'), log: (line) => seen.push(line) });
  token = await mintToken(panel.records, 'lb', panel.pin);
});
afterEach(() => {
  // From its first answer of each boot on, HAProxy was never silent.
  expect(bell?.missed ?? []).toEqual([]);
});
afterAll(async () => {
  await powerCut();
  await panel?.close();
  origin?.close();
  fs.rmSync(dir, { recursive: true, force: true });
});
// What comes after a machine that is not there only waits for its limit.
beforeEach(({ task }) => {
  if (task.name !== 'is installed' && disk === '') throw new Error('nothing was installed');
});

test('is installed', async () => {
  const beganMs = Date.now();
  // An installed disk that is there already, to look at the later steps alone.
  let blank = process.env['SPATIUM_LOCKED_DISK'] ?? '';
  if (blank === '') {
    blank = blankDisk(dir, 40);
    vm = await Vm.start({ firmware: 'bios', iso: ISO, disk: blank, volumes: [answerVolume(dir, answers)], hardware: directBoot(ISO, dir) });
    await vm.ended(INSTALL_MS, /HALTED|FAILED at .*|service ended: .*/);
    await powerCut();
  }
  const settings = { kind: 'lb', panel: `https://10.0.2.2:${panel.port}`, pins: [] };
  // An image of a panel of its own brings the first two; here port and key are known only now.
  disk = withSlotA(blank, dir, 'lb', (root) => {
    const own = path.join(root, 'usr/lib/spatiumddi');
    fs.writeFileSync(path.join(own, 'pull.json'), JSON.stringify(settings));
    fs.mkdirSync(path.join(own, 'release-keys'), { recursive: true });
    fs.writeFileSync(path.join(own, 'release-keys/test.pem'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
    const dropIns = path.join(root, UNITS, 'spatium-update.timer.d');
    fs.mkdirSync(dropIns, { recursive: true });
    fs.writeFileSync(path.join(dropIns, 'test.conf'), TIMER);
    fs.writeFileSync(path.join(root, UNITS, 'test-journal.service'), JOURNAL);
    fs.symlinkSync('../test-journal.service', path.join(root, UNITS, 'multi-user.target.wants/test-journal.service'));
    image = /^spatium (\S+)\s*$/.exec(execFileSync(path.join(root, 'usr/bin/spatium'), ['--version'], { encoding: 'utf8' }))?.[1] ?? '';
  });
  expect(image).toMatch(/^\d/);
  took('installed', beganMs);
});

test('a release that was published is fetched by the timer, tried in the sandbox, and runs', async () => {
  const beganMs = Date.now();
  publish('90.0.1', built('90.0.1'));
  await boot();
  await until(() => bell?.isOpen === true, 'answer of HAProxy', BOOT_MS);
  took('first answer of HAProxy', beganMs);
  await verdict('90.0.1', '90.0.1', 'installed');
  took('verdict', beganMs);
  expect(reported()?.bad).toEqual([]);
  expect(journal()).toMatch(/loading 90\.0\.1, 116 MB/);
  await consoleShows(/Runs 90\.0\.1 +update to 90\.0\.1, installed/);
});

// After the question of its sandbox, or after the swap.
test.each([
  { version: '90.1.0', manner: 'exits', content: bad('90.1.0', 'exit 1'), phase: 'rolled_back', reason: 'health' },
  { version: '90.2.0', manner: 'hangs', content: bad('90.2.0', 'exec sleep 100000'), phase: 'rolled_back', reason: 'health' },
  { version: '90.3.0', manner: 'is another version', content: bad('9.9.9', 'exit 1'), phase: 'refused', reason: 'self_check' },
  { version: '90.4.0', manner: 'does not start', content: Buffer.from('not a program'), phase: 'refused', reason: 'self_check' },
])('a release that $manner is given up, and the one before runs', async ({ version, content, phase, reason }) => {
  const beganMs = Date.now();
  publish(version, content);
  await verdict('90.0.1', version, phase);
  took(`verdict on ${version}`, beganMs);
  expect(reported()?.bad).toContain(`${version} ${reason}`);
  // Not again: the timer looks several times more.
  const looks = (): number => panel.requests().filter((r) => r.includes('/v1/releases/stable')).length;
  const enough = looks() + 2;
  await until(() => looks() >= enough, 'further looks', VERDICT_MS);
  expect(panel.requests().filter((r) => r.includes(`/files/spatium-${version}`))).toHaveLength(1);
  expect(reported()).toMatchObject({ running: '90.0.1', target: version, phase });
  await consoleShows(new RegExp(`Runs 90\\.0\\.1 +update to ${version.replaceAll('.', '\\.')}, ${phase}`));
});

test('the power fails while a bad release is judged: the one before runs after the boot', async () => {
  const beganMs = Date.now();
  publish('90.5.0', bad('90.5.0', 'echo JUDGED-NOW; exec sleep 100000'));
  await until(() => journal().includes('JUDGED-NOW'), 'start of the bad release', VERDICT_MS);
  await powerCut();
  await boot();
  await verdict('90.0.1', '90.5.0', 'rolled_back');
  took('verdict after a power cut', beganMs);
  expect(journal()).toContain('update: counted');
  expect(reported()?.bad).toContain('90.5.0 health');
  await until(() => bell?.isOpen === true, 'answer of HAProxy', BOOT_MS);
});

test('a good release after all of that runs', async () => {
  const beganMs = Date.now();
  publish('90.6.0', built('90.6.0'));
  await verdict('90.6.0', '90.6.0', 'installed');
  took('verdict', beganMs);
  await powerCut();
  inspectDisk(disk, dir, ({ ext4 }) => {
    const versions = path.join(ext4('var'), 'lib/spatiumddi/agent/versions');
    expect(fs.readdirSync(versions).sort()).toEqual(['90.0.1', '90.6.0']);
  });
});
