import { defineConfig } from 'vitest/config';

/** Multipath, odd disks, power cuts, a second appliance, a panel: an hour more, asked for by `npm run test:vm-storage`. */
const STORAGE = 'test/vm/**/slow/**';

/** One of the five tiers; CONTRIBUTING.md says what each may do. `timeoutMs` is for what hangs: no test may depend on speed. */
const tier = (name: string, timeoutMs: number, parallel: boolean) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.{ts,tsx}`],
    exclude: process.env['SPATIUM_VM_STORAGE'] ? [] : [STORAGE],
    testTimeout: timeoutMs,
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: timeoutMs,
    fileParallelism: parallel,
    // Not where root mounts: what is still mounted below must not be removed.
    globalSetup: name === 'loop' || name === 'vm' ? [] : ['test/support/temp-root.ts'],
    env: { TZ: 'UTC', LC_ALL: 'C.UTF-8', FORCE_COLOR: '1', NO_COLOR: '', SPATIUM_TEST: '1' },
  },
});

const report = process.env['SPATIUM_REPORT'];

export default defineConfig({
  test: {
    // CI adds up the counts of its runs from these files.
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    projects: [
      tier('unit', 60_000, true),
      tier('golden', 60_000, true),
      tier('terminal', 120_000, false),
      tier('loop', 600_000, false),
      tier('vm', 1_800_000, false),
    ],
  },
});
