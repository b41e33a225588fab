import crypto from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { extentsOf } from '#installer/plan/layout.ts';
import { planHash } from '#installer/plan/print-plan.ts';
import { clusterDns, fstab, keyboardFile } from '#installer/plan/system-files.ts';
import { applianceSettings, countingUuids, disk, machine, planFor, settings } from './samples.ts';

const sha256 = (text: string) => crypto.createHash('sha256').update(text).digest('hex');
const fileOf = (plan: ReturnType<typeof planFor>, path: string) =>
  plan.steps
    .flatMap(({ action }) => (action.kind === 'write-files' || action.kind === 'write-base-files' ? action.files : []))
    .find((f) => f.path === path);

describe('makePlan', () => {
  it('lays the six partitions where the specification puts them', () => {
    const layout = planFor().disks[0]!;
    expect(extentsOf(layout).map((e) => e.firstSector)).toEqual([2048, 4096, 1052672, 1576960, 18354176, 35131392]);
    expect(layout.partitions.map((p) => [p.name, p.code])).toEqual([
      ['bios_boot', 'ef02'],
      ['ESP', 'ef00'],
      ['state', '8300'],
      ['root_A', '8304'],
      ['root_B', '8304'],
      ['var', '8310'],
    ]);
  });

  it('keeps the numbers on arm64, without a BIOS partition and loader', () => {
    const plan = planFor({ machine: machine({ architecture: 'arm64' }) });
    expect(plan.disks[0]!.partitions.map((p) => p.number)).toEqual([2, 3, 4, 5, 6]);
    expect(plan.steps.flatMap((s) => (s.action.kind === 'boot-loader' ? [s.action.target] : []))).toEqual(['arm64-efi']);
  });

  it('marks mirrored partitions as RAID and gives each disk its own ESP and loaders', () => {
    const plan = planFor({ settings: settings({ mirrorDisk: '/dev/sdb' }), mirror: disk({ kname: 'sdb', path: '/dev/sdb' }) });
    for (const d of plan.disks) expect(d.partitions.map((p) => p.code)).toEqual(['ef02', 'ef00', 'fd00', 'fd00', 'fd00', 'fd00']);
    expect(new Set(plan.disks.flatMap((d) => d.partitions.map((p) => p.partUuid))).size).toBe(12);
    expect(plan.steps.filter((s) => s.action.kind === 'make-array')).toHaveLength(4);
    expect(plan.steps.filter((s) => s.action.kind === 'boot-loader')).toHaveLength(4);
    expect(plan.esp2Uuid).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}$/);
    expect(plan.esp2Uuid).not.toBe(plan.filesystemUuids.esp);
  });

  it('requires the loader of the way the machine booted, and only that one', () => {
    const required = (firmware: 'uefi' | 'bios') =>
      planFor({ machine: machine({ firmware }) }).steps.flatMap((s) =>
        s.action.kind === 'boot-loader' && s.action.required ? [s.action.target] : [],
      );
    expect(required('uefi')).toEqual(['x86_64-efi']);
    expect(required('bios')).toEqual(['i386-pc']);
  });

  it('holds no secret and gives the pairing code a file of its own, mode 0600', () => {
    const plan = planFor({ settings: applianceSettings() });
    expect(fileOf(plan, '/var/lib/spatium-state/pairing-code')).toMatchObject({ mode: 0o600, secrets: ['pairing_code'] });
    expect(fileOf(plan, '/var/lib/spatium-state/spatium-config.yaml')!.content).not.toMatch(/pairing/);
    expect(fileOf(plan, '/etc/spatiumddi/role-config')!.content).toBe('ROLE=appliance\nCONTROL_PLANE_URL=https://ddi.example.net\n');
  });

  it('pins no k3s range on an additional node and removes one that is there', () => {
    const plan = planFor({ settings: applianceSettings() });
    expect(fileOf(plan, '/etc/rancher/k3s/config.yaml.d/spatium-cidrs.yaml')).toBeUndefined();
    const write = plan.steps.find((s) => s.action.kind === 'write-files')!.action;
    expect(write.kind === 'write-files' && write.remove).toContain('/etc/rancher/k3s/config.yaml.d/spatium-cidrs.yaml');
    expect(fileOf(planFor(), '/etc/rancher/k3s/config.yaml.d/spatium-cidrs.yaml')!.content).toContain('cluster-dns: "10.43.0.10"');
  });

  it('refuses to plan a mirror that nobody asked for, and the reverse', () => {
    expect(() => planFor({ mirror: disk() })).toThrow(RangeError);
    expect(() => planFor({ settings: settings({ mirrorDisk: '/dev/sdb' }) })).toThrow(RangeError);
  });

  it('has unique step ids and titles that fit', () => {
    const { steps } = planFor({ settings: settings({ mirrorDisk: '/dev/sdb', adminUser: 'x'.repeat(32) }), mirror: disk() });
    expect(new Set(steps.map((s) => s.id)).size).toBe(steps.length);
    for (const s of steps) expect(s.title.length).toBeLessThanOrEqual(50);
  });

  it('hashes equal plans alike and different ones apart', () => {
    expect(planHash(planFor(), sha256)).toBe(planHash(planFor(), sha256));
    expect(planHash(planFor(), sha256)).not.toBe(planHash(planFor({ settings: settings({ hostname: 'b' }) }), sha256));
    expect(planHash(JSON.parse(JSON.stringify(planFor())), sha256)).toBe(planHash(planFor(), sha256));
  });
});

describe('files of the system', () => {
  it('computes the DNS address of the service range', () => {
    expect(clusterDns('10.43.0.0/16')).toBe('10.43.0.10');
    expect(clusterDns('172.16.255.248/29')).toBe('172.17.0.2');
    expect(clusterDns('203.0.113.0/24')).toBe('203.0.113.10');
  });

  it('names file systems by UUID only', () => {
    const uuid = countingUuids();
    const text = fstab({ esp: 'AAAA-BBBB', state: uuid(), root_a: uuid(), root_b: uuid(), var: uuid() }, null);
    expect(text).not.toMatch(/LABEL=/);
    expect(text.split('\n').filter((l) => l.startsWith('UUID='))).toHaveLength(3);
  });

  it('maps keymap names to the X keyboard database', () => {
    expect(keyboardFile('uk')).toContain('XKBLAYOUT="gb"');
    expect(keyboardFile('br-abnt2')).toMatch(/XKBLAYOUT="br"\nXKBVARIANT="abnt2"/);
    expect(keyboardFile('jp106')).toContain('XKBMODEL="jp106"');
    expect(keyboardFile('de')).toContain('XKBLAYOUT="de"');
  });
});
