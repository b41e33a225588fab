/** Answers against a recorded machine: disks and ports become real. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Answers } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import { Secret } from '#model/secret.ts';
import { judge } from '#rules/judge.ts';

const load = (name: string): Machine =>
  JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, `../../fixtures/machines/${name}.json`), 'utf8'));
const twoDisks = load('two-disks-uefi');
const reinstall = load('own-reinstall');
const wholeDisks = (machine: Machine) => machine.devices.filter((device) => device.type === 'disk');

const good = (machine: Machine): Answers => ({
  role: 'control-plane',
  target_disk: wholeDisks(machine)[0]?.path ?? '',
  confirm_wipe: 'true',
  hostname: 'ddi-one',
  admin_password: new Secret('Zephyr-98_Saffron'),
  timezone: 'UTC',
  network: { mode: 'dhcp' },
});
const errorsOf = (answers: Answers, machine: Machine): string[] =>
  judge(answers, machine, 'install')
    .filter((f) => f.severity === 'error')
    .map((f) => f.rule);

test('a disk of the machine is fine, by any of its names', () => {
  const [disk] = wholeDisks(twoDisks);
  for (const name of [disk!.path, ...disk!.links]) expect(errorsOf({ ...good(twoDisks), target_disk: name }, twoDisks)).toEqual([]);
});

test('a disk that is not there is an error that names those that are', () => {
  const [finding] = judge({ ...good(twoDisks), target_disk: '/dev/disk/by-id/ata-NONE' }, twoDisks, 'lint').filter(
    (f) => f.rule === 'disk.absent',
  );
  expect(finding).toMatchObject({ severity: 'error', fix: expect.stringContaining(wholeDisks(twoDisks)[0]!.path) });
});

test('a machine that was only looked at in part proves no absence', () => {
  const found = judge({ ...good(twoDisks), target_disk: '/dev/disk/by-id/ata-NONE' }, { ...twoDisks, devices: [], partial: true }, 'lint');
  expect(found).toMatchObject([{ rule: 'disk.absent-here', severity: 'warning', unchecked: true }]);
});

test('a mirror on the target itself, by another name', () => {
  const disk = wholeDisks(twoDisks).find((d) => d.links.length > 0)!;
  expect(errorsOf({ ...good(twoDisks), target_disk: disk.path, mirror_disk: disk.links[0]! }, twoDisks)).toEqual(['mirror.same']);
});

test('ports are looked up where they were recorded', () => {
  const answers: Answers = { ...good(twoDisks), network: { mode: 'dhcp', interface: 'nope0' } };
  expect(errorsOf(answers, twoDisks)).toEqual(twoDisks.interfaces ? ['network.interface-absent'] : []);
  expect(errorsOf(answers, { ...twoDisks, interfaces: null })).toEqual([]);
});

test('an account of the image is reserved', () => {
  expect(errorsOf({ ...good(twoDisks), admin_user: 'frr' }, { ...twoDisks, accounts: ['root', 'frr'] })).toEqual(['user.reserved']);
});

test('keep_var needs an installation to keep', () => {
  expect(errorsOf({ ...good(twoDisks), keep_var: 'true' }, twoDisks)).toEqual(['keep.refused']);
  const own = reinstall.installed?.[0]?.disk;
  const disk = reinstall.devices.find((d) => d.kname === own);
  expect(errorsOf({ ...good(reinstall), target_disk: disk?.path ?? '', keep_var: 'true' }, reinstall)).toEqual([]);
});

test.each<[string, Machine['firmware'], string[]]>([
  ['x86_64', 'bios', []],
  ['amd64', 'uefi', []],
  ['aarch64', 'uefi', []],
  ['arm64', 'bios', ['machine.architecture']],
  ['riscv64', 'uefi', ['machine.architecture']],
  ['i686', 'bios', ['machine.architecture']],
  ['', 'uefi', ['machine.architecture']],
])('a machine of architecture "%s" with %s', (architecture, firmware, rules) => {
  const made: Machine = { ...twoDisks, architecture, firmware };
  expect(errorsOf(good(made), made)).toEqual(rules);
  expect(errorsOf(good(made), { ...made, partial: true })).not.toContain('machine.architecture');
});
