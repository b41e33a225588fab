import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootFileDrift, copyBootFiles, espSync, espSyncExitCode } from '#boot/esp-sync.ts';

let dir = '';
const put = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
  fs.writeFileSync(path.join(dir, file), text);
};
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-esp-'));
  put('a/grub.cfg', 'menu 2');
  put('a/grubenv', 'env');
  put('b/grub.cfg', 'menu 1');
  put('b/grub.cfg.bak', 'menu 0');
  put('b/x86_64-efi/core.efi', 'own loader');
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

describe('boot partitions in step', () => {
  it('copies what differs, removes what is gone, leaves the loader alone, and then finds nothing', async () => {
    const [a, b] = [path.join(dir, 'a'), path.join(dir, 'b')];
    expect(await bootFileDrift(a, b)).toEqual(['grub.cfg', 'grub.cfg.bak', 'grubenv']);
    expect(await copyBootFiles(a, b)).toHaveLength(3);
    expect(fs.readFileSync(path.join(b, 'grub.cfg'), 'utf8')).toBe('menu 2');
    expect(fs.readdirSync(b).sort()).toEqual(['grub.cfg', 'grubenv', 'x86_64-efi']);
    expect(await copyBootFiles(a, b)).toEqual([]);
  });

  it('has nothing to do on one disk', async () => {
    put('etc/fstab', 'UUID=AAAA-BBBB\t/boot/efi\tvfat\tdefaults\t0\t2\n');
    const result = await espSync({ root: dir, isCheck: false });
    expect(result).toEqual({ kind: 'single' });
    expect(espSyncExitCode(result)).toBe(0);
  });

  it('fails in words when the first boot partition is not there, and says absent when the second disk is not', async () => {
    put('etc/fstab', 'UUID=0000-0001\t/boot/efi2\tvfat\tnoauto\t0\t0\n');
    const runner = async (argv: readonly string[]) => ({
      argv,
      kind: 'exited' as const,
      code: 32,
      stdout: '',
      stderr: '',
      tail: [],
      durationMs: 0,
    });
    expect(espSyncExitCode(await espSync({ root: dir, isCheck: true, runner }))).toBe(1);
    put('boot/efi/grub/grub.cfg', 'x');
    expect(await espSync({ root: dir, isCheck: true, runner })).toEqual({ kind: 'absent' });
  });
});
