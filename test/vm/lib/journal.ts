/** The journal of a machine, printed on a second serial line. No image has this; a test puts it into a copy of a slot. */
import fs from 'node:fs';
import path from 'node:path';

const UNITS = 'usr/lib/systemd/system';
const UNIT = `[Unit]
Description=what the test reads
[Service]
ExecStart=/bin/sh -c 'exec journalctl -b -f -n all --no-hostname -o short-monotonic >/dev/ttyS1 2>&1'
`;

/** Lays a unit into the root of an installed system, and lets it start at boot. */
export function addUnit(root: string, name: string, text: string): void {
  fs.writeFileSync(path.join(root, UNITS, name), text);
  fs.symlinkSync(`../${name}`, path.join(root, UNITS, 'multi-user.target.wants', name));
}

/** Changes a shipped unit for the test. */
export function addDropIn(root: string, unit: string, text: string): void {
  const dir = path.join(root, UNITS, `${unit}.d`);
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, 'test.conf'), text);
}

/** `file`: on the host, where the lines come to lie. */
export class Journal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  static addTo(root: string): void {
    addUnit(root, 'test-journal.service', UNIT);
  }

  get hardware(): string[] {
    return ['-chardev', `file,id=journal,path=${this.#file}`, '-device', 'isa-serial,chardev=journal'];
  }

  /** Before a boot. */
  forget(): void {
    fs.rmSync(this.#file, { force: true });
  }

  text(): string {
    return fs.existsSync(this.#file) ? fs.readFileSync(this.#file, 'latin1') : '';
  }

  /** The last lines that match. */
  tail(wanted: RegExp, count: number): string {
    const lines = this.text().split(/\r?\n/);
    return lines
      .filter((line) => wanted.test(line))
      .slice(-count)
      .join('\n');
  }
}
