import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootFileDrift, copyBootFiles, espSync, espSyncExitCode } from '#boot/esp-sync.ts';
import { readEspSyncCall } from '#boot/esp-sync-command.ts';
import { putFile } from '../../support/temp.ts';

let dir = '';
const put = (file: string, text: string): void => putFile(path.join(dir, file), text);
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
});

const FIRST = 'AAAA-0001';
const SECOND = 'AAAA-0002';

describe('the two disks of a mirror', () => {
  /** What the wait for late disks brings, and the partition that cannot be mounted. */
  let onSettle = () => {};
  let damaged = 'none';
  /** Mounts are links to folders that stand for the file systems; everything else is the real code on real files. */
  const runner = async (argv: readonly string[]) => {
    const at = argv.at(-1) ?? '';
    const isMounted = () => fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    let [code, stdout] = [0, ''];
    if (argv[0] === 'mount' && argv.at(-2)?.endsWith(damaged)) code = 32;
    else if (argv[0] === 'mount') {
      fs.rmSync(at, { recursive: true });
      fs.symlinkSync(fs.realpathSync(argv.at(-2) ?? ''), at);
    } else if (argv[0] === 'umount') {
      fs.unlinkSync(at);
      fs.mkdirSync(at);
    } else if (argv[0] === 'mountpoint') code = isMounted() ? 0 : 32;
    else if (argv[0] === 'findmnt') [code, stdout] = isMounted() ? [0, `${path.basename(fs.realpathSync(at))}\n`] : [1, ''];
    else if (argv[0] === 'udevadm') onSettle();
    else throw new Error(`not expected: ${argv.join(' ')}`);
    return { argv, kind: 'exited' as const, code, stdout, stderr: '', tail: [], durationMs: 0 };
  };
  const sync = (more: { isCheck?: boolean; mayStandIn?: boolean } = {}) => espSync({ root: dir, isCheck: false, runner, ...more });
  const plug = (uuid: string) => {
    fs.mkdirSync(path.join(dir, 'dev/disk/by-uuid'), { recursive: true });
    fs.symlinkSync(path.join(dir, 'disks', uuid), path.join(dir, 'dev/disk/by-uuid', uuid));
  };
  const unplug = (uuid: string) => fs.unlinkSync(path.join(dir, 'dev/disk/by-uuid', uuid));
  const mountOwn = (uuid: string) => runner(['mount', path.join(dir, 'disks', uuid), path.join(dir, 'boot/efi')]);
  const menuOn = (uuid: string) => fs.readFileSync(path.join(dir, 'disks', uuid, 'grub/grub.cfg'), 'utf8');

  beforeEach(async () => {
    [onSettle, damaged] = [() => {}, 'none'];
    put('etc/fstab', `UUID=${FIRST}\t/boot/efi\tvfat\tnofail\t0\t2\nUUID=${SECOND}\t/boot/efi2\tvfat\tnoauto\t0\t0\n`);
    for (const uuid of [FIRST, SECOND]) {
      put(`disks/${uuid}/grub/grub.cfg`, 'menu');
      put(`disks/${uuid}/grub/grubenv`, 'env');
      plug(uuid);
    }
    fs.mkdirSync(path.join(dir, 'boot/efi'), { recursive: true });
    fs.mkdirSync(path.join(dir, 'boot/efi2'), { recursive: true });
  });

  it('go from the first to the second, and --check changes nothing', async () => {
    await mountOwn(FIRST);
    expect(await sync()).toEqual({ kind: 'same' });
    put(`disks/${FIRST}/grub/grub.cfg`, 'new menu');
    const drift = await sync({ isCheck: true });
    expect([drift, espSyncExitCode(drift)]).toEqual([{ kind: 'drift', names: ['grub.cfg'] }, 1]);
    expect(menuOn(SECOND)).toBe('menu');
    expect(await sync()).toEqual({ kind: 'copied', names: ['grub.cfg'] });
    expect(menuOn(SECOND)).toBe('new menu');
    expect(fs.readdirSync(path.join(dir, 'boot/efi2'))).toEqual([]);
  });

  it('never copy from a boot partition without a menu', async () => {
    await mountOwn(FIRST);
    fs.rmSync(path.join(dir, `disks/${FIRST}/grub/grub.cfg`));
    expect(espSyncExitCode(await sync())).toBe(1);
    expect(menuOn(SECOND)).toBe('menu');
  });

  it('say absent when the second is lost, and fail in words when none is mounted', async () => {
    expect(await sync()).toMatchObject({ kind: 'failed', why: expect.stringContaining('no boot partition is mounted') });
    await mountOwn(FIRST);
    unplug(SECOND);
    expect(await sync()).toEqual({ kind: 'absent' });
    expect(espSyncExitCode(await sync())).toBe(0);
  });

  it('let the second stand in for a lost first, and give back to it what was changed meanwhile, once', async () => {
    unplug(FIRST);
    expect(await sync({ mayStandIn: true })).toEqual({ kind: 'stands-in' });
    put(`disks/${SECOND}/grub/grub.cfg`, 'changed alone');
    expect(await sync()).toEqual({ kind: 'absent' });
    // The next start has both again; firmware and fstab take the first.
    await runner(['umount', path.join(dir, 'boot/efi')]);
    plug(FIRST);
    await mountOwn(FIRST);
    expect(espSyncExitCode(await sync({ isCheck: true }))).toBe(1);
    expect(await sync({ mayStandIn: true })).toEqual({ kind: 'restored', names: ['grub.cfg'] });
    expect(menuOn(FIRST)).toBe('changed alone');
    put(`disks/${FIRST}/grub/grub.cfg`, 'newer');
    expect(await sync()).toEqual({ kind: 'copied', names: ['grub.cfg'] });
    expect(menuOn(SECOND)).toBe('newer');
  });

  it('take the direction from the running one when the first comes back while the second stands in', async () => {
    unplug(FIRST);
    await sync({ mayStandIn: true });
    put(`disks/${SECOND}/grub/grub.cfg`, 'changed alone');
    plug(FIRST);
    expect(await sync()).toEqual({ kind: 'restored', names: ['grub.cfg'] });
    expect(menuOn(FIRST)).toBe('changed alone');
  });

  it('are both in use when the first was only slow, and what was changed without it goes to it', async () => {
    unplug(FIRST);
    put(`disks/${SECOND}/grub/grub.cfg`, 'changed alone');
    put(`disks/${SECOND}/grub/spatium-ahead`, '');
    onSettle = () => plug(FIRST);
    expect(await sync({ mayStandIn: true })).toEqual({ kind: 'restored', names: ['grub.cfg'] });
    expect(fs.realpathSync(path.join(dir, 'boot/efi'))).toBe(path.join(dir, 'disks', FIRST));
    expect(menuOn(FIRST)).toBe('changed alone');
  });

  it('let the second stand in for a first that can no longer be mounted', async () => {
    damaged = FIRST;
    expect(await sync({ mayStandIn: true })).toEqual({ kind: 'stands-in' });
    expect(fs.realpathSync(path.join(dir, 'boot/efi'))).toBe(path.join(dir, 'disks', SECOND));
  });

  it('leave an unchanged first as it is when it returns', async () => {
    unplug(FIRST);
    await sync({ mayStandIn: true });
    await runner(['umount', path.join(dir, 'boot/efi')]);
    plug(FIRST);
    await mountOwn(FIRST);
    expect(await sync({ mayStandIn: true })).toEqual({ kind: 'same' });
  });
});

it('takes its options and no others', () => {
  expect(readEspSyncCall(['--check'])).toEqual({ root: '/', isCheck: true, mayStandIn: false });
  expect(readEspSyncCall(['--install-root', '/mnt/target'])).toMatchObject({ root: '/mnt/target' });
  for (const bad of [['--what'], ['--check', '--boot'], ['--install-root'], ['--install-root', '--check'], ['x']])
    expect(readEspSyncCall(bad)).toBeNull();
});
