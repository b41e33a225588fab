/** One QEMU: software emulation always (CONTRIBUTING.md says why), a serial line, a control socket. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Screen } from './screen.ts';

const OVMF_CODE = '/usr/share/OVMF/OVMF_CODE_4M.fd';
const OVMF_VARS = '/usr/share/OVMF/OVMF_VARS_4M.fd';
const START_TIMEOUT_MS = 15_000;

export interface VmOptions {
  readonly firmware: 'bios' | 'uefi';
  readonly memoryMib?: number;
  /** Installer medium, as a CD. */
  readonly iso?: string;
  /** Main disk, qcow2, on virtio. */
  readonly disk?: string;
  /** More read-only raw volumes, for example the one with the answer file. */
  readonly volumes?: readonly string[];
  /** The machine reaches servers on loopback of the host, as 10.0.2.2; else it reaches nothing. */
  readonly isOnline?: boolean;
  /** Further arguments, for hardware that only one test needs. */
  readonly hardware?: readonly string[];
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function connect(socketPath: string, child: ChildProcess, errors: () => string): Promise<net.Socket> {
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`qemu ended with ${child.exitCode}: ${errors()}`);
    const socket = net.connect(socketPath);
    const ok = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (ok) return socket;
    if (Date.now() > deadlineMs) throw new Error(`qemu did not open ${socketPath}: ${errors()}`);
    await sleep(50);
  }
}

function argumentsOf(o: VmOptions, dir: string): string[] {
  const args = ['-nodefaults', '-no-user-config', '-machine', 'q35', '-accel', 'tcg,thread=multi,tb-size=1024'];
  // rdrand: the kernel has randomness at once, where a plain model waits a minute for it. One processor: while Linux patches its own
  // code, an emulated second one can still run the breakpoint that stood there, and the guest panics (about one start in a hundred).
  args.push('-cpu', 'Nehalem,+rdrand', '-smp', '1', '-m', String(o.memoryMib ?? 3072), '-display', 'none', '-vga', 'none');
  args.push('-chardev', `socket,id=ser0,path=${dir}/serial.sock,server=on,wait=off`, '-serial', 'chardev:ser0');
  args.push('-qmp', `unix:${dir}/qmp.sock,server=on,wait=off`, '-device', 'virtio-rng-pci');
  args.push('-netdev', `user,id=n0,restrict=${o.isOnline ? 'off' : 'on'}`, '-device', 'virtio-net-pci,netdev=n0,mac=52:54:00:12:34:56');
  if (o.firmware === 'uefi') {
    fs.copyFileSync(OVMF_VARS, path.join(dir, 'vars.fd'));
    args.push('-drive', `if=pflash,format=raw,unit=0,readonly=on,file=${OVMF_CODE}`);
    args.push('-drive', `if=pflash,format=raw,unit=1,file=${dir}/vars.fd`);
  }
  if (o.disk !== undefined) {
    args.push('-drive', `if=none,id=d0,format=qcow2,cache=unsafe,discard=unmap,file=${o.disk}`);
    args.push('-device', `virtio-blk-pci,drive=d0,serial=SPATIUM-TEST-0,bootindex=${o.iso === undefined ? 1 : 2}`);
  }
  if (o.iso !== undefined) {
    args.push('-drive', `if=none,id=cd0,format=raw,media=cdrom,readonly=on,file=${o.iso}`, '-device', 'ide-cd,drive=cd0,bootindex=1');
  }
  for (const [i, volume] of (o.volumes ?? []).entries()) {
    args.push('-drive', `if=none,id=v${i},format=raw,readonly=on,file=${volume}`, '-device', `virtio-blk-pci,drive=v${i}`);
  }
  args.push(...(o.hardware ?? []));
  return args;
}

export class Vm {
  readonly screen: Screen;
  readonly dir: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  private constructor(child: ChildProcess, dir: string, serial: net.Socket) {
    this.#child = child;
    this.dir = dir;
    this.screen = new Screen(serial);
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
    if (child.exitCode !== null) this.#ended = Promise.resolve();
  }

  /** `-no-reboot` always: a reboot of the guest ends QEMU, and the test decides what is started next. */
  static async start(options: VmOptions): Promise<Vm> {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-vm-'));
    const child = spawn('qemu-system-x86_64', [...argumentsOf(options, dir), '-no-reboot'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (c: string) => {
      stderr = (stderr + c).slice(-4000);
    });
    // A test run that is ended from outside must not leave a machine behind.
    const onExit = () => child.kill('SIGKILL');
    process.once('exit', onExit);
    child.once('exit', () => process.off('exit', onExit));
    child.once('error', (e) => {
      stderr += e.message;
    });
    try {
      return new Vm(child, dir, await connect(path.join(dir, 'serial.sock'), child, () => stderr));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Resolves when the guest powered off or rebooted; fails at once when the serial line ever showed `bad`. */
  async ended(timeoutMs: number, bad?: RegExp): Promise<void> {
    const deadlineMs = Date.now() + timeoutMs;
    while (this.running) {
      const fault = bad?.exec(this.screen.raw)?.[0];
      if (fault !== undefined) await this.screen.settle(1000, 10_000);
      if (fault !== undefined) throw new Error(`the guest said ${JSON.stringify(fault)}; the serial line shows:\n${this.screen.text()}`);
      if (Date.now() > deadlineMs)
        throw new Error(`the machine still runs after ${timeoutMs / 1000} s; the serial line shows:\n${this.screen.text()}`);
      await sleep(200);
    }
  }

  /** Sends one command over the control socket; fails with what QEMU says about it. */
  async qmp(execute: string, args: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const socket = await connect(path.join(this.dir, 'qmp.sock'), this.#child, () => '');
    socket.on('error', () => {});
    let text = '';
    socket.setEncoding('utf8').on('data', (c: string) => {
      text += c;
    });
    socket.write(`${JSON.stringify({ execute: 'qmp_capabilities' })}\n${JSON.stringify({ execute, arguments: args, id: 'asked' })}\n`);
    const answer = () => text.split('\n').find((line) => line.includes('"id": "asked"'));
    for (const deadlineMs = Date.now() + START_TIMEOUT_MS; answer() === undefined && this.running; await sleep(50))
      if (Date.now() > deadlineMs) throw new Error(`qemu does not answer ${execute}`);
    socket.destroy();
    if (answer()?.includes('"error"')) throw new Error(`qemu refuses ${execute}: ${answer()}`);
  }

  /** Presses the power button, and waits until the guest is down. */
  async powerOff(timeoutMs: number): Promise<void> {
    await this.qmp('system_powerdown');
    await this.ended(timeoutMs);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it at once, and takes its temporary folder away. */
  async stop(): Promise<void> {
    if (this.running) this.#child.kill('SIGKILL');
    await this.#ended;
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}
