/** The real plan, run by the engine with the real tools on a loop device; then the disk is read with other tools. Needs root. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidsNamedIn } from '#boot/grub-menu.ts';
import { runPlan } from '#installer/engine/run-plan.ts';
import { makePlan } from '#installer/plan/make-plan.ts';
import { GIB } from '#model/limits.ts';
import type { EngineEvent, EngineResult, Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { identityOf } from '#rules/disks.ts';
import { applianceSettings } from '../unit/plan/samples.ts';
import { type BenchDisk, benchName, benchRunner, machineWith, makeDisk, sh } from './bench-disk.ts';
import { makeRoot } from './make-root.ts';

const PASSWORD = 'plant3d-Passw0rd-zq';
const PAIRING = '73519264';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHRlc3Rrb3l0ZXN0a2V5dGVzdGtleXRlc3RrZXk bench';

/** Files below `dir` on that one file system that hold `text`. */
function filesWith(text: string, dir: string): string[] {
  try {
    return sh('grep', '-rlaF', '--exclude-dir=proc', '--exclude-dir=sys', '--exclude-dir=dev', '-e', text, dir).trim().split('\n');
  } catch {
    return [];
  }
}

/** A disk of another appliance in the same box: same names and labels everywhere, other UUIDs. */
function makeLookalike(): BenchDisk {
  const other = makeDisk(33 * GIB);
  const names = ['bios_boot', 'ESP', 'state', 'root_A', 'root_B', 'var'];
  const sizes = ['1M', '64M', '64M', '64M', '64M', '64M'];
  sh('sgdisk', ...names.flatMap((name, i) => [`--new=${i + 1}:0:+${sizes[i]}`, `--change-name=${i + 1}:${name}`]), other.node);
  sh('partprobe', other.node);
  sh('mkfs.vfat', '-n', 'ESP', `${other.node}p2`);
  ['state', 'root_a', 'root_b', 'var'].forEach((label, i) => {
    sh('mkfs.ext4', '-q', '-L', label, `${other.node}p${i + 3}`);
  });
  return other;
}

/** SHA-256 of the first bytes of a disk, its table and file systems among them. */
const fingerprint = (d: BenchDisk): string => sh('sh', '-c', 'head -c 400000000 "$1" | sha256sum', 'sh', d.node);

let disk: BenchDisk;
let lookalike: BenchDisk;
let lookalikeBefore = '';
let plan: Plan;
let result: EngineResult;
const events: EngineEvent[] = [];
let target = '';
let logDir = '';
const node = (number: number) => `${disk.node}p${number}`;

beforeAll(async () => {
  const squashfs = makeRoot();
  lookalike = makeLookalike();
  lookalikeBefore = fingerprint(lookalike);
  disk = makeDisk(40 * GIB);
  target = path.join(disk.dir, 'target');
  logDir = path.join(disk.dir, 'logs');
  const machine = await machineWith([disk, lookalike]);
  const settings = { ...applianceSettings(), passwordKind: 'plain' as const, sshAuthorizedKeys: [KEY], targetDisk: disk.node };
  plan = makePlan({
    settings,
    machine,
    target: identityOf(machine, benchName(disk)),
    uuids: () => crypto.randomUUID(),
    extraKernelWords: ['norandmaps'],
    exportedAnswers: 'spatium_preseed:\n  role: appliance\n',
  });
  result = await runPlan(plan, {
    secrets: { adminPassword: new Secret(PASSWORD), adminPasswordHash: null, pairingCode: new Secret(PAIRING) },
    sourceSquashfs: squashfs,
    targetRoot: target,
    logDir,
    reprobe: () => machineWith([disk, lookalike]),
    onEvent: (event) => events.push(event),
    runner: benchRunner(),
  });
  if (result.failure) console.log(result.failure, fs.readFileSync(path.join(logDir, 'install.log'), 'utf8').slice(-4000));
  for (const [number, at] of [
    [4, ''],
    [6, 'var'],
    [3, 'var/lib/spatium-state'],
  ] as const)
    sh('mount', '-o', 'ro', node(number), path.join(target, at));
});

