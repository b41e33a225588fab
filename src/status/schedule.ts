/** Runs every collector at its own pace. One that hangs delays no other, and is never started twice. */
import type { SectionName } from '#model/status.ts';
import { messageOf } from '#system/complain.ts';
import type { AnyCollector } from './collector.ts';
import type { Clock, Observation, StatusStore } from './store.ts';

export interface Schedule {
  /** How often each collector missed its time limit. */
  readonly late: ReadonlyMap<SectionName, number>;
  /** Wall clock of the last completed round of any collector. */
  lastRoundAt(): string;
  stop(): void;
}

const TICK_MS = 1000;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code.toLowerCase() : 'failed';

/** Starts all collectors and the ageing tick. */
export function startSchedule(collectors: readonly AnyCollector[], store: StatusStore, clock: Clock): Schedule {
  const late = new Map<SectionName, number>();
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  let lastRoundAt = clock.now();

  const after = (ms: number, work: () => void): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!stopped) work();
    }, ms);
    timers.add(timer);
    return timer;
  };

  const observe = (collector: AnyCollector, seen: Observation<never>): void => {
    if (stopped) return;
    store.observe(collector.name, seen);
    lastRoundAt = clock.now();
  };

  const look = (collector: AnyCollector): void => {
    const startedMs = clock.monoMs();
    const limit = after(collector.timeLimitMs, () => {
      late.set(collector.name, (late.get(collector.name) ?? 0) + 1);
      observe(collector, { state: 'unavailable', code: 'timeout', msg: `no answer within ${collector.timeLimitMs} ms` });
    });
    const next = (): void => {
      clearTimeout(limit);
      timers.delete(limit);
      if (!stopped) after(Math.max(50, collector.periodMs - (clock.monoMs() - startedMs)), () => look(collector));
    };
    // Async, so that a collector that throws before its first await is caught too.
    const work = async (): Promise<Observation<unknown>> => collector.collect();
    work()
      .then(
        (seen) => observe(collector, seen as Observation<never>),
        (error: unknown) => observe(collector, { state: 'unavailable', code: codeOf(error), msg: messageOf(error) }),
      )
      .then(next, next);
  };

  for (const collector of collectors) look(collector);
  const tick = setInterval(() => store.tick(), TICK_MS);
  return {
    late,
    lastRoundAt: () => lastRoundAt,
    stop: () => {
      stopped = true;
      clearInterval(tick);
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
