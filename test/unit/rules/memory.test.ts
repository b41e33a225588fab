import { expect, it } from 'vitest';
import { GIB } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import { judge } from '#rules/judge.ts';
import server from '../../fixtures/wizard/server.json' with { type: 'json' };

const rules = (memoryBytes: number | null, role: string): string[] =>
  judge({ role }, { ...(server as unknown as Machine), memoryBytes }, 'lint')
    .filter((finding) => finding.rule.startsWith('machine.memory'))
    .map(({ rule, path, severity }) => `${severity} ${rule} ${path}`);

// The kernel keeps a part, so 3.8 GiB is a machine with 4 GiB.
it.each([
  [3.8 * GIB, 'control-plane', ['warning machine.memory-small role']],
  [3.8 * GIB, 'appliance', []],
  [3.4 * GIB, 'control-plane', ['warning machine.memory-low role']],
  [2.4 * GIB, 'appliance', ['warning machine.memory-low role']],
  [2.9 * GIB, 'appliance', []],
  [6 * GIB, 'control-plane', ['warning machine.memory-small role']],
  [6 * GIB, 'appliance', []],
  [7.6 * GIB, 'control-plane', []],
  [null, 'control-plane', []],
  [1 * GIB, 'no-such-role', []],
])('%d bytes as %s', (bytes, role, said) => {
  expect(rules(bytes, role)).toEqual(said);
});
