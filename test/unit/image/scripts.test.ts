/** Shell scripts of the image, run with stand-ins for the programs that they call. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putFile } from '../../support/temp.ts';

const MKOSI = path.resolve(import.meta.dirname, '../../../mkosi');
let dir: string;
const put = (file: string, text: string, mode = 0o644): void => putFile(path.join(dir, file), text, mode);
const shell = (script: string, env: Record<string, string> = {}) =>
  spawnSync('sh', [path.join(MKOSI, script)], {
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: `${dir}/bin:${process.env['PATH'] ?? ''}`, ...env },
  });

beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-scripts-'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

describe('the end of multipathd in the initrd', () => {
  const SCRIPT = 'mkosi.skeleton/etc/initramfs-tools/scripts/local-bottom/multipath';

  it('is silent where none runs', () => {
    put('bin/pidof', '#!/bin/sh\nexit 1\n', 0o755);
    expect(shell(SCRIPT)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('ends the one that runs', async () => {
    const daemon = spawn('sleep', ['60']);
    const ended = once(daemon, 'exit');
    put(
      'bin/pidof',
      `#!/bin/sh
echo ${daemon.pid}
`,
      0o755,
    );
    expect(shell(SCRIPT)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(await ended).toEqual([null, 'SIGTERM']);
  });
});

describe('the end of the installer on a medium', () => {
  const run = (hasLeft: boolean, result = 'exit-code', canStart = true) => {
    put('sys/class/tty/console/active', 'tty0 ttyS0\n');
    put('bin/systemctl', `#!/bin/sh\necho "$@" >>${dir}/calls\nexit ${canStart ? 0 : 1}\n`, 0o755);
    for (const tty of ['tty1', 'ttyS0']) put(`dev/${tty}`, '');
    if (hasLeft) put('run/spatiumddi/installer-shell', '');
    const ended = shell('mkosi.extra/usr/lib/spatiumddi/install-ended', { SPATIUM_ENDED_ROOT: dir, SERVICE_RESULT: result });
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    const text = (file: string): string => (fs.existsSync(path.join(dir, file)) ? fs.readFileSync(path.join(dir, file), 'utf8') : '');
    return { calls: text('calls').trim(), said: ['tty1', 'ttyS0'].map((tty) => text(`dev/${tty}`).includes('Nothing more will happen')) };
  };
  const STARTS = '--no-block start spatium-rescue@tty1.service\n--no-block start spatium-rescue@ttyS0.service';

  it('opens a shell on each console when a person has left it', () => {
    expect(run(true)).toEqual({ calls: STARTS, said: [false, false] });
  });
  it('opens none after an unattended run', () => {
    expect(run(false)).toEqual({ calls: '', said: [true, true] });
  });
  it('says so where the image has no shell', () => {
    expect(run(true, 'exit-code', false)).toEqual({ calls: STARTS, said: [true, true] });
  });
  it('does nothing after a success', () => {
    expect(run(false, 'success')).toEqual({ calls: '', said: [false, false] });
  });
});
