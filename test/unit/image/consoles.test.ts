import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const GENERATOR = path.resolve(
  import.meta.dirname,
  '../../../mkosi/mkosi.extra/usr/lib/systemd/system-generators/spatium-console-generator',
);

/** Runs the generator on a made-up machine; gives back every path it wrote, links with their targets. */
function generate(cmdline: string, active: string): string[] {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-generator-'));
  try {
    fs.mkdirSync(path.join(dir, 'proc'));
    fs.mkdirSync(path.join(dir, 'sys/class/tty/console'), { recursive: true });
    fs.writeFileSync(path.join(dir, 'proc/cmdline'), `${cmdline}\n`);
    fs.writeFileSync(path.join(dir, 'sys/class/tty/console/active'), `${active}\n`);
    const out = path.join(dir, 'out');
    fs.mkdirSync(out);
    execFileSync('sh', [GENERATOR, out, out, out], { env: { PATH: process.env['PATH'], SPATIUM_GENERATOR_ROOT: dir } });
    return fs
      .readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((e) => !e.isDirectory())
      .map((e) => {
        const file = path.join(e.parentPath, e.name);
        const name = path.relative(out, file);
        return e.isSymbolicLink() ? `${name} -> ${fs.readlinkSync(file)}` : `${name}: ${fs.readFileSync(file, 'utf8').split('\n')[1]}`;
      })
      .sort();
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

const LIVE = 'BOOT_IMAGE=/live/vmlinuz boot=live';
const UNITS = '/usr/lib/systemd/system';
const GETTY_OFF = [
  'getty@tty1.service.d/10-spatium.conf: ConditionPathExists=/run/spatiumddi/getty/tty1',
  'serial-getty@ttyS0.service.d/10-spatium.conf: ConditionPathExists=/run/spatiumddi/getty/ttyS0',
];
const wants = (face: string, ...lines: string[]): string[] =>
  lines.map((tty) => `multi-user.target.wants/${face}@${tty}.service -> ${UNITS}/${face}@.service`);

test('an installed system has the console on each of its consoles, and no login prompt there', () => {
  expect(generate('root=UUID=1 ro quiet', 'tty0 ttyS0')).toEqual([
    GETTY_OFF[0],
    ...wants('spatium-console', 'tty1', 'ttyS0'),
    GETTY_OFF[1],
  ]);
  expect(generate('root=UUID=1 ro', 'ttyAMA0')).toEqual([
    ...wants('spatium-console', 'ttyAMA0'),
    'serial-getty@ttyAMA0.service.d/10-spatium.conf: ConditionPathExists=/run/spatiumddi/getty/ttyAMA0',
  ]);
});

test('spatium-console=off leaves the login prompts as they are', () => {
  expect(generate('root=UUID=1 ro spatium-console=off', 'tty0 ttyS0')).toEqual([]);
});

test('while the installer runs the lines are its own', () => {
  expect(generate(`${LIVE} spatium-mode=install ---`, 'tty0 ttyS0')).toEqual(GETTY_OFF);
});

test('the rescue entry has a shell on each console', () => {
  expect(generate(`${LIVE} spatium-mode=live`, 'tty0 ttyS0')).toEqual([
    GETTY_OFF[0],
    ...wants('spatium-rescue', 'tty1', 'ttyS0'),
    GETTY_OFF[1],
  ]);
});

test('a word that only begins like ours means nothing', () => {
  expect(generate(`${LIVE} spatium-mode=installer`, 'tty0')).toEqual([]);
  expect(generate('xspatium-console=off spatium-console=offline', 'tty0')).toEqual([GETTY_OFF[0], ...wants('spatium-console', 'tty1')]);
});

test('every unit that the image enables exists', () => {
  const units = path.resolve(import.meta.dirname, '../../../mkosi/mkosi.extra', UNITS.slice(1));
  const links = fs.readdirSync(units, { recursive: true, withFileTypes: true }).filter((e) => e.isSymbolicLink());
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) expect(fs.existsSync(path.join(link.parentPath, link.name)), link.name).toBe(true);
});
