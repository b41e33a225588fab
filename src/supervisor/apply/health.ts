/** Is the daemon well with what it was given? See docs/decisions/0012-pull-and-apply.md. */
import { bad, type Daemon, type DaemonState, good, type Outcome } from '../kinds/kind.ts';
import { startedAnew } from '../starts.ts';

export interface HealthRule {
  /** How long it is watched, milliseconds; it is watched to the end even when all is well. */
  readonly windowMs: number;
  readonly everyMs: number;
  /** Good samples in a row that are wanted at the end. */
  readonly goodInARow: number;
}

export const HEALTH: HealthRule = { windowMs: 15_000, everyMs: 1000, goodInARow: 3 };

export interface Pause {
  readonly monoMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const STOPPED = 'the service does not run';

/** Why a daemon is not the one that it was, null when it is. A process that ended once will end again. */
export function changeOf(before: DaemonState, now: DaemonState): string | null {
  if (!now.isActive) return STOPPED;
  if (before.restarts !== null && now.restarts !== null && now.restarts > before.restarts)
    return 'the service manager had to start it again';
  if (before.mainPid !== null && now.mainPid !== null && now.mainPid !== before.mainPid)
    return 'its main process ended and another took its place';
  return null;
}

export interface Watched {
  readonly daemon: Daemon;
  readonly mark: string;
  readonly expected: readonly string[];
  /** Taken before the reload when it ran then; null when it was only started. */
  readonly before: DaemonState | null;
}

/** Watches for the whole window. Good when the last samples are, and nothing ended in between. */
export async function watchHealth(watched: Watched, rule: HealthRule, pause: Pause): Promise<Outcome> {
  const { daemon, mark, expected } = watched;
  const endMs = pause.monoMs() + rule.windowMs;
  let base = watched.before;
  let first: DaemonState | null = null;
  let inARow = 0;
  let last: Outcome = bad('it was never seen well');
  for (;;) {
    const state = await daemon.state();
    first ??= state;
    // Between two starts of a crash loop a service looks like one that was never started.
    const stopped = state.isActive ? null : (startedAnew(first.restarts, state.restarts) ?? STOPPED);
    const change = base === null ? stopped : changeOf(base, state);
    // A service that is only starting has time to the end of the window; one that ran and ended has not.
    if (base !== null && change !== null) return bad(change);
    if (state.isActive) base ??= state;
    last = change === null ? await daemon.probe(mark, expected) : bad(change);
    inARow = last.ok ? inARow + 1 : 0;
    if (pause.monoMs() >= endMs) break;
    await pause.sleep(Math.min(rule.everyMs, Math.max(1, endMs - pause.monoMs())));
  }
  if (!last.ok) return last;
  return inARow >= rule.goodInARow ? good : bad(`it was well only ${inARow} times in a row at the end of ${rule.windowMs / 1000} s`);
}

/** For the way back: good as soon as it is well, bad at the end of the window. */
export async function awaitHealth(
  daemon: Daemon,
  mark: string,
  expected: readonly string[],
  rule: HealthRule,
  pause: Pause,
): Promise<Outcome> {
  const endMs = pause.monoMs() + rule.windowMs;
  for (;;) {
    const state = await daemon.state();
    const seen = state.isActive ? await daemon.probe(mark, expected) : bad('the service does not run');
    if (seen.ok || pause.monoMs() >= endMs) return seen;
    await pause.sleep(rule.everyMs);
  }
}
