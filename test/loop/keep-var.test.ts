/** Reinstalling with /var kept, on a loop device: what must survive, what must be new, and that a second try harms nothing. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPlan } from '#installer/engine/run-plan.ts';
import type { Settings } from '#model/answers.ts';
import { GIB } from '#model/limits.ts';
import type { EngineEvent, EngineResult } from '#model/plan.ts';
import { putFile } from '../support/temp.ts';
import { type BenchDisk, benchOptions, machineWith, makeDisk, planOn, sh } from './bench-disk.ts';

let disk: BenchDisk;
let at = '';
const node = (number: number) => `${disk.node}p${number}`;

async function install(more: Partial<Settings>, stopAt?: string): Promise<EngineResult> {
  const machine = await machineWith([disk]);
  const abort = new AbortController();
  const plan = planOn(disk, machine, more);
  return runPlan(plan, {
    ...benchOptions(disk),
    onEvent: (e: EngineEvent) => e.type === 'step' && e.state === 'started' && e.id === stopAt && abort.abort(),
    signal: abort.signal,
  });
}

/** Work on the installed disk as its own system would see it, without booting it. */
function within<T>(options: string, look: (at: string) => T): T {
  const mounts = [
    [4, ''],
    [6, 'var'],
    [3, 'var/lib/spatium-state'],
  ] as const;
  for (const [number, dir] of mounts) sh('mount', '-o', options, node(number), path.join(at, dir));
  try {
    return look(at);
  } finally {
    for (const [, dir] of [...mounts].reverse()) sh('umount', path.join(at, dir));
  }
}

beforeAll(async () => {
  disk = makeDisk(40 * GIB);
  at = path.join(disk.dir, 'look');
  fs.mkdirSync(at);
  expect((await install({ adminUser: 'ops' })).ok).toBe(true);
  within('rw', (root) => {
    const put = (file: string, text: string, mode = 0o644): void => putFile(path.join(root, file), text, mode);
    put('var/lib/postgres-marker', 'data');
    put('var/log/kept.log', 'log');
    put('var/lib/spatium-state/ssh/ssh_host_ed25519_key', 'KEY', 0o600);
    put('var/persist/etc/spatiumddi/.env', 'POSTGRES_PASSWORD=old', 0o600);
    put('var/persist/etc/rancher/node/password', 'nodepw', 0o600);
    put('var/persist/etc/odd-old-file', 'x');
    put('var/lib/dpkg/status', 'of the old system');
    put('var/home/ops/notes', 'mine');
    for (const [dir, uid] of [
      ['var/home/ops', 1555],
      ['var/home/ops/notes', 1555],
    ] as const)
      fs.chownSync(path.join(root, dir), uid, uid);
    put('etc/only-in-old-slot', 'x');
  });
});

afterAll(() => disk?.remove());

describe('reinstalling with /var kept', () => {
  it('survives a first attempt that was stopped in the middle', async () => {
    const result = await install({ adminUser: 'ops', keepVar: true }, 'account');
    expect(result.ok).toBe(false);
    expect(result.nothingWritten).toBe(false);
    expect(result.failure?.message).toMatch(/stopped on request/);
    expect(fs.readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(disk.dir);
  });

  it('then keeps the data and what opens it, and replaces the rest', async () => {
    const before = sh('sgdisk', '--print', disk.node);
    const result = await install({ adminUser: 'ops', keepVar: true, hostname: 'ddi-1' });
    expect(result.failure).toBeNull();
    expect(result.checks.filter((c) => !c.ok)).toEqual([]);
    expect(sh('sgdisk', '--print', disk.node)).toBe(before);
    within('ro', (root) => {
      const text = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
      expect(text('var/lib/postgres-marker')).toBe('data');
      expect(text('var/log/kept.log')).toBe('log');
      expect(text('var/lib/spatium-state/ssh/ssh_host_ed25519_key')).toBe('KEY');
      expect(text('var/persist/etc/spatiumddi/.env')).toBe('POSTGRES_PASSWORD=old');
      expect(fs.statSync(path.join(root, 'var/persist/etc/spatiumddi/.env')).mode & 0o777).toBe(0o600);
      expect(text('var/persist/etc/rancher/node/password')).toBe('nodepw');
      expect(text('var/persist/etc.previous/odd-old-file')).toBe('x');
      expect(fs.statSync(path.join(root, 'var/persist/etc.previous')).mode & 0o777).toBe(0o700);
      expect(fs.existsSync(path.join(root, 'var/persist/etc/odd-old-file'))).toBe(false);
      expect(fs.existsSync(path.join(root, 'var/persist/etc.incomplete'))).toBe(false);
      expect(text('var/lib/dpkg/status')).toContain('Package:');
      expect(fs.existsSync(path.join(root, 'etc/only-in-old-slot'))).toBe(false);
      const home = fs.statSync(path.join(root, 'var/home/ops'));
      expect(text('var/home/ops/notes')).toBe('mine');
      expect(fs.statSync(path.join(root, 'var/home/ops/notes')).uid).toBe(home.uid);
      expect(text('var/persist/etc/passwd')).toContain(`ops:x:${home.uid}:`);
      expect(fs.readdirSync(path.join(root, 'usr')).length).toBeGreaterThan(3);
    });
  });
});
