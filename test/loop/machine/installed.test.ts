/** Versions and last use of our own installation, read by the real tools from real file systems. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeInstalled } from '#machine/probe-installed.ts';
import { sourcesOf } from '#machine/sources.ts';
import type { BlockDevice } from '#model/machine.ts';
import { machine, ownLayout } from '../../unit/rules/disks/build.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'installed-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** An ext4 image with the given files in it. */
function image(name: string, files: Readonly<Record<string, string>>): string {
  const tree = path.join(dir, `${name}.tree`);
  fs.mkdirSync(tree);
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.writeFileSync(path.join(tree, file), text);
  }
  const out = path.join(dir, `${name}.img`);
  fs.writeFileSync(out, '');
  fs.truncateSync(out, 16 * 1024 ** 2);
  const made = spawnSync('mkfs.ext4', ['-q', '-F', '-d', tree, out], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  return out;
}

let devices: BlockDevice[];
beforeAll(() => {
  const paths: Readonly<Record<string, string>> = {
    root_A: image('a', { 'etc/spatiumddi/appliance-release': 'APPLIANCE_VERSION="2026.10.2-1"\nGIT_SHA="abc"\n' }),
    root_B: image('b', { 'etc/hostname': 'x\n' }),
    state: image('state', {
      'spatium-config.yaml':
        '# comment\nhostname: "ddi-1"\nrole: "control-plane"\nbootstrap_pairing_code: "12345678"\npod_cidr: "10.44.0.0/16"\n',
    }),
    var: image('var', { 'lib/spatiumddi/release-state/slot-versions.json': '{"slot_a":"old","slot_b":"2026.09.1-1"}' }),
  };
  const rows = [{ kname: 'sda', type: 'disk', size: 2 ** 36, pttype: 'gpt', children: ownLayout('sda') }];
  devices = machine(rows).devices.map((d) => ({ ...d, path: paths[d.partLabel ?? ''] ?? d.path }));
});

const varPath = (): string => devices.find((d) => d.partLabel === 'var')?.path ?? '';

it("a slot's own release file wins; what the slot tool recorded stands in where there is none", async () => {
  expect(await probeInstalled(sourcesOf(), devices)).toEqual([
    {
      disk: 'sda',
      slots: [
        { slot: 'A', version: '2026.10.2-1' },
        { slot: 'B', version: '2026.09.1-1' },
      ],
      // Neither comments nor the code that an older installer left there.
      stateConfig: 'hostname: "ddi-1"\nrole: "control-plane"\npod_cidr: "10.44.0.0/16"\n',
      lastBootAt: null,
    },
  ]);
});

it('the last mount of /var is its last use', async () => {
  const set = spawnSync('debugfs', ['-w', '-R', 'set_super_value mtime 20261119051231', varPath()], { encoding: 'utf8' });
  expect(set.status, set.stderr).toBe(0);
  expect((await probeInstalled(sourcesOf(), devices))[0]?.lastBootAt).toBe('2026-11-19T05:12:31.000Z');
});

it('reading changes nothing on the disk', async () => {
  const before = fs.readFileSync(varPath());
  await probeInstalled(sourcesOf(), devices);
  expect(fs.readFileSync(varPath()).equals(before)).toBe(true);
});

it('a damaged slot costs its version and no more', async () => {
  const damaged = path.join(dir, 'damaged.img');
  fs.writeFileSync(damaged, Buffer.alloc(1024 ** 2));
  const broken = devices.map((d) => (d.partLabel === 'root_A' ? { ...d, path: damaged } : d));
  const [system] = await probeInstalled(sourcesOf(), broken);
  expect(system?.slots[0]).toEqual({ slot: 'A', version: 'old' });
});
