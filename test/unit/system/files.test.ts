import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '#model/secret.ts';
import {
  ensureDir,
  factsOf,
  linkAtomic,
  listNames,
  readBytes,
  readLink,
  readTextIfExists,
  remove,
  renameDurably,
  sweepTemporaries,
  writeAtomic,
} from '#system/files.ts';
import { acquireLock, LockedError } from '#system/lock.ts';
import { Log } from '#system/log.ts';

let dir = '';
beforeEach(async () => {
  dir = await fs.mkdtemp(path.join(os.tmpdir(), 'spatium-files-'));
});
afterEach(() => fs.rm(dir, { recursive: true, force: true }));

describe('files', () => {
  it('writes with the exact mode, whatever the umask, and leaves no temporary file', async () => {
    const file = path.join(dir, 'a');
    const before = process.umask(0o077);
    await writeAtomic(file, 'one', { mode: 0o644 });
    await writeAtomic(file, 'two', { mode: 0o600 });
    process.umask(before);
    expect(await readTextIfExists(file)).toBe('two');
    expect((await factsOf(file))?.mode).toBe(0o600);
    expect(await listNames(dir)).toEqual(['a']);
  });

  it('keeps the old content when the new cannot be written', async () => {
    const file = path.join(dir, 'a');
    await writeAtomic(file, 'old');
    await expect(writeAtomic(file, 'new', { owner: { uid: -5, gid: 0 } })).rejects.toThrow();
    expect(await readTextIfExists(file)).toBe('old');
    expect(await listNames(dir)).toEqual(['a']);
  });

  it('lets two writers of one file each write it whole, and one of them wins', async () => {
    const file = path.join(dir, 'a');
    const texts = Array.from({ length: 8 }, (_, i) => String(i).repeat(100_000));
    await Promise.all(texts.map((text) => writeAtomic(file, text)));
    expect(texts).toContain(await readTextIfExists(file));
    expect(await listNames(dir)).toEqual(['a']);
  });

  it('sweeps what a killed writer left, and nothing else', async () => {
    const left = '.a.4711.0123456789ab.new';
    for (const name of [left, '.a.new', 'a.4711.0123456789ab.new', '.hidden']) await fs.writeFile(path.join(dir, name), '');
    await sweepTemporaries(dir);
    expect(await listNames(dir)).toEqual(['.a.new', '.hidden', 'a.4711.0123456789ab.new']);
  });

  it('moves a folder, swaps a link and reads it back; what is no link reads as null', async () => {
    await fs.mkdir(path.join(dir, 'x'));
    await renameDurably(path.join(dir, 'x'), path.join(dir, 'y'));
    await linkAtomic('y', path.join(dir, 'current'));
    await linkAtomic('z', path.join(dir, 'current'));
    expect(await readLink(path.join(dir, 'current'))).toBe('z');
    expect(await readLink(path.join(dir, 'y'))).toBeNull();
    expect(await readLink(path.join(dir, 'none'))).toBeNull();
    expect(await listNames(dir)).toEqual(['current', 'y']);
  });

  it('answers null and empty for what is missing', async () => {
    expect(await readTextIfExists(path.join(dir, 'none'))).toBeNull();
    expect(await factsOf(path.join(dir, 'none'))).toBeNull();
    expect(await listNames(path.join(dir, 'none'))).toEqual([]);
    await remove(path.join(dir, 'none'));
  });

  it('replaces a link and reads only as many bytes as asked', async () => {
    await writeAtomic(path.join(dir, 'x'), 'abcdef');
    await linkAtomic('x', path.join(dir, 'l'));
    await linkAtomic('y', path.join(dir, 'l'));
    expect(await fs.readlink(path.join(dir, 'l'))).toBe('y');
    expect(Buffer.from(await readBytes(path.join(dir, 'x'), 4)).toString()).toBe('abcd');
    expect(await readBytes(path.join(dir, 'x'), 100)).toHaveLength(6);
  });
});

describe('lock', () => {
  it('admits one holder, and the next after release', async () => {
    const file = path.join(dir, 'lock');
    const lock = await acquireLock(file);
    await expect(acquireLock(file)).rejects.toThrow(LockedError);
    await lock.release();
    await (await acquireLock(file)).release();
    expect(await listNames(dir)).toEqual([]);
  });

  it('takes over a lock left by an earlier boot, a reused pid or a torn write', async () => {
    const file = path.join(dir, 'lock');
    for (const stale of [`${process.pid} 1 some-other-boot\n`, '999999999 5 x\n', '']) {
      await fs.writeFile(file, stale);
      await (await acquireLock(file)).release();
    }
    expect(await listNames(dir)).toEqual([]);
  });
});

describe('log', () => {
  it('masks secrets in every form given, escapes control characters, and stamps each line', async () => {
    const file = path.join(dir, 'log');
    const log = new Log({ path: file, now: () => new Date('2026-01-02T03:04:05Z') });
    log.hide(new Secret('hunter22'));
    log.hide(new Secret('hunter22-long'));
    log.write('a hunter22-long b hunter22\n\u001b[2Jx');
    log.close();
    expect(await readTextIfExists(file)).toBe('2026-01-02T03:04:05.000Z a *** b ***\n2026-01-02T03:04:05.000Z \\x1b[2Jx\n');
  });

  it('stops growing at its limit and says so', async () => {
    const file = path.join(dir, 'log');
    const log = new Log({ path: file, maxBytes: 400 });
    for (let i = 0; i < 100; i += 1) log.write(`line ${i}`);
    log.close();
    const text = (await readTextIfExists(file)) ?? '';
    expect(text.length).toBeLessThan(500);
    expect(text.trimEnd().endsWith('later lines are dropped]')).toBe(true);
  });

  it('closes only the directory that is asked for, not the ones above it', async () => {
    await ensureDir(path.join(dir, 'a/b/c'), 0o700);
    const modes = await Promise.all(['a', 'a/b', 'a/b/c'].map(async (name) => (await fs.stat(path.join(dir, name))).mode & 0o777));
    expect(modes).toEqual([0o755, 0o755, 0o700]);
  });

  it('never puts a file in the place of a device, a pipe or a directory', async () => {
    const fs = await import('node:fs');
    const before = fs.statSync('/dev/full').rdev;
    await expect(writeAtomic('/dev/full', 'x')).rejects.toThrow('/dev/full is a device, not a file that could be replaced');
    expect(fs.statSync('/dev/full')).toMatchObject({ rdev: before });
    expect(fs.statSync('/dev/full').isCharacterDevice()).toBe(true);
    await expect(writeAtomic('/tmp', 'x')).rejects.toThrow('a directory');
  });
});
