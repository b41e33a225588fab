import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extraWordsIn, isCurrentMenu, isLockedMenu, renderGrubMenu } from '#boot/grub-menu.ts';
import { slotNodes } from '#boot/slot-device.ts';
import { rollbackOf } from '#boot/slots.ts';
import { hostView } from '#system/observe.ts';
import { putFile } from '../../support/temp.ts';

let root: string;
const put = (file: string, text: string): void => putFile(path.join(root, file), text);
const link = (file: string, to: string): void => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.symlinkSync(path.relative(path.dirname(path.join(root, file)), path.join(root, to)), path.join(root, file));
};
const rootOn = (majorMinor: string): void => put('/proc/self/mountinfo', `29 1 ${majorMinor} / / rw shared:1 - ext4 x rw\n`);
/** A disk with both slots, as the kernel shows it. */
const disk = (name: string, major: number): void => {
  for (const [n, label] of [
    [4, 'root_A'],
    [5, 'root_B'],
    [6, 'var'],
  ] as const) {
    put(`/sys/devices/${name}/${name}${n}/uevent`, `DEVNAME=${name}${n}\nPARTNAME=${label}\n`);
    link(`/sys/dev/block/${major}:${n}`, `/sys/devices/${name}/${name}${n}`);
  }
  put(`/sys/devices/${name}/uevent`, `DEVNAME=${name}\n`);
};

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-nodes-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

describe('the nodes of the slots', () => {
  it('are those of the disk that runs, with a second appliance in the box', async () => {
    disk('sda', 8);
    disk('sdb', 9);
    rootOn('9:5');
    expect(await slotNodes(hostView(root))).toEqual({ slot_a: '/dev/sdb4', slot_b: '/dev/sdb5' });
  });

  it('are the named arrays of a mirror', async () => {
    rootOn('259:1');
    put('/sys/dev/block/259:1/md/level', 'raid1\n');
    for (const name of ['root_a', 'root_b', 'var', 'state']) put(`/dev/md/${name}`, '');
    expect(await slotNodes(hostView(root))).toEqual({ slot_a: '/dev/md/root_a', slot_b: '/dev/md/root_b' });
  });

  it('are partitions of the same multipath map, found by their GPT names', async () => {
    rootOn('254:2');
    put('/sys/dev/block/254:2/dm/uuid', 'part4-mpath-3600\n');
    put('/sys/dev/block/254:2/slaves/dm-0', '');
    for (const [map, number, label] of [
      ['dm-2', 4, 'root_A'],
      ['dm-3', 5, 'root_B'],
      ['dm-9', 1, 'x'],
    ] as const) {
      put(`/sys/class/block/dm-0/holders/${map}`, '');
      put(`/sys/class/block/${map}/dm/uuid`, label === 'x' ? 'LVM-x\n' : `part${number}-mpath-3600\n`);
      put(`/sys/class/block/${map}/dm/name`, `mpatha-part${number}\n`);
      put(`/sys/class/block/${map}/dev`, `254:${map.slice(3)}\n`);
      put(`/run/udev/data/b254:${map.slice(3)}`, `E:ID_PART_ENTRY_NAME=${label}\n`);
    }
    expect(await slotNodes(hostView(root))).toEqual({ slot_a: '/dev/mapper/mpatha-part4', slot_b: '/dev/mapper/mpatha-part5' });
  });

  it('are none where / is on something else', async () => {
    rootOn('0:32');
    expect(await slotNodes(hostView(root))).toEqual({});
  });
});

const slotEntry = (c: string) => ({ uuid: `${c.repeat(8)}-0000-4000-8000-000000000000`, version: '1' });
const MENU = {
  product: 'P',
  slotA: slotEntry('a'),
  slotB: slotEntry('b'),
  extraKernelWords: ['systemd.machine_id=0123456789abcdef0123456789abcdef', 'console=ttyS1,9600', 'a="b;c"'],
  offersRescue: true,
};

it('reads the words that go over to a menu rendered again, and no others', () => {
  expect(extraWordsIn(renderGrubMenu(MENU))).toEqual(MENU.extraKernelWords);
  expect(extraWordsIn(renderGrubMenu({ ...MENU, extraKernelWords: [] }))).toEqual([]);
  expect(extraWordsIn('')).toEqual([]);
});

it('a locked menu is the same when it is rendered again, and its words alone tell it', () => {
  const locked = { ...MENU, offersRescue: false, isLocked: true };
  const text = renderGrubMenu(locked);
  expect([isLockedMenu(text), isLockedMenu(renderGrubMenu(MENU)), isLockedMenu('')]).toEqual([true, false, false]);
  expect(renderGrubMenu({ ...locked, extraKernelWords: extraWordsIn(text), isLocked: isLockedMenu(text) })).toBe(text);
  expect(isLockedMenu(text.slice(text.indexOf('# Written')))).toBe(true);
});

it('knows a menu of this version, whatever is on the slots, from one of an older version', () => {
  for (const menu of [MENU, { ...MENU, offersRescue: false, isLocked: true }, { ...MENU, slotB: { ...slotEntry('c'), version: null } }]) {
    const text = renderGrubMenu(menu);
    expect(isCurrentMenu(text)).toBe(true);
    expect(isCurrentMenu(text.replace('audit=0 ', ''))).toBe(false);
    expect(isCurrentMenu(text.replace('set fallback=1\n', ''))).toBe(false);
  }
  expect([isCurrentMenu(''), isCurrentMenu("menuentry 'Debian' {\n}\n")]).toEqual([null, null]);
});

it.each([
  ['v1.36.1+k3s1', 'v1.35.9+k3s2', false],
  ['v1.36.1+k3s1', 'v1.36.0+k3s1', true],
  ['v1.36.1+k3s1', 'v1.37.0+k3s1', true],
  ['v2.0.0+k3s1', 'v1.99.0+k3s1', false],
  ['v1.36.1+k3s1', undefined, null],
  [null, 'v1.36.1+k3s1', null],
  ['unknown', 'v1.36.1+k3s1', null],
])('from k3s %s back to %s: %s', (running, other, safe) => {
  const { rollback_safe, rollback_note } = rollbackOf(running, other);
  expect([rollback_safe, rollback_note !== null]).toEqual([safe, safe === false]);
});
