/**
 * `spatium slot prepare` on a multipath map, as a recorded machine: /proc, /sys and udev's records are files, the tools that need
 * the map itself are answered for, cp is real.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isLockedMenu, renderGrubMenu } from '#boot/grub-menu.ts';
import { prepareSlot, SLOT_MOUNT } from '#boot/slot-prepare.ts';
import { PATHS } from '#model/limits.ts';
import { type Runner, run } from '#system/run.ts';
import { putFile } from '../../support/temp.ts';

const UUID = { a: 'aaaaaaaa-0000-4000-8000-000000000000', b: 'bbbbbbbb-0000-4000-8000-000000000000' };
const NODES = { a: '/dev/mapper/mpatha-part4', b: '/dev/mapper/mpatha-part5' };
let root: string;
let calls: string[][];

const put = (file: string, content: string | Buffer): void => putFile(path.join(root, file), content);
const text = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const inSlot = (file: string): string => path.join(SLOT_MOUNT, file);

/** What each command of a map, or of a mount, would say. */
function answerOf([tool, ...args]: readonly string[]): string | null {
  switch (tool) {
    case 'blkid':
      return `${args.at(-1) === NODES.a ? UUID.a : UUID.b}\n`;
    case 'lsinitramfs':
      return 'usr/lib/modules/6.12/kernel/drivers/md/dm-multipath.ko.xz\nusr/sbin/multipath\n';
    case 'e2fsck':
    case 'tune2fs':
    case 'mount':
    case 'umount':
    case 'blockdev':
    case 'grub-script-check':
      return '';
    default:
      return null;
  }
}

let listingEnds = 0;
const runner: Runner = async (argv, options) => {
  calls.push([...argv]);
  const said = answerOf(argv);
  if (argv[0] === 'lsinitramfs') return run(['sh', '-c', `printf '%s' "$1"; exit ${listingEnds}`, 'sh', said ?? ''], options);
  return run(said === null ? argv : ['printf', '%s', said], options);
};

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-mpath-'));
  calls = [];
  listingEnds = 0;
  put('/proc/self/mountinfo', '29 1 254:1 / / rw shared:1 - ext4 x rw\n');
  put('/sys/dev/block/254:1/dm/uuid', 'part4-mpath-3600\n');
  put('/sys/dev/block/254:1/uevent', 'MAJOR=254\nMINOR=1\nDEVNAME=dm-1\nDEVTYPE=disk\n');
  put('/sys/dev/block/254:1/slaves/dm-0/dev', '254:0\n');
  for (const [map, number, label] of [
    ['dm-1', 4, 'root_A'],
    ['dm-2', 5, 'root_B'],
    ['dm-3', 6, 'var'],
  ] as const) {
    put(`/sys/class/block/dm-0/holders/${map}/dev`, '');
    put(`/sys/class/block/${map}/dm/uuid`, `part${number}-mpath-3600\n`);
    put(`/sys/class/block/${map}/dm/name`, `mpatha-part${number}\n`);
    put(`/sys/class/block/${map}/dev`, `254:${map.slice(3)}\n`);
    put(`/run/udev/data/b254:${map.slice(3)}`, `E:ID_PART_ENTRY_NAME=${label}\n`);
  }
  put('/etc/fstab', `UUID=cccccccc-0000-4000-8000-000000000000 /var ext4 defaults 0 2\n`);
  const menu = { product: 'P', slotA: { uuid: UUID.a, version: '1' }, slotB: { uuid: UUID.b, version: '1' } };
  put(`${PATHS.grubDir}/grub.cfg`, renderGrubMenu({ ...menu, extraKernelWords: [], offersRescue: true }));
  put(PATHS.slotVersions, '{"slot_a":"2026.05.01-1"}');
  // The slot as an image leaves it; the mount is answered for, so its tree stands at the mount point.
  put(inSlot('boot/vmlinuz-6.12'), 'kernel');
  put(inSlot('boot/initrd.img-6.12'), Buffer.from('070701', 'latin1'));
  put(inSlot('etc/hostname'), 'x\n');
  put(inSlot('usr/lib/os-release'), 'ID=debian\n');
  put(PATHS.k3sVersion, 'v1.35.2+k3s1\n');
  put(inSlot(PATHS.k3sVersion), 'v1.36.1+k3s1\n');
  put(inSlot(PATHS.release), 'APPLIANCE_VERSION="2026.06.01-1"\n');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const prepare = () => prepareSlot({ root, run: runner, note: () => undefined }, 'slot_b');

it('works on the partitions of the map, and gives the slot what finds the map at boot', async () => {
  put('/etc/multipath.conf', 'defaults { }\n');
  put('/etc/multipath/wwids', '/3600/\n');
  put('/etc/multipath/bindings', 'mpatha 3600\n');
  expect(await prepare()).toContain('slot_b is ready');
  expect(calls).toContainEqual(['e2fsck', '-f', '-y', NODES.b]);
  expect(calls).toContainEqual(['mount', '-t', 'ext4', NODES.b, path.join(root, SLOT_MOUNT)]);
  expect(calls.flat().filter((word) => /^\/dev\/(?!mapper\/mpatha-part[45]$)/.test(word))).toEqual([]);
  for (const dir of ['etc', PATHS.etcImage]) {
    expect(text(inSlot(`${dir}/multipath/wwids`))).toBe('/3600/\n');
    expect(text(inSlot(`${dir}/multipath/bindings`))).toBe('mpatha 3600\n');
    expect(text(inSlot(`${dir}/fstab`))).toContain('/var ext4');
  }
  expect(text(inSlot('boot/initrd.img-6.12'))).toContain('etc/multipath/wwids');
  const k3s = { slot_a_k3s: 'v1.35.2+k3s1', slot_b_k3s: 'v1.36.1+k3s1' };
  expect(JSON.parse(text(PATHS.slotVersions))).toEqual({ slot_a: '2026.05.01-1', slot_b: '2026.06.01-1', ...k3s });
});

it('takes a whole list of the initrd although its unpacker could not write on, as with a slot that was made ready before', async () => {
  put('/etc/multipath/wwids', '/3600/\n');
  listingEnds = 1;
  expect(await prepare()).toContain('slot_b is ready');
});

it('refuses while the accepted paths are not known, with the menu as it was', async () => {
  const before = text(`${PATHS.grubDir}/grub.cfg`);
  await expect(prepare()).rejects.toThrow('/etc/multipath/wwids is not there');
  expect(calls.at(-1)?.[0]).toBe('umount');
  expect(text(`${PATHS.grubDir}/grub.cfg`)).toBe(before);
});

it('leaves the menu of a locked box locked', async () => {
  const slots = { slotA: { uuid: UUID.a, version: '1' }, slotB: { uuid: UUID.b, version: '1' } };
  const locked = { product: 'P', ...slots, extraKernelWords: ['systemd.machine_id=1'], offersRescue: false, isLocked: true };
  put(`${PATHS.grubDir}/grub.cfg`, renderGrubMenu(locked));
  put('/etc/multipath.conf', 'defaults { }\n');
  put('/etc/multipath/wwids', '/3600/\n');
  await prepare();
  const menu = text(`${PATHS.grubDir}/grub.cfg`);
  expect(menu).toContain('2026.06.01-1 (slot B)');
  expect(isLockedMenu(menu)).toBe(true);
  expect(menu.match(/systemd\.import_credentials=no/g)?.length).toBe(menu.match(/^menuentry /gm)?.length);
});
