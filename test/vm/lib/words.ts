/**
 * Kernel words of every machine under test. Software emulation is twice as fast without address randomisation. On a busy host its
 * timer comes late, which Linux takes for a broken one and panics before anything is mounted; on real machines that test stays.
 */
export const TEST_WORDS = ['norandmaps', 'mitigations=off', 'no_timer_check'] as const;

/** Root's password in every system that is installed to be looked around in. */
export const BENCH_PASSWORD = 'bench-Passw0rd';
