import { expect, it } from 'vitest';
import { parseMountinfo } from '#system/mountinfo.ts';

it('reads every field, whatever number of optional ones stands between', () => {
  const text = [
    '36 35 8:4 / / rw,noatime master:1 shared:2 - ext4 /dev/sda4 rw,errors=remount-ro',
    '42 27 0:35 /sub /proc rw - proc proc rw',
    '43 36 8:6 /home /home rw shared:3 - ext4 /dev/sda6 rw',
    '',
  ].join('\n');
  expect(parseMountinfo(text)).toEqual([
    { majorMinor: '8:4', root: '/', target: '/', filesystem: 'ext4', source: '/dev/sda4', isReadOnly: false },
    { majorMinor: '0:35', root: '/sub', target: '/proc', filesystem: 'proc', source: 'proc', isReadOnly: false },
    { majorMinor: '8:6', root: '/home', target: '/home', filesystem: 'ext4', source: '/dev/sda6', isReadOnly: false },
  ]);
});

it('what the kernel escapes is given back, in each of the three paths', () =>
  expect(parseMountinfo('1 2 8:1 /a\\040b /mnt/tab\\011line\\012back\\134slash\\043 rw - vfat /dev/my\\040disk rw')).toMatchObject([
    { root: '/a b', target: '/mnt/tab\tline\nback\\slash#', source: '/dev/my disk' },
  ]));

it('an escape is read once: what it gives is not read again', () =>
  expect(parseMountinfo('1 2 8:1 / /mnt/\\134040 rw - ext4 /dev/sda1 rw')[0]?.target).toBe('/mnt/\\040'));

it.each([
  ['rw', 'rw', false],
  ['ro,nosuid', 'rw', true],
  ['rw', 'ro,errors=remount-ro', true],
  ['rw,errors=remount-ro', 'rw', false],
])('mount %s, file system %s: read-only %j', (mount, filesystem, wanted) =>
  expect(parseMountinfo(`1 2 8:1 / /x ${mount} - ext4 /dev/sda1 ${filesystem}`)[0]?.isReadOnly).toBe(wanted),
);

it.each([
  ['a source that is a lone dash', '-'],
  ['a source that is empty', ''],
])('%s', (_, source) => expect(parseMountinfo(`1 2 0:9 / /x rw - tmpfs ${source} rw`)).toMatchObject([{ filesystem: 'tmpfs', source }]));

it.each(['', 'garbage', '1 2 8:1 / /x rw', '1 2 8:1 / - ext4 /dev/sda1 rw', '1 2 8:1 / /x rw - ext4'])('is no entry: %j', (line) =>
  expect(parseMountinfo(line)).toEqual([]),
);
