import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { cpioArchive, withExtra } from '#boot/initrd-extra.ts';

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

it('joins a zstd stream, as the kernel and lsinitramfs read it, once', () => {
  const large = cpioArchive([{ path: 'x', mode: 0o644, content: 'y'.repeat(300_000) }]);
  const stream = execFileSync('zstd', ['-q', '-c'], { input: 'initrd;' });
  const once = withExtra(stream, large);
  expect(
    execFileSync('zstd', ['-q', '-d', '-c'], { input: once, maxBuffer: 1 << 24 }).equals(Buffer.concat([Buffer.from('initrd;'), large])),
  ).toBe(true);
  expect(withExtra(once, large)).toBe(once);
});
