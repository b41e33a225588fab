/** `printPlan` against kept texts: NAME.txt beside this file. UPDATE_GOLDEN=1 rewrites them, for a person to read the difference. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderGrubMenu } from '#boot/grub-menu.ts';
import { printPlan } from '#installer/plan/print-plan.ts';
import { GIB } from '#model/limits.ts';
import { applianceSettings, disk, machine, planFor, settings } from '../../unit/plan/samples.ts';

const slot = (n: number, version: string | null) => ({ uuid: `${n}1111111-1111-4111-8111-111111111111`, version });
const menu = {
  product: 'SpatiumDDI',
  slotA: slot(1, '2026.01.01-1'),
  slotB: slot(2, null),
  extraKernelWords: ['nomodeset'],
  offersRescue: true,
};

const cases: Readonly<Record<string, () => string>> = {
  'control-plane.txt': () => printPlan(planFor()),
  'appliance-static.txt': () => printPlan(planFor({ settings: applianceSettings(), machine: machine({ firmware: 'bios' }) })),
  'hostile-device-text.txt': () =>
    printPlan(
      planFor({
        target: disk({
          serial: '\u001b[2J\u202eevil',
          byId: null,
          wwn: null,
          sizeBytes: 3_000_592_982_016,
          logicalSectorBytes: 4096,
          table: 'gpt:1234\u001b[2J 1=a/536870912 2=b\n/8589934592',
        }),
      }),
    ),
  'disk-in-words.txt': () =>
    printPlan(
      planFor({
        target: disk({ byId: '/dev/disk/by-id/nvme-A_Very_Long_Model_Name_2TB_S6Z1NJ0W100001A' }),
        holds: ['5 partitions; Windows (BitLocker); FAT "SYSTEM", NTFS "Recovery \u001b" and BitLocker encrypted volume'],
        settings: settings({
          ntpServers: ['ntp-one.example.net', 'ntp-two.example.net', 'ntp-three.example.net', 'ntp-four.example.net'],
          sshAuthorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops'],
        }),
        extraKernelWords: ['nomodeset', 'console=ttyS1,115200n8'],
      }),
    ),
  'contents-not-recorded.txt': () => printPlan(planFor({ holds: [null] })),
  'whole-disk-file-system.txt': () => printPlan(planFor({ target: disk({ table: 'fs:ext4:0a1b' }) })),
  'mirror.txt': () =>
    printPlan(
      planFor({
        settings: settings({ mirrorDisk: '/dev/sdb' }),
        mirror: disk({ kname: 'sdb', path: '/dev/sdb', byId: null, sizeBytes: 64 * GIB }),
      }),
    ),
  'grub.cfg': () => renderGrubMenu(menu),
  'grub-locked.cfg': () => renderGrubMenu({ ...menu, offersRescue: false, extraKernelWords: ['x=$(a)'] }),
};

describe('plan texts', () => {
  it.each(Object.keys(cases))('%s', (name) => {
    const file = path.join(import.meta.dirname, name);
    const text = cases[name]!();
    if (process.env['UPDATE_GOLDEN'] === '1') fs.writeFileSync(file, text);
    expect(text).toBe(fs.readFileSync(file, 'utf8'));
    expect(text).toMatch(/^[\n\t -~]*$/);
    if (name.endsWith('.txt')) expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('has no kept text without a case', () => {
    const kept = fs.readdirSync(import.meta.dirname).filter((n) => !n.endsWith('.ts'));
    expect(kept.sort()).toEqual(Object.keys(cases).sort());
  });

  it('refuses words that would change the menu script', () => {
    for (const word of ["a'b", 'a b', 'a\nmenuentry', '', 'é'])
      expect(() => renderGrubMenu({ ...menu, extraKernelWords: [word] })).toThrow(RangeError);
    expect(() => renderGrubMenu({ ...menu, slotA: { uuid: 'x; reboot', version: null } })).toThrow(RangeError);
  });
});
