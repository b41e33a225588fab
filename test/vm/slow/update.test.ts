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
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { StatusReport } from '#model/pull.ts';
import { signManifest } from '#supervisor/update/manifest.ts';
import { Doorbell } from '../lib/doorbell.ts';
import { addDropIn, Journal } from '../lib/journal.ts';
import { BOOT_MS, installLocked, LOCKED_DISK, lockedIso } from '../lib/locked.ts';
import { blankDisk, inspectDisk, withSlotA } from '../lib/media.ts';
import { balancer, HOST, PanelLab } from '../lib/panel-lab.ts';
import { Vm } from '../lib/qemu.ts';
import { until as waitUntil } from '../lib/until.ts';

const REPO = path.resolve(import.meta.dirname, '../../..');
/** Download, two starts in the sandbox, the swap and the window, all in software emulation. */
const VERDICT_MS = 900_000;
const SCREEN_MS = 120_000;
const F8 = '\x1b[19~';
const PORT = 8080;
/** Each line replaces a number of the shipped timer: nobody can wait for its hour. What it starts is not touched. */
const TIMER = `[Timer]
OnBootSec=
OnUnitActiveSec=
OnBootSec=20s
OnUnitInactiveSec=15s
RandomizedDelaySec=0
AccuracySec=1s
`;
/** Of the journal, what an error shows. */
const ABOUT = /spatium-(update|supervisor)|Installed version|spatium\[|systemd-run|run-agent/;

let dir = '';
let disk = '';
let lab: PanelLab;
let origin: http.Server;
let journal: Journal;
let vm: Vm | null = null;
let bell: Doorbell | null = null;
const keys = generateKeyPairSync('ed25519');
const uuid = randomUUID();
const took = (what: string, sinceMs: number): void => console.info(`${what}: ${Math.round((Date.now() - sinceMs) / 1000)} s`);

const reported = (): StatusReport['update'] => lab.reports()[0]?.update;

const until = (check: () => boolean, what: string, waitMs: number): Promise<void> =>
  waitUntil(vm, check, what, waitMs, () => `the panel has ${JSON.stringify(reported())}, the box said:\n${journal.tail(ABOUT, 60)}`);

function publish(version: string, content: Buffer): void {
  const name = `spatium-${version}`;
  const releases = path.join(lab.dir, 'releases');
  fs.mkdirSync(path.join(releases, 'files'), { recursive: true });
  fs.writeFileSync(path.join(releases, 'files', name), content);
  const fields = {
    channel: 'stable',
    version,
    url: `/v1/releases/files/${name}`,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
  const file = path.join(releases, 'stable.json');
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

/** Requests for the file of a release, each with how it was answered. */
const loads = (version: string): string[] => lab.panel.requests().filter((r) => r.includes(`/files/spatium-${version} `));

async function boot(): Promise<void> {
  journal.forget();
  vm = await Vm.start({ firmware: 'bios', disk, isOnline: true, hardware: [...journal.hardware, ...lab.hardware(uuid)] });
  bell = await Doorbell.open(vm, PORT);
}

/** From its first answer of each boot on, HAProxy was never silent. */
const expectAnswers = (): void => expect(bell?.missed ?? []).toEqual([]);
const answered = (): Promise<void> => until(() => bell?.isOpen === true, 'answer of HAProxy', BOOT_MS);

async function powerCut(): Promise<void> {
  bell?.close();
  expectAnswers();
  await vm?.stop();
  vm = null;
}

/** Until the panel was told of this state by a process of this version. */
const told = (running: string, target: string, phase: string): Promise<void> =>
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
  lockedIso();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-update-'));
  journal = new Journal(path.join(dir, 'journal.log'));
  // What HAProxy passes requests on to.
  origin = http.createServer((_, response) => response.end('from behind'));
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  const { port } = origin.address() as AddressInfo;
  lab = await PanelLab.open(path.join(dir, 'panel'), balancer({ address: '0.0.0.0', port: PORT }, { address: HOST, port }));
});
afterEach(expectAnswers);
afterAll(async () => {
  await powerCut();
  await lab?.close();
  origin?.close();
  fs.rmSync(dir, { recursive: true, force: true });
});
// What comes after a machine that is not there only waits for its limit.
beforeEach(({ task }) => {
  if (task.name !== 'is installed' && disk === '') throw new Error('nothing was installed');
});

test('is installed', async () => {
  const beganMs = Date.now();
  const blank = LOCKED_DISK || blankDisk(dir, 40);
  if (LOCKED_DISK === '') await installLocked(dir, blank, { hostname: 'lb-update', password: 'Zx9-update-only-here' });
  let image = '';
  disk = withSlotA(blank, dir, 'lb', (root) => {
    lab.settle(root);
    const place = path.join(root, 'usr/lib/spatiumddi/release-keys');
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, 'test.pem'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
    addDropIn(root, 'spatium-update.timer', TIMER);
    Journal.addTo(root);
    image = execFileSync(path.join(root, 'usr/bin/spatium'), ['--version'], { encoding: 'utf8' });
  });
  expect(image).toMatch(/^spatium \d\S+\s*$/);
  took('installed', beganMs);
});

test('a release that was published is fetched by the timer, tried in the sandbox, and runs', async () => {
  const beganMs = Date.now();
  publish('90.0.1', built('90.0.1'));
  await boot();
  await answered();
  took('first answer of HAProxy', beganMs);
  await told('90.0.1', '90.0.1', 'installed');
  took('verdict', beganMs);
  expect(reported()?.bad).toEqual([]);
  expect(journal.text()).toMatch(/loading 90\.0\.1, 116 MB/);
  await consoleShows(/Runs 90\.0\.1 +update to 90\.0\.1, installed/);
});

// After the question of its sandbox, or after the swap.
test.each([
  { version: '90.1.0', manner: 'exits', content: bad('90.1.0', 'exit 1'), phase: 'rolled_back', reason: 'health' },
  { version: '90.2.0', manner: 'hangs', content: bad('90.2.0', 'exec sleep 100000'), phase: 'rolled_back', reason: 'health' },
  {
    version: '90.2.5',
    manner: 'answers as another version',
    content: bad('90.2.5', 'exec /usr/bin/spatium supervise'),
    phase: 'rolled_back',
    reason: 'health',
  },
  { version: '90.3.0', manner: 'is another version', content: bad('9.9.9', 'exit 1'), phase: 'refused', reason: 'self_check' },
  { version: '90.4.0', manner: 'does not start', content: Buffer.from('not a program'), phase: 'refused', reason: 'self_check' },
])('a release that $manner is given up, and the one before runs', async ({ version, content, phase, reason }) => {
  const beganMs = Date.now();
  publish(version, content);
  await told('90.0.1', version, phase);
  took(`verdict on ${version}`, beganMs);
  expect(reported()?.bad).toContain(`${version} ${reason}`);
  // Not again: the timer looks several times more.
  const looks = (): number => lab.panel.requests().filter((r) => r.includes('/v1/releases/stable')).length;
  const enough = looks() + 2;
  await until(() => looks() >= enough, 'further looks', VERDICT_MS);
  expect(loads(version)).toHaveLength(1);
  expect(reported()).toMatchObject({ running: '90.0.1', target: version, phase });
  await consoleShows(new RegExp(`Runs 90\\.0\\.1 +update to ${version.replaceAll('.', '\\.')}, ${phase}`));
});

test('the power fails while a bad release is judged: the one before runs after the boot', async () => {
  const beganMs = Date.now();
  publish('90.5.0', bad('90.5.0', 'echo JUDGED-NOW; exec sleep 100000'));
  await until(() => journal.text().includes('JUDGED-NOW'), 'start of the bad release', VERDICT_MS);
  await powerCut();
  await boot();
  await told('90.0.1', '90.5.0', 'rolled_back');
  took('verdict after a power cut', beganMs);
  expect(journal.text()).toContain('update: counted');
  expect(reported()?.bad).toContain('90.5.0 health');
  await answered();
});

test('a release that takes the machine down is taken back before the agent starts, after two boots', async () => {
  const beganMs = Date.now();
  publish('90.5.5', bad('90.5.5', 'echo b >/proc/sysrq-trigger'));
  for (const start of ['the swap', 'the boot after it']) {
    await vm?.ended(VERDICT_MS);
    took(`down after ${start}`, beganMs);
    // HAProxy went down with the machine, which is no fault of its own.
    bell?.close();
    bell = null;
    await vm?.stop();
    await boot();
  }
  await told('90.0.1', '90.5.5', 'rolled_back');
  took('verdict after two boots', beganMs);
  expect(journal.text()).toContain('update: rolled back');
  expect(reported()?.bad).toContain('90.5.5 crash_loop');
  expect(loads('90.5.5')).toHaveLength(1);
  await answered();
});

test('the power fails in the middle of a download: it goes on where it was, and the good release is swapped in', async () => {
  const beganMs = Date.now();
  const content = built('90.6.0');
  await lab.panel.faults({ file: { do: 'cut', times: 1 } });
  publish('90.6.0', content);
  await until(() => loads('90.6.0').length === 1, 'request for the release', VERDICT_MS);
  await lab.panel.faults({ file: { do: 'hang' } });
  await until(() => loads('90.6.0').length === 2, 'request for the rest', VERDICT_MS);
  await powerCut();
  await lab.panel.faults({});
  lab.seen.length = 0;
  await boot();
  await answered();
  await told('90.6.0', '90.6.0', 'health');
  took('swapped in', beganMs);
  const half = Math.floor(content.length / 2);
  expect(lab.seen.filter((line) => line.includes('/files/'))).toEqual([
    expect.stringContaining(`206 bytes ${half}-${content.length - 1}/${content.length}`),
  ]);
});

test('the power fails while a good release is judged: it is judged after the boot, and runs', async () => {
  const beganMs = Date.now();
  expect(reported()).toMatchObject({ running: '90.6.0', phase: 'health' });
  await powerCut();
  await boot();
  await told('90.6.0', '90.6.0', 'installed');
  took('verdict', beganMs);
  expect(journal.text()).toContain('update: counted');
  await answered();
  await consoleShows(/Runs 90\.6\.0 +update to 90\.6\.0, installed/);
  await powerCut();
  inspectDisk(disk, dir, ({ ext4 }) => {
    const versions = path.join(ext4('var'), 'lib/spatiumddi/agent/versions');
    expect(fs.readdirSync(versions).sort()).toEqual(['90.0.1', '90.6.0']);
  });
});
