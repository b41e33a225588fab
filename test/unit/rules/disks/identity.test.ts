import { describe, expect, it } from 'vitest';
import type { Machine } from '#model/machine.ts';
import {
  confirmWordOf,
  describeDisk,
  eligibleMirrors,
  findDisk,
  identityOf,
  keptLayoutOf,
  mirrorRefusal,
  sameDisk,
  stableNameOf,
} from '#rules/disks.ts';
import { disk, GIB, machine, node, ownLayout, part, type Row } from './build.ts';

const withLinks = (m: Machine, links: Record<string, string[]>): Machine => ({
  ...m,
  devices: m.devices.map((d) => ({ ...d, links: links[d.kname] ?? d.links })),
});

describe('identity', () => {
  const base: Row = disk('sda', { wwn: '0x5000', pttype: 'gpt', ptuuid: 'T1' }, ownLayout('sda'));
  const identity = (change: Record<string, unknown> = {}) => identityOf(machine([{ ...base, ...change }]), 'sda');

  it('is the same when nothing changed, and when only the kernel name did', () => {
    expect(sameDisk(identity(), identity())).toBeNull();
    expect(sameDisk(identity(), { ...identity(), kname: 'sdb', path: '/dev/sdb' })).toBeNull();
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['WWN', { wwn: '0x5001' }, 'WWN'],
    ['serial', { serial: 'OTHER' }, 'serial number was SN-sda and is now OTHER'],
    ['serial gone', { serial: null }, 'is now none'],
    ['size', { size: 101 * GIB }, 'size'],
    ['sector size', { 'log-sec': 4096 }, 'sector'],
    ['table uuid', { ptuuid: 'T2' }, 'partition table'],
    ['table kind', { pttype: 'dos' }, 'partition table'],
    ['a partition gone', { children: ownLayout('sda').slice(0, 5) }, 'partition table'],
    ['a partition made anew', { children: ownLayout('sda').map((p, i) => (i === 2 ? { ...p, partuuid: 'new' } : p)) }, 'partition table'],
  ])('another %s is told', (_, change, words) => expect(sameDisk(identity(), identity(change))).toContain(words));

  it('a blank disk that got a file system is another', () => {
    const blank = identityOf(machine([disk('sda')]), 'sda');
    expect(blank.table).toBe('none');
    expect(sameDisk(blank, identityOf(machine([disk('sda', { fstype: 'xfs', uuid: 'u' })]), 'sda'))).toContain('partition table');
  });

  it('of a map is that of its paths', () => {
    const map = node('dm-0', 'mpath', { name: 'mpatha', size: 100 * GIB });
    const m = machine([disk('sda', { wwn: '0x6001', serial: 'L1' }, [map]), disk('sdb', { wwn: '0x6001', serial: 'L1' }, [map])]);
    expect(identityOf(m, 'dm-0')).toMatchObject({ path: '/dev/mapper/mpatha', wwn: '0x6001', serial: 'L1' });
  });

  it('throws for a disk that is not there', () => expect(() => identityOf(machine([disk('sda')]), 'sdz')).toThrow('sdz'));
});

