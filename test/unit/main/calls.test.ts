import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNetworkCall } from '../../../src/boot/network-command.ts';
import { readSlotCall } from '../../../src/boot/slot-command.ts';
import { LINK_NAMES, resolveCall, usage } from '../../../src/calls.ts';
import { ACTIONS } from '../../../src/status/action-catalogue.ts';
import { readUpdateCall } from '../../../src/supervisor/update/main.ts';

/** What reads the words after each command that an action may start. */
const READERS: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
  slot: readSlotCall,
  network: (words) => readNetworkCall(words, false) ?? 'wrong call',
  update: readUpdateCall,
};

describe('which face a call means', () => {
  it.each([
    ['/usr/bin/spatium-install', [], 'install', 'spatium-install', []],
    ['spatium-install', ['--plan'], 'install', 'spatium-install', ['--plan']],
    ['./dist/spatium-install', ['--check-preseed', 'a.yaml'], 'lint', 'spatium-install', ['--check-preseed', 'a.yaml']],
    ['spatium-install', ['--check-field', 'mtu', '1500'], 'lint', 'spatium-install', ['--check-field', 'mtu', '1500']],
    ['spatium', ['check', 'a.yaml', '--strict'], 'lint', 'spatium check', ['--check-preseed', 'a.yaml', '--strict']],
    ['spatium', ['machine', 'disks'], 'machine', 'spatium machine', ['disks']],
    ['spatium-console', ['--ascii'], 'console', 'spatium-console', ['--ascii']],
    ['spatium-network-adopt', ['--check'], 'boot', 'spatium-network-adopt', ['network', '--check']],
    [
      'spatium-preseed-parse',
      ['--check-field', 'mtu', '1400'],
      'lint',
      'spatium-preseed-parse',
      ['preseed-parse', '--check-field', 'mtu', '1400'],
    ],
    ['spatium-upgrade-slot', ['status'], 'boot', 'spatium-upgrade-slot', ['slot', 'status']],
    ['spatium', ['slot', 'commit'], 'boot', 'spatium slot', ['slot', 'commit']],
    ['spatium', ['render', '--only', 'ssh'], 'boot', 'spatium render', ['render', '--only', 'ssh']],
  ])('%s %j is %s', (calledAs, args, face, program, argv) => {
    const call = resolveCall(calledAs, args);
    expect(call?.entry.face).toBe(face);
    expect(call?.program).toBe(program);
    expect(call?.argv).toEqual(argv);
  });

  it('the build links every name, and no other', () => {
    const build = fs.readFileSync(path.resolve(import.meta.dirname, '../../../scripts/build.mjs'), 'utf8');
    const linked = /^const LINKS = \[([^\]]*)\];$/m.exec(build)?.[1]?.match(/'[^']*'/g);
    expect(linked?.sort()).toEqual(LINK_NAMES.map((n) => `'${n}'`).sort());
  });

  it('every command of ours that an action starts is one we have, with words it takes', () => {
    // A step of an action that names a tool of the host is that tool, where it is installed.
    const own = ACTIONS.filter((a) => a.tool === null)
      .flatMap((a) => a.steps)
      .filter((s) => s.argv[0]?.startsWith('spatium'));
    expect(own.length).toBeGreaterThan(0);
    for (const { argv } of own) {
      const call = resolveCall(String(argv[0]), argv.slice(1));
      const read = READERS[argv[1] ?? ''];
      const words = call?.argv[0] === argv[1] ? call?.argv.slice(1) : call?.argv;
      expect(typeof read?.(words ?? []), argv.join(' ')).toBe('object');
    }
  });

  it.each([
    ['spatium', []],
    ['spatium', ['no-such']],
    ['node', ['--help']],
  ])('%s %j means none', (calledAs, args) => {
    expect(resolveCall(calledAs, args)).toBeNull();
  });

  it('lists every command in the usage, within 100 columns', () => {
    for (const word of ['install', 'check', 'machine', 'console', 'supervise', 'status']) expect(usage()).toContain(`  ${word} `);
    expect(
      usage()
        .split('\n')
        .every((line) => line.length <= 100),
    ).toBe(true);
  });
});
