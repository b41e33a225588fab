/** An installed machine that was started: root's shell on its serial line, and its disks in the test's hands. */
import { Vm } from '../lib/qemu.ts';
import { BENCH_PASSWORD } from '../lib/words.ts';
import { diskArguments, pathId, type VmDisk } from './disks.ts';

const BOOT_MS = 600_000;
const COMMAND_MS = 300_000;
const DOWN_MS = 180_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Installed {
  readonly #vm: Vm;
  #asked = 0;

  private constructor(vm: Vm) {
    this.#vm = vm;
  }

  /** Starts the disks, the first of them first, and logs in. */
  static async start(disks: readonly VmDisk[], firmware: 'bios' | 'uefi', user = 'root'): Promise<Installed> {
    const vm = await Vm.start({ firmware, hardware: diskArguments(disks) });
    const machine = new Installed(vm);
    try {
      await machine.#logIn(user);
      return machine;
    } catch (error) {
      await vm.stop();
      throw error;
    }
  }

  /** The same for a medium whose rescue entry was started: root's shell is there without a login. */
  static async onMedium(vm: Vm, timeoutMs: number): Promise<Installed> {
    const machine = new Installed(vm);
    await machine.#until(/root@[^#$]*# /, 0, timeoutMs, 'prompt of the rescue shell');
    await machine.#quieten();
    return machine;
  }

  async #until(wanted: RegExp, fromByte: number, timeoutMs: number, what: string): Promise<RegExpExecArray> {
    for (const deadlineMs = Date.now() + timeoutMs; ; await sleep(100)) {
      const found = wanted.exec(this.#vm.screen.raw.slice(fromByte));
      if (found !== null) return found;
      const dead = /Kernel panic - not syncing/.test(this.#vm.screen.raw);
      if (dead || Date.now() > deadlineMs || !this.#vm.running)
        throw new Error(`${what}: not seen; the serial line ends:\n${this.#vm.screen.raw.slice(-3000)}`);
    }
  }

  async #logIn(user: string): Promise<void> {
    await this.#until(/login: /, 0, BOOT_MS, 'login prompt');
    // A message of the boot may have been printed over the prompt; what is typed counts all the same.
    this.#vm.screen.type(`${user}\r`);
    await this.#until(/Password: /, 0, COMMAND_MS, 'question for the password');
    this.#vm.screen.type(`${BENCH_PASSWORD}\r`);
    await this.#until(new RegExp(`${user}@[^#$]*[#$] `), 0, COMMAND_MS, 'prompt of the shell');
    await this.#quieten();
    if (user === 'root') await this.run('dmesg -n 1');
  }

  /** A shell that neither edits nor echoes: its output is the commands' output. */
  async #quieten(): Promise<void> {
    this.#vm.screen.type('exec env PS1= dash\r');
    await sleep(500);
    this.#vm.screen.type('stty -echo -onlcr\r');
  }

  /** Output of a command, without blanks at its ends. Throws when its status is not 0. */
  async run(command: string, timeoutMs = COMMAND_MS): Promise<string> {
    this.#asked += 1;
    const from = this.#vm.screen.raw.length;
    const mark = `=${this.#asked}=`;
    // The marks are put together by the shell, so that an echo of the line cannot be taken for them.
    this.#vm.screen.type(`printf '<%s' '${mark}'; ${command}; printf '>%s%s;' '${mark}' $?\r`);
    const found = await this.#until(new RegExp(`<${mark}([^]*?)>${mark}(\\d+);`), from, timeoutMs, command);
    const output = (found[1] ?? '').replaceAll('\r', '').trim();
    if (found[2] !== '0') throw new Error(`${command}: exit status ${found[2]}\n${output}`);
    return output;
  }

  /** Waits until the machine has come up, and gives the units that failed on the way with their last words; empty: none. */
  async failedUnits(): Promise<string> {
    await this.run('systemctl is-system-running --wait || true', BOOT_MS);
    const names = await this.run('systemctl list-units --failed --no-legend --plain | cut -d" " -f1');
    return names === '' ? '' : this.run(`for u in ${names.split(/\s+/).join(' ')}; do echo "$u:"; journalctl -b -n 12 -o cat -u $u; done`);
  }

  /** Takes one path of a disk away while the machine runs. */
  async unplug(diskIndex: number, path: 0 | 1): Promise<void> {
    await this.#vm.qmp('device_del', { id: pathId(diskIndex, path) });
  }

  /** Shuts down properly. */
  async off(): Promise<void> {
    this.#vm.screen.type('systemctl poweroff\r');
    await this.#vm.ended(DOWN_MS);
    await this.#vm.stop();
  }

  /** Pulls the plug. */
  stop(): Promise<void> {
    return this.#vm.stop();
  }
}