describe('names', () => {
  const links = {
    sda: ['/dev/disk/by-id/ata-X_SN', '/dev/disk/by-id/wwn-0x5000', '/dev/disk/by-path/pci-1'],
    sdb: ['/dev/disk/by-path/pci-2'],
  };
  const m = withLinks(machine([disk('sda', {}, [part('sda1')]), disk('sdb'), node('dm-0', 'mpath', { name: 'mpatha', size: GIB })]), links);

  it.each([
    ['/dev/sda', 'sda'],
    ['sda', 'sda'],
    ['/dev/sda1', 'sda1'],
    ['/dev/mapper/mpatha', 'dm-0'],
    ['/dev/dm-0', 'dm-0'],
    ['/dev/disk/by-id/wwn-0x5000', 'sda'],
    ['/dev/disk/by-path/pci-2', 'sdb'],
  ])('%s is found', (name, kname) => expect(findDisk(m, name)?.kname).toBe(kname));

  it.each(['/dev/sdz', '/dev/disk/by-id/wwn-0x9', '', '/dev/disk/by-id/ata-X_SN-part1'])('%s is not', (name) =>
    expect(findDisk(m, name)).toBeNull(),
  );

  it('a link that a listing shows on both paths means their map, and on two disks nothing', () => {
    const shared = { 'id-link': 'scsi-3600', serial: 'L1' };
    const map = node('dm-0', 'mpath', { name: 'mpatha', size: GIB });
    const name = '/dev/disk/by-id/scsi-3600';
    expect(findDisk(machine([disk('sda', shared, [map]), disk('sdb', shared, [map])]), name)?.kname).toBe('dm-0');
    expect(findDisk(machine([disk('sda', shared), disk('sdb', shared)]), name)).toBeNull();
  });

  it('a link that names what is on the disk is no stable name', () => {
    const lvm = withLinks(machine([disk('sda')]), { sda: ['/dev/disk/by-id/lvm-pv-uuid-abc', '/dev/disk/by-path/pci-1'] });
    expect(stableNameOf(lvm.devices[0]!)).toBe('/dev/disk/by-path/pci-1');
  });

  it('the stable name prefers the WWN, then by-path, then the node', () => {
    expect(m.devices.filter((d) => d.type === 'disk').map(stableNameOf)).toEqual(['/dev/disk/by-id/wwn-0x5000', '/dev/disk/by-path/pci-2']);
    expect(stableNameOf(machine([disk('sdc')]).devices[0]!)).toBe('/dev/sdc');
  });

  it('a by-id name fits a listing without links only when one disk can be meant', () => {
    const rows = [disk('sda', { serial: 'AAA1', wwn: '0x5000' }), disk('sdb', { serial: 'BBB2' }), disk('sdc', { serial: 'BBB2' })];
    expect(findDisk(machine(rows), '/dev/disk/by-id/wwn-0x5000')?.kname).toBe('sda');
    expect(findDisk(machine(rows), '/dev/disk/by-id/ata-MODEL_AAA1')?.kname).toBe('sda');
    expect(findDisk(machine(rows), '/dev/disk/by-id/ata-MODEL_BBB2')).toBeNull();
  });
});

describe('mirror', () => {
  const rows = [
    disk('sda', { size: 100 * GIB }),
    disk('sdb', { size: 100 * GIB - 1 }),
    disk('sdc', { size: 200 * GIB }),
    disk('sdd', { size: 300 * GIB, ro: true }),
    disk('sde', { 'log-sec': 4096 }),
  ];
  it('offers what is large enough, fit, and another disk', () =>
    expect(eligibleMirrors(machine(rows), 'sda').map((v) => v.kname)).toEqual(['sdc']));

  it.each([
    ['sda', 'mirror.same-disk'],
    ['sdb', 'mirror.too-small'],
    ['sdd', 'disk.read-only'],
    ['sde', 'mirror.sector-size'],
    ['sdz', 'mirror.no-disk'],
  ])('%s is refused as %s', (kname, code) => expect(mirrorRefusal(machine(rows), 'sda', kname)?.code).toBe(code));

  it('a path is not a mirror of its own map', () => {
    const map = node('dm-0', 'mpath', { size: 100 * GIB });
    expect(mirrorRefusal(machine([disk('sda', {}, [map])]), 'dm-0', 'sda')?.code).toBe('mirror.same-disk');
  });
});

describe('reinstalling with /var kept', () => {
  const kept = (parts: Row[]) => keptLayoutOf(machine([disk('sda', { pttype: 'gpt', ptuuid: 'T1' }, parts)]), 'sda');
  it('gives the six partitions as they are', () => {
    const layout = kept(ownLayout('sda'));
    if (layout.kind !== 'layout') throw new Error(layout.reason.text);
    expect(layout.tableUuid).toBe('T1');
    expect(layout.partitions.map((p) => [p.name, p.number, p.partUuid])).toEqual(
      ['bios_boot', 'esp', 'state', 'root_a', 'root_b', 'var'].map((name, i) => [name, i + 1, `uuid-sda-${i + 1}`]),
    );
  });

  it('an upgraded slot is found by its GPT name, whatever its label says', () =>
    expect(kept(ownLayout('sda').map((p, i) => (i === 4 ? { ...p, label: 'root_a' } : p))).kind).toBe('layout'));

  it.each<[string, Row[], string]>([
    ['a part missing', ownLayout('sda').slice(0, 5), 'keep.no-layout'],
    ['a mirror', ownLayout('sda', true), 'keep.mirror'],
    ['an encrypted /var', ownLayout('sda').map((p, i) => (i === 5 ? { ...p, fstype: 'crypto_LUKS' } : p)), 'keep.filesystem'],
    ['an empty STATE', ownLayout('sda').map((p, i) => (i === 2 ? { ...p, fstype: null } : p)), 'keep.filesystem'],
  ])('refuses %s', (_, parts, code) => expect(kept(parts)).toMatchObject({ kind: 'refused', reason: { code } }));
});

