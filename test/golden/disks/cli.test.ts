/** `spatium machine` as an operator calls it: outputs, files and exit statuses. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { run } from '#machine/main.ts';
import { NODE } from '../../support/program.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'machine-cli-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

const machine = (args: readonly string[], input?: string) =>
  spawnSync(NODE, [path.join(repo, 'src/main.ts'), 'machine', ...args], {
    encoding: 'utf8',
    timeout: 15_000,
    ...(input === undefined ? {} : { input }),
  });

/** The same face without a process of its own, for the many ways to call it wrongly. */
async function inProcess(args: readonly string[]) {
  const collect = (stream: NodeJS.WriteStream) => {
    const pieces: string[] = [];
    const spy = vi.spyOn(stream, 'write').mockImplementation((text, ...rest) => {
      pieces.push(String(text));
      for (const done of rest) if (typeof done === 'function') done();
      return true;
    });
    return () => {
      spy.mockRestore();
      return pieces.join('');
    };
  };
  const [out, err] = [collect(process.stdout), collect(process.stderr)];
  try {
    const load = () => Promise.reject(new Error('no other face is needed'));
    const status = await run(args, { program: 'spatium machine', version: 'test', load });
    return { status, stdout: out(), stderr: err() };
  } finally {
    vi.restoreAllMocks();
  }
}

const file = (name: string, text: string): string => {
  fs.writeFileSync(path.join(dir, name), text);
  return path.join(dir, name);
};
const capture = (name: string): string => path.join(repo, 'test/fixtures/machines', name);
const listing = JSON.stringify({
  blockdevices: [{ kname: 'sda', type: 'disk', size: 64424509440, model: 'EVIL\u001b[2J', serial: 'S-1234' }],
});

it('prints disks as JSON, exactly the published fields', () => {
  const result = machine(['disks', '--machine', capture('bios-4kn.json'), '--format', 'json']);
  expect(result.status).toBe(0);
  const { disks } = JSON.parse(result.stdout) as { disks: Record<string, unknown>[] };
  expect(Object.keys(disks[0] ?? {})).toEqual(['kname', 'path', 'sizeBytes', 'selectable', 'reasons', 'warnings']);
  expect(disks[0]).toMatchObject({ kname: 'sda', path: '/dev/sda', sizeBytes: 42949672960, selectable: false });
  const [reason = {}] = (disks[0]?.['reasons'] as object[] | undefined) ?? [];
  expect(Object.keys(reason)).toEqual(['code', 'text']);
});

it('prints disks for people', () => {
  const result = machine(['disks', '--machine', capture('two-disks-uefi.json')]);
  expect(result.status).toBe(0);
  expect(result.stdout).toBe(fs.readFileSync(path.join(import.meta.dirname, 'recorded/two-disks-uefi.txt'), 'utf8'));
});

it('imports from standard input to standard output, and reads that back', () => {
  const made = machine(['import', '--lsblk', '-', '--firmware=bios'], listing);
  expect(made.status).toBe(0);
  const disks = machine(['disks', '--machine', '-'], made.stdout);
  expect(disks.status).toBe(0);
  expect(disks.stdout).toContain('serial S-1234');
  expect(disks.stdout).not.toContain('\u001b');
});

it('says what a plain lsblk -J -b cannot tell', () => {
  const made = machine(['import', '--lsblk', '-'], listing);
  expect(made.status).toBe(0);
  expect(made.stderr).toMatch(/^note: .*FSTYPE.*lsblk -J -b -O/);
});

it('import -o writes the capture to a file', () => {
  const out = path.join(dir, 'out.json');
  expect(machine(['import', '--lsblk', file('l.json', listing), '-o', out]).status).toBe(0);
  expect(JSON.parse(fs.readFileSync(out, 'utf8'))).toMatchObject({ schema: 1, source: 'lsblk', firmware: 'uefi' });
});

it.each<[string, string[], number, string]>([
  ['no command', [], 2, 'usage:'],
  ['another command', ['wipe'], 2, 'no such command "wipe"'],
  ['no listing', ['import'], 2, '--lsblk'],
  ['another firmware', ['import', '--lsblk', 'x', '--firmware', 'efi'], 2, 'uefi or bios'],
  ['another format', ['disks', '--format', 'xml'], 2, 'text or json'],
  ['an option without a value', ['disks', '--machine'], 2, 'needs a value'],
  ['an option twice', ['disks', '--format', 'json', '--format', 'text'], 2, 'twice'],
  ['a stray word', ['disks', 'sda'], 2, 'unexpected argument "sda"'],
  ['a missing file', ['disks', '--machine', '/nonexistent/m.json'], 2, 'cannot read /nonexistent/m.json'],
  ['a directory', ['disks', '--machine', os.tmpdir()], 2, 'directory'],
  [
    'an unwritable output',
    ['import', '--lsblk', file('l1.json', listing), '-o', '/nonexistent/x'],
    2,
    'cannot write /nonexistent/x: the directory /nonexistent does not exist\n',
  ],
  ['a capture as listing', ['import', '--lsblk', capture('bios-4kn.json')], 1, 'lsblk -J -b'],
  ['a listing as capture', ['disks', '--machine', file('l2.json', listing)], 1, 'machine import --lsblk'],
  ['text as listing', ['import', '--lsblk', file('t.txt', 'sda\u001b[31m')], 1, 'not JSON: first fault at line 1 column 1. '],
])('%s: exit status and the way out', async (_, args, status, words) => {
  const result = await inProcess(args);
  expect(result.stderr).toContain(words);
  expect(result.stderr).not.toContain('\u001b');
  expect(result.stdout).toBe('');
  expect(result.status).toBe(status);
});

it('--help goes to standard output', () => {
  const result = machine(['--help']);
  expect(result.status).toBe(0);
  expect(result.stdout).toContain('capture');
});
