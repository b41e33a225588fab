import { describe, expect, it } from 'vitest';
import { renderGrubenv, titleVersion } from '#boot/grub-menu.ts';
import { mdadmFile } from '#boot/slot-initrd.ts';
import { usedRanges } from '#installer/engine/ext4-usage.ts';
import { doneSteps, parseJournal } from '#installer/engine/journal.ts';
import { Pace } from '#installer/engine/pace.ts';
import { releaseValue } from '#installer/engine/steps/boot.ts';
import { accountIn } from '#installer/engine/steps/create-account.ts';

import { tableArguments } from '#installer/engine/steps/partition.ts';
import { newestFirst } from '#installer/engine/steps/system-tree.ts';
import { withoutTimeSources } from '#installer/engine/steps/write-files.ts';
import type { EngineEvent } from '#model/plan.ts';
import { planFor } from '../plan/samples.ts';

describe('journal', () => {
  const line = (step: string, state: string, planHash = 'a') => JSON.stringify({ at: 'x', planHash, step, state });

  it('counts a step as done by its last word, for its own plan, and survives a torn line', () => {
    const text = [
      line('one', 'started'),
      line('one', 'done'),
      line('two', 'done', 'b'),
      line('three', 'done'),
      line('three', 'started'),
      '{"at":"x","pl',
    ].join('\n');
    expect([...doneSteps(parseJournal(text), 'a')]).toEqual(['one']);
  });

  it('ignores what is no record', () => expect(parseJournal('null\n[]\n{}\n{"step":1}\n')).toEqual([]));
});

describe('progress', () => {
  it('never goes back, ends at 1 and guesses only after a while', () => {
    const { steps } = planFor();
    const seen: Extract<EngineEvent, { type: 'progress' }>[] = [];
    let nowMs = 0;
    const pace = new Pace(
      steps,
      (e) => e.type === 'progress' && seen.push(e),
      () => nowMs,
    );
    pace.within({ fraction: 0.9 });
    pace.within({ fraction: 0.1, bytesPerSecond: 5 });
    for (const step of steps) {
      nowMs += 2000;
      pace.done(step);
    }
    expect(seen[1]!.fraction).toBe(seen[0]!.fraction);
    expect(seen[1]!.bytesPerSecond).toBe(5);
    expect(seen[0]!.secondsLeft).toBeNull();
    expect(seen.at(-1)).toMatchObject({ fraction: 1, secondsLeft: 0 });
    expect(seen.every((e, i) => i === 0 || e.fraction >= seen[i - 1]!.fraction)).toBe(true);
  });
});

describe('texts that steps read and write', () => {
  it('asks sgdisk for exactly the planned table', () => {
    const layout = planFor().disks[0]!;
    const args = tableArguments(layout);
    expect(args.slice(0, 2)).toEqual(['--clear', `--disk-guid=${layout.tableUuid}`]);
    expect(args).toContain('--new=1:0:+1024K');
    expect(args).toContain('--new=4:0:+8388608K');
    expect(args).toContain('--new=6:0:0');
    expect(args).toContain('--typecode=6:8310');
  });

  it('finds an account only by its whole name', () => {
    const passwd =
      'root:x:0:0:root:/root:/bin/bash\nadministrator:x:1001:1001::/home/x:/bin/sh\nadmin:x:1000:1000:,,,:/home/admin:/bin/bash\n';
    expect(accountIn(passwd, 'admin')).toEqual({ uid: 1000, gid: 1000, home: '/home/admin' });
    expect(accountIn(passwd, 'adm')).toBeNull();
  });

  it('turns time sources off reversibly and only once', () => {
    const before =
      '# x\npool 2.debian.pool.ntp.org iburst\n server a\nsourcedir /run/chrony-dhcp\nsourcedir /etc/chrony/sources.d\npooled yes\n';
    const after = withoutTimeSources(before);
    expect(after.split('\n').filter((l) => /^\s*(pool|server|peer)\s/.test(l))).toEqual([]);
    expect(after).toContain('\nsourcedir /etc/chrony/sources.d\npooled yes\n');
    expect(withoutTimeSources(after)).toBe(after);
    expect(after.replaceAll('#spatium-no-time-source# ', '')).toBe(before);
  });

  it('refuses an mdadm.conf without arrays', () => {
    expect(mdadmFile('ARRAY /dev/md/var metadata=1.2 UUID=1:2:3:4\n').content).toContain(
      'HOMEHOST <ignore>\nMAILADDR root\nDEVICE partitions\nARRAY /dev/md/var',
    );
    expect(() => mdadmFile('')).toThrow(/no array/);
  });

  it('orders kernels by number and reads release stamps', () => {
    expect(newestFirst(['6.12.9-amd64', '6.12.10-amd64', '6.1.0-amd64'])[0]).toBe('6.12.10-amd64');
    expect(releaseValue('A="1"\nAPPLIANCE_VERSION="2026.1"\n', 'APPLIANCE_VERSION')).toBe('2026.1');
    expect(releaseValue(null, 'X')).toBeNull();
    expect(titleVersion(' unstamped ')).toBeNull();
  });

  it('makes a boot environment of exactly 1024 bytes', () => {
    expect(renderGrubenv({ a: '1' })).toHaveLength(1024);
    expect(() => renderGrubenv({ a: 'x\ny' })).toThrow(RangeError);
    expect(() => renderGrubenv({ a: 'x'.repeat(1024) })).toThrow(RangeError);
  });
});

describe('used parts of an ext4 file system', () => {
  const head = 'Block count:  100\nBlock size:  4096\nBlocks per group:  50\nInodes per group:  64\nInode size:\t  256\n\n';
  const group = (n: number, flags: string, table: string, unused: number, free: string) =>
    `Group ${n}: (Blocks x) csum 0x1${flags}\n  Inode table at ${table} (+1)\n  9 free blocks, 1 free inodes, 0 directories, ${unused} unused inodes\n  Free blocks: ${free}\n  Free inodes: 1-2\n`;
  const blocks = (text: string) => usedRanges(text).map((r) => [r.startBytes / 4096, r.lengthBytes / 4096]);

  it('leaves out free blocks and the unused end of inode tables', () => {
    // 64 inodes of 256 bytes fill 4 blocks; 40 unused leave 24 in use, two blocks.
    const text = head + group(0, '', '10-13', 40, '20-29, 31') + group(1, ' [INODE_UNINIT, BLOCK_UNINIT]', '60-63', 64, '70-99');
    expect(blocks(text)).toEqual([
      [0, 12],
      [14, 6],
      [30, 1],
      [32, 28],
      [64, 6],
    ]);
  });

  it('copies tables that are marked as zeroed', () => {
    const text = head + group(0, ' [ITABLE_ZEROED]', '10-13', 40, '') + group(1, '', '60-63', 0, '');
    expect(blocks(text)).toEqual([[0, 100]]);
  });

  it('refuses a description with a group missing, or none at all', () => {
    expect(() => usedRanges(head + group(0, '', '10-13', 40, ''))).toThrow(/1 of 2 block groups/);
    expect(() => usedRanges('dumpe2fs: Bad magic number')).toThrow(/did not describe/);
  });
});