describe('passport', () => {
  it('says what is known and nothing else', () => {
    const passport = describeDisk(
      machine([disk('sda', { vendor: 'ATA', model: 'ACME_SSD', tran: 'sata', wwn: '0x5', rota: false })]),
      'sda',
    );
    expect(passport.title).toBe('ACME SSD');
    expect(passport.facts.map((f) => f.label)).toEqual(['Vendor', 'Model', 'Serial', 'WWN', 'Transport', 'Size', 'Sectors', 'Medium']);
    expect(passport.contents).toMatchObject({ blank: true, summary: 'blank', table: 'none' });
  });

  it.each<[Record<string, unknown>, string | undefined]>([
    [{ rota: true, tran: 'sata' }, 'rotating'],
    [{ rota: false, tran: 'nvme' }, 'solid state'],
    [{ rota: true, tran: 'virtio' }, 'virtual'],
    [{ rota: true, vendor: 'QEMU' }, 'virtual'],
    [{}, undefined],
  ])('medium of %j: %s', (more, medium) =>
    expect(describeDisk(machine([disk('sda', more)]), 'sda').facts.find((f) => f.label === 'Medium')?.value).toBe(medium),
  );

  it('versions of both slots and the last boot of an installation of ours', () => {
    const m: Machine = {
      ...machine([disk('sda', { pttype: 'gpt' }, ownLayout('sda'))]),
      installed: [
        {
          disk: 'sda',
          slots: [
            { slot: 'A', version: '2026.10.2' },
            { slot: 'B', version: null },
          ],
          lastBootAt: '2026-11-19T05:12:31Z',
        },
      ],
    };
    expect(describeDisk(m, 'sda').contents.summary).toBe(
      'an installation of this product (slot A 2026.10.2 and slot B of unknown version, last used 2026-11-19 05:12 UTC)',
    );
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['the end of the serial', { serial: 'WD-1234ABCD' }, 'serial', 'ABCD'],
    ['the size where there is no serial', { serial: null }, 'size', '100 GiB'],
    ['the size where the serial is a filler', { serial: '00000000' }, 'size', '100 GiB'],
    ['the size where the serial is too short', { serial: 'AB1' }, 'size', '100 GiB'],
    ['the size where the serial cannot be typed', { serial: 'ABC\u00e9\u00e8' }, 'size', '100 GiB'],
  ])('asks for %s', (_, more, kind, word) => expect(confirmWordOf(machine([disk('sda', more)]), 'sda')).toMatchObject({ kind, word }));

  it.each<[string, Record<string, unknown>, string, string]>([
    ['the serial where its end is its own', { serial: 'ZZZZ9999' }, 'serial', 'ABCD'],
    ['the size where a controller gives one serial to all', { serial: 'WD-1234ABCD', size: 200 * GIB }, 'size', '100 GiB'],
    ['the size where the ends differ in case only', { serial: 'QQ-abcd', size: 200 * GIB }, 'size', '100 GiB'],
    ['the name where nothing else differs', { serial: 'WD-1234ABCD' }, 'name', 'sda'],
  ])('beside a second disk asks for %s', (_, more, kind, word) =>
    expect(confirmWordOf(machine([disk('sda', { serial: 'WD-1234ABCD' }), disk('sdb', more)]), 'sda')).toMatchObject({ kind, word }),
  );
});