afterAll(() => {
  if (process.env['SPATIUM_KEEP_LOG']) fs.cpSync(logDir, process.env['SPATIUM_KEEP_LOG'], { recursive: true });
  disk?.remove();
  lookalike?.remove();
});

describe('a fresh installation on one disk', () => {
  it('does every step, passes every check, and leaves nothing mounted', () => {
    expect(result.failure).toBeNull();
    expect(result.checks.filter((c) => !c.ok)).toEqual([]);
    expect(result.checks.length).toBeGreaterThan(6);
    expect(result.ok).toBe(true);
    expect(events.filter((e) => e.type === 'step' && e.state === 'done')).toHaveLength(plan.steps.length);
    expect(events.at(-1)?.type).toBe('finished');
  });

  it('moves the progress bar forward only, and through the copy', () => {
    const fractions = events.flatMap((e) => (e.type === 'progress' ? [e.fraction] : []));
    expect(fractions.every((f, i) => f >= (fractions[i - 1] ?? 0))).toBe(true);
    expect(fractions.at(-1)).toBe(1);
    expect(fractions.length).toBeGreaterThan(plan.steps.length);
  });

  it('makes the table of the specification', () => {
    const rows = [1, 2, 3, 4, 5, 6].map((n) => {
      const text = sh('sgdisk', `--info=${n}`, disk.node);
      const field = (name: string) => new RegExp(`${name}: ('?)(\\S+?)\\1(?:\\s|$)`).exec(text)?.[2];
      return [
        field('Partition name'),
        field('Partition GUID code'),
        Number(field('First sector')),
        field('Partition unique GUID')?.toLowerCase(),
      ];
    });
    const uuids = plan.disks[0]!.partitions.map((p) => p.partUuid);
    expect(rows).toEqual([
      ['bios_boot', '21686148-6449-6E6F-744E-656564454649', 2048, uuids[0]],
      ['ESP', 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B', 4096, uuids[1]],
      ['state', '0FC63DAF-8483-4772-8E79-3D69D8477DE4', 1052672, uuids[2]],
      ['root_A', '4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709', 1576960, uuids[3]],
      ['root_B', '4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709', 18354176, uuids[4]],
      ['var', '4D21B016-B534-45C2-A9FB-5C16E091FD2D', 35131392, uuids[5]],
    ]);
    expect(sh('sgdisk', '--verify', disk.node)).toContain('No problems found');
  });

  it('labels the file systems, and fstab and the menu name only UUIDs that exist', () => {
    const blkid = (n: number, what: string) => sh('blkid', '-p', '-s', what, '-o', 'value', node(n)).trim();
    expect([2, 3, 4, 5, 6].map((n) => blkid(n, 'LABEL'))).toEqual(['ESP', 'state', 'root_a', 'root_b', 'var']);
    const existing = [2, 3, 4, 5, 6].map((n) => blkid(n, 'UUID'));
    const fstab = fs.readFileSync(path.join(target, 'etc/fstab'), 'utf8');
    const menu = sh('mtype', '-i', node(2), '::grub/grub.cfg');
    const named = [...uuidsNamedIn(menu), ...[...fstab.matchAll(/^UUID=(\S+)/gm)].map((m) => m[1]!)];
    expect(named.filter((u) => !existing.includes(u))).toEqual([]);
    expect(new Set(named).size).toBe(5);
    expect(menu).toContain('norandmaps');
  });

  it('puts both boot loaders and a fresh grubenv on the boot partition', () => {
    expect(sh('mdir', '-i', node(2), '-b', '::EFI/BOOT').toUpperCase()).toContain('BOOTX64.EFI');
    expect(sh('mdir', '-i', node(2), '-b', '::grub/i386-pc')).toContain('core.img');
    const grubenv = sh('mcopy', '-i', node(2), '-n', '::grub/grubenv', '-');
    expect(grubenv).toContain('saved_entry=slot_a\nspatium_verbose=0\n');
    expect(grubenv).toHaveLength(1024);
  });

  it('keeps root locked in the slot and in the overlay, and lets the admin in', () => {
    const shadow = (file: string) =>
      new Map(
        fs
          .readFileSync(path.join(target, file), 'utf8')
          .split('\n')
          .map((l) => [l.split(':')[0], l.split(':')[1] ?? '']),
      );
    for (const file of ['etc/shadow', 'usr/lib/etc.image/shadow', 'var/persist/etc/shadow']) expect(shadow(file).get('root')).toMatch(/^!/);
    const hash = shadow('var/persist/etc/shadow').get('ops')!;
    expect(hash).toMatch(/^\$y\$/);
    expect(
      sh(
        'python3',
        '-W',
        'ignore',
        '-c',
        'import crypt,sys;print(crypt.crypt(sys.argv[1],sys.argv[2])==sys.argv[2])',
        PASSWORD,
        hash,
      ).trim(),
    ).toBe('True');
    const keys = path.join(target, 'var/home/ops/.ssh/authorized_keys');
    expect(fs.readFileSync(keys, 'utf8')).toBe(`${KEY}\n`);
    expect(fs.statSync(keys).mode & 0o777).toBe(0o600);
    expect(fs.statSync(keys).uid).toBe(fs.statSync(path.join(target, 'var/home/ops')).uid);
    expect(fs.readFileSync(path.join(target, 'var/persist/etc/group'), 'utf8')).toMatch(/^sudo:.*:.*\bops\b/m);
  });

  it('writes the planted secrets nowhere but in the shadow hash and the 0600 file on STATE', () => {
    for (const dir of [target, logDir]) {
      expect(filesWith(PASSWORD, dir)).toEqual([]);
      expect(filesWith(PAIRING, dir)).toEqual(dir === target ? [path.join(target, 'var/lib/spatium-state/pairing-code')] : []);
    }
    expect(fs.statSync(path.join(target, 'var/lib/spatium-state/pairing-code')).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(events)).not.toContain(PASSWORD);
    expect(JSON.stringify(events)).not.toContain(PAIRING);
  });

  it('keeps the logs readable, the journal on STATE, and no host keys', () => {
    const dir = path.join(target, 'var/log/spatiumddi/install');
    expect(fs.statSync(dir).mode & 0o777).toBe(0o755);
    for (const name of ['install.log', 'plan.txt', 'plan.json', 'journal.jsonl'])
      expect(fs.statSync(path.join(dir, name)).mode & 0o777).toBe(0o644);
    expect(fs.existsSync(path.join(dir, 'verify.failed'))).toBe(false);
    expect(fs.readFileSync(path.join(target, 'var/lib/spatium-state/install/journal.jsonl'), 'utf8')).toContain('"step":"verify"');
    for (const etc of ['etc', 'usr/lib/etc.image', 'var/persist/etc'])
      expect(
        fs.existsSync(path.join(target, etc, 'ssh'))
          ? fs.readdirSync(path.join(target, etc, 'ssh')).filter((n) => n.startsWith('ssh_host'))
          : [],
      ).toEqual([]);
  });

  it('leaves another appliance disk in the box as it was', () => {
    expect(fingerprint(lookalike)).toBe(lookalikeBefore);
  });

  it('makes slot B a sound copy with the same fstab', () => {
    sh('e2fsck', '-f', '-n', node(5));
    const slotB = path.join(disk.dir, 'slot-b');
    fs.mkdirSync(slotB);
    sh('mount', '-o', 'ro', node(5), slotB);
    try {
      for (const file of ['etc/fstab', 'usr/lib/etc.image/fstab', 'boot/vmlinuz', 'boot/initrd.img'])
        expect(fs.readFileSync(path.join(slotB, file)).equals(fs.readFileSync(path.join(target, file)))).toBe(true);
    } finally {
      sh('umount', slotB);
    }
  });
});
