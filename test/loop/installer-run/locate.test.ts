/** Bays with a light, on a tree as the kernel shows it: each disk has a link to its place in the enclosure. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { locatableDisks, setLight } from '#installer/run/locate.ts';
import { disk, machine, node } from '../../unit/rules/disks/build.ts';

const sys = fs.mkdtempSync(path.join(os.tmpdir(), 'locate-'));
afterAll(() => fs.rmSync(sys, { recursive: true, force: true }));

function bay(kname: string, slot: string): string {
  const place = path.join(sys, 'class/enclosure/0:0:8:0', slot);
  const device = path.join(sys, 'devices', kname);
  fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(path.join(place, 'locate'), '0\n');
  fs.mkdirSync(device, { recursive: true });
  fs.symlinkSync(place, path.join(device, `enclosure_device:${slot}`));
  const block = path.join(sys, 'class/block', kname);
  fs.mkdirSync(block, { recursive: true });
  fs.symlinkSync(device, path.join(block, 'device'));
  return path.join(place, 'locate');
}

const map = (): ReturnType<typeof node> => node('dm-0', 'mpath', { path: '/dev/mapper/mpatha', size: 100 * 1024 ** 3 });
const MACHINE = machine([disk('sda'), disk('sdb'), disk('sdc', {}, [map()]), disk('sdd', {}, [map()])]);

it('finds the disks that have one, and switches that of each path of a map', async () => {
  const lights = { sda: bay('sda', 'Slot 01'), sdc: bay('sdc', 'Slot 03'), sdd: bay('sdd', 'Slot 03 B') };
  expect(await locatableDisks(MACHINE, sys)).toEqual(['sda', 'sdc', 'dm-0', 'sdd']);
  await setLight(MACHINE, 'sda', true, sys);
  await setLight(MACHINE, 'dm-0', true, sys);
  expect(Object.values(lights).map((file) => fs.readFileSync(file, 'utf8')[0])).toEqual(['1', '1', '1']);
  await setLight(MACHINE, 'sda', false, sys);
  expect(fs.readFileSync(lights.sda, 'utf8')[0]).toBe('0');
});
