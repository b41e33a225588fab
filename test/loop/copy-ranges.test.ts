/** Copies between devices: whole, and what one says when a device fails. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { copyRanges } from '#system/copy-ranges.ts';
import { withEarlyWriteback } from '#system/writeback.ts';

const RANGES = [{ startBytes: 4096, lengthBytes: 8192 }];

it('names the device and the byte where it failed', async () => {
  await expect(copyRanges('/dev/zero', '/dev/full', RANGES)).rejects.toThrow(/^writing \/dev\/full at byte 4096: ENOSPC/);
  await expect(copyRanges('/proc/self/mem', '/dev/null', RANGES)).rejects.toThrow(/^reading \/proc\/self\/mem at byte 4096: EIO/);
  await expect(copyRanges('/dev/null', '/dev/null', RANGES)).rejects.toThrow('/dev/null ends at byte 4096');
});

it('copies every byte of its ranges and none beside them', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-copy-'));
  try {
    const [from, to] = [path.join(dir, 'from'), path.join(dir, 'to')];
    const data = crypto.randomBytes(23 * 1024 ** 2 + 5);
    fs.writeFileSync(from, data);
    fs.writeFileSync(to, Buffer.alloc(data.length));
    const ranges = [
      { startBytes: 0, lengthBytes: 1 },
      { startBytes: 4095, lengthBytes: 9 * 1024 ** 2 + 1 },
      { startBytes: 10 * 1024 ** 2, lengthBytes: 4 * 1024 ** 2 },
      { startBytes: 15 * 1024 ** 2, lengthBytes: 8 * 1024 ** 2 + 5 },
    ];
    const seen: number[] = [];
    await copyRanges(from, to, ranges, { onBytes: (done) => seen.push(done) });
    const expected = Buffer.alloc(data.length);
    for (const r of ranges) data.copy(expected, r.startBytes, r.startBytes, r.startBytes + r.lengthBytes);
    expect(fs.readFileSync(to).equals(expected)).toBe(true);
    expect(seen.at(-1)).toBe(ranges.reduce((sum, r) => sum + r.lengthBytes, 0));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const stop = new AbortController();
    await expect(copyRanges(from, to, ranges, { onBytes: () => stop.abort(), signal: stop.signal })).rejects.toThrow(/abort/i);
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
});

it("gives the kernel's settings of writing back as they were, after a failure too", async () => {
  const names = ['dirty_background_bytes', 'dirty_background_ratio', 'dirty_bytes', 'dirty_ratio'];
  const now = () => names.map((n) => fs.readFileSync(`/proc/sys/vm/${n}`, 'utf8').trim());
  const before = now();
  expect(await withEarlyWriteback(async () => now())).toEqual([String(16 * 1024 ** 2), '0', String(256 * 1024 ** 2), '0']);
  expect(now()).toEqual(before);
  await expect(withEarlyWriteback(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(now()).toEqual(before);
  expect(await withEarlyWriteback(async () => 'runs', '/proc/nowhere')).toBe('runs');
});
