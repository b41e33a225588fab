/** The real grub-editenv on the block of a temporary root. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderGrubenv, renderGrubMenu } from '../../../src/boot/grub-menu.ts';
import { readSlotCall, slotCommand } from '../../../src/boot/slot-command.ts';
import type { Target } from '../../../src/boot/target.ts';
import { run } from '../../../src/system/run.ts';
import { putFile } from '../../support/temp.ts';

const GRUB = '/boot/efi/grub';
const VERSIONS = '/var/lib/spatiumddi/release-state/slot-versions.json';
let root: string;
let notes: string[];
let target: Target;

const put = (file: string, text: string): void => putFile(path.join(root, file), text);
/** What GRUB's own tool reads, sorted. */
const env = (): string[] =>
  execFileSync('grub-editenv', [path.join(root, GRUB, 'grubenv'), 'list'], { encoding: 'utf8' })
    .split('\n')
    .filter((l) => l !== '')
    .sort();
const slot = (...words: string[]) => {
  const call = readSlotCall(words);
  if (typeof call === 'string') throw new Error(call);
  return slotCommand(target, call, true);
};
const runs = (letter: 'A' | 'B'): void => put('/sys/dev/block/8:3/uevent', `DEVNAME=sda3\nPARTNAME=root_${letter}\n`);
const FRESH = ['saved_entry=slot_a', 'spatium_verbose=0'];

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-slot-'));
  notes = [];
  target = { root, run, note: (text) => notes.push(text) };
  put(`${GRUB}/grubenv`, renderGrubenv({ saved_entry: 'slot_a', spatium_verbose: '0' }));
  const uuid = (c: string): string => `${c.repeat(8)}-0000-4000-8000-000000000000`;
  const menu = { product: 'P', slotA: { uuid: uuid('a'), version: '1' }, slotB: { uuid: uuid('b'), version: '2' } };
  put(`${GRUB}/grub.cfg`, renderGrubMenu({ ...menu, extraKernelWords: [], offersRescue: true }));
  put(VERSIONS, '{"slot_a":"2026.05.01-1","slot_b":"2026.06.01-1"}');
  put('/proc/self/mountinfo', '29 1 8:3 / / rw,relatime shared:1 - ext4 /dev/sda3 rw\n');
  runs('A');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

