import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compressionOf, cpioArchive, withExtra } from '#boot/initrd-extra.ts';

const archive = cpioArchive([
  { path: 'etc/mdadm/mdadm.conf', mode: 0o644, content: 'ARRAY x\n' },
  { path: 'etc/multipath/wwids', mode: 0o600, content: '' },
]);

it('is an archive that cpio unpacks, modes and all', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-cpio-'));
  try {
    execFileSync('cpio', ['--extract', '--quiet', '--make-directories'], { cwd: dir, input: archive });
    expect(fs.readFileSync(path.join(dir, 'etc/mdadm/mdadm.conf'), 'utf8')).toBe('ARRAY x\n');
    expect(fs.statSync(path.join(dir, 'etc/multipath/wwids')).mode & 0o777).toBe(0o600);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
});

const large = cpioArchive([{ path: 'x', mode: 0o644, content: 'y'.repeat(300_000) }]);
const early = cpioArchive([{ path: 'kernel/x86/microcode/GenuineIntel.bin', mode: 0o644, content: 'abc' }]);

it.each([
  ['zstd', ['-q', '-c'], ['-q', '-d', '-c']],
  ['gzip', ['-n', '-c'], ['-d', '-c']],
] as const)('joins a %s stream behind an early archive, as the kernel and lsinitramfs read it, once', (tool, pack, unpack) => {
  const main = execFileSync(tool, [...pack], { input: archive });
  const initrd = Buffer.concat([early, Buffer.alloc(512), main]);
  expect(compressionOf(initrd)).toBe(tool);
  const once = withExtra(initrd, large);
  const stream = once.subarray(early.length + 512);
  const unpacked = execFileSync(tool, [...unpack], { input: stream, maxBuffer: 1 << 24, stdio: ['pipe', 'pipe', 'pipe'] });
  expect(unpacked.equals(Buffer.concat([archive, large]))).toBe(true);
  expect(withExtra(once, large)).toBe(once);
});

it('follows plain archives aligned and bare', () => {
  const once = withExtra(early, large);
  expect(compressionOf(early)).toBe('none');
  expect(once.length % 4).toBe(0);
  expect(once.length).toBe(early.length + large.length);
});
