import { describe, expect, it } from 'vitest';
import { resolveCall, usage } from '../../../src/calls.ts';

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
    ['spatium', ['render', '--only', 'ssh'], 'boot', 'spatium render', ['render', '--only', 'ssh']],
  ])('%s %j is %s', (calledAs, args, face, program, argv) => {
    const call = resolveCall(calledAs, args);
    expect(call?.entry.face).toBe(face);
    expect(call?.program).toBe(program);
    expect(call?.argv).toEqual(argv);
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