describe('spatium slot', () => {
  it('sets the other slot for one boot, and the kept one stays', async () => {
    const { code, text } = await slot('set-next-boot');
    expect([code, env()]).toEqual([0, ['next_entry=slot_b', ...FRESH]]);
    expect(text).toBe('slot_b (2026.06.01-1) starts at the next boot, once; after that slot_a again\n');
    expect(fs.statSync(path.join(root, GRUB, 'grubenv')).size).toBe(1024);
    expect((await slot('status')).text).toBe('slot_a  2026.05.01-1  running, kept\nslot_b  2026.06.01-1  next boot\n');
  });

  it('keeps a trial that runs, and a repetition changes nothing', async () => {
    runs('B');
    expect((await slot('status')).text).toContain('trial: the next boot is slot_a unless this slot is kept');
    for (let i = 0; i < 2; i += 1) expect([(await slot('commit')).code, env()]).toEqual([0, ['saved_entry=slot_b', 'spatium_verbose=0']]);
    expect(JSON.parse((await slot('status', '--json')).text)).toMatchObject({ booted: 'slot_b', durable: 'slot_b', is_trial: false });
  });

  it('a durable choice ends a pending one-shot', async () => {
    await slot('set-next-boot', 'slot_b');
    expect([(await slot('set-default', 'slot_a')).code, env()]).toEqual([0, FRESH]);
    await slot('set-next-boot', 'slot_a');
    expect([(await slot('rollback')).code, env()]).toEqual([0, ['saved_entry=slot_b', 'spatium_verbose=0']]);
  });

  it.each([
    ['{"slot_a":"2026.05.01-1","slot_b":"unknown"}', 'its version is not known'],
    ['{"slot_a":"2026.05.01-1","slot_b":"unstamped"}', 'its version is unstamped'],
    ['{"slot_a":"2026.05.01-1","slot_b":"unreadable"}', 'its version is unreadable'],
    ['{"slot_a":"2026.05.01-1"}', 'its version is not known'],
    ['not JSON', 'its version is not known'],
  ])('with versions %s no verb switches to slot_b', async (versions, why) => {
    put(VERSIONS, versions);
    for (const words of [['set-next-boot'], ['set-next-boot', 'slot_b'], ['set-default', 'slot_b'], ['rollback']]) {
      expect([(await slot(...words)).code, env()]).toEqual([1, FRESH]);
      expect(notes.at(-1)).toContain(why);
    }
  });

  it('refuses a slot that the menu has no entry for, and to commit one that does not run', async () => {
    expect((await slot('commit', 'slot_b')).code).toBe(1);
    put(`${GRUB}/grub.cfg`, 'menuentry x --id slot_a {\n}\n');
    expect((await slot('set-next-boot')).code).toBe(1);
    expect([env(), notes.length]).toEqual([FRESH, 2]);
  });

  it('does not guess which slot runs, and says when there is no boot partition', async () => {
    put('/sys/dev/block/8:3/uevent', 'DEVNAME=sda3\n');
    for (const verb of ['set-next-boot', 'commit', 'rollback']) expect((await slot(verb)).code).toBe(2);
    expect((await slot('status')).text).toContain('not known: which slot runs');
    expect(env()).toEqual(FRESH);
    fs.rmSync(path.join(root, GRUB, 'grubenv'));
    expect((await slot('status')).code).toBe(2);
    expect(notes.at(-1)).toContain('/boot/efi/grub/grubenv is not there');
  });

  it('a damaged block is an error of the tool, not a success', async () => {
    put(`${GRUB}/grubenv`, 'saved_entry=slot_a\n');
    expect((await slot('set-next-boot')).code).toBe(3);
    expect(notes.at(-1)).toMatch(/grub-editenv: exit status 1: .*invalid/);
  });

  it('says that the second boot partition of a degraded mirror was left as it is', async () => {
    put('/etc/fstab', 'UUID=DEAD-0001 /boot/efi vfat nofail 0 2\nUUID=DEAD-BEEF /boot/efi2 vfat nofail 0 0\n');
    expect((await slot('set-next-boot')).code).toBe(0);
    expect(notes).toEqual(['one of the two disks is not there; its boot partition keeps the old state until it is back']);
  });

  it('only root changes the running system', async () => {
    const calls: (readonly string[])[] = [];
    const live: Target = {
      root: '/',
      note: (text) => notes.push(text),
      run: async (argv) => {
        calls.push(argv);
        return run(['false']);
      },
    };
    expect((await slotCommand(live, { verb: 'rollback', slot: null, json: false }, false)).code).toBe(1);
    expect([calls, notes[0]]).toEqual([[], 'spatium slot: rollback changes the boot loader: run it as root']);
  });
});

describe('words', () => {
  it.each([
    [[]],
    [['bogus']],
    [['toString']],
    [['set-default']],
    [['set-default', 'b']],
    [['rollback', 'slot_a']],
    [['commit', 'slot_a', 'x']],
    [['commit', '--json']],
  ])('%j is a wrong call', (words) => expect(typeof readSlotCall(words)).toBe('string'));

  it.each([
    [['apply'], /64 hex/],
    [['apply', 'x.squashfs'], /64 hex/],
    [['apply', 'x.squashfs', '--sha256', 'abc'], /64 hex/],
    [['apply', '--sha256', 'a'.repeat(64)], /path of an image/],
    [['apply', 'x', 'y', '--sha256', 'a'.repeat(64)], /one word too many/],
  ])('apply takes no image without its hash: %j', (words, wanted) => {
    expect(readSlotCall(words)).toMatch(wanted);
  });

  it('apply refuses the slot that starts next, and an image that is not what was published, with nothing written', async () => {
    put('/image', 'x');
    const sha256 = 'a'.repeat(64);
    await slot('set-next-boot', 'slot_b');
    expect((await slot('apply', path.join(root, 'image'), '--sha256', sha256)).code).toBe(1);
    expect(notes.at(-1)).toContain('slot_b is what starts next');
    await slot('set-default', 'slot_a');
    expect((await slot('apply', path.join(root, 'image'), '--sha256', sha256)).code).toBe(1);
    expect(notes.at(-1)).toMatch(/has the SHA-256 2d711642.*nothing was written/);
    expect(JSON.parse(fs.readFileSync(path.join(root, VERSIONS), 'utf8'))).toMatchObject({ slot_b: '2026.06.01-1' });
  });

  it('prepare refuses the slot that runs', async () => {
    expect((await slot('prepare', 'slot_a')).code).toBe(1);
    expect(notes.at(-1)).toContain('slot_a runs');
  });
});
