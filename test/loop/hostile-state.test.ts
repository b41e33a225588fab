/** A STATE whose record of an installation is none, or is made so that reading it never ends: nothing was cut short, at once. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findInterrupted } from '#installer/engine/interrupted.ts';
import { sh } from './bench-disk.ts';

let dir = '';
let node = '';

beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-state-'));
  const image = path.join(dir, 'state.img');
  fs.writeFileSync(image, '');
  fs.truncateSync(image, 256 * 1024 ** 2);
  sh('mkfs.ext4', '-q', image);
  node = sh('losetup', '--find', '--show', image).trim();
});
afterEach(() => {
  sh('losetup', '--detach', node);
  fs.rmSync(dir, { recursive: true });
});

it.each<[string, (install: string) => void]>([
  ['a pipe', (at) => sh('mkfifo', path.join(at, 'plan.json'))],
  ['a link to an endless device', (at) => fs.symlinkSync('/dev/zero', path.join(at, 'plan.json'))],
  ['a folder', (at) => fs.mkdirSync(path.join(at, 'plan.json'))],
  [
    'a file of 200 GB',
    (at) => {
      fs.writeFileSync(path.join(at, 'plan.json'), '');
      fs.truncateSync(path.join(at, 'plan.json'), 200e9);
    },
  ],
  ['steps that are none', (at) => fs.writeFileSync(path.join(at, 'plan.json'), '{"schema":1,"steps":[null,{"id":1}]}')],
])(
  '%s for a plan is no interrupted installation',
  async (_name, make) => {
    const at = path.join(dir, 'mounted');
    fs.mkdirSync(at);
    sh('mount', node, at);
    fs.mkdirSync(path.join(at, 'install'));
    fs.writeFileSync(path.join(at, 'install/journal.jsonl'), '{"step":"partition","planHash":"x","state":"done"}\n{"step"');
    make(path.join(at, 'install'));
    sh('umount', at);
    expect(await findInterrupted(node, path.join(dir, 'peek'))).toBeNull();
    expect(fs.existsSync(path.join(dir, 'peek'))).toBe(false);
  },
  15_000,
);
