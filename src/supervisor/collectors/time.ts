/**
 * Is the clock right? The kernel has no file for it. systemd-timesyncd leaves a mark; chrony is asked once a minute, which
 * is the one process that the supervisor starts in the steady state. Without a known daemon it is not known.
 */
import type { SectionData } from '#model/status.ts';
import { type Collector, intOf, isoOf, ok } from '#status/collector.ts';
import type { Observation } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';
import { describeEnd, type Runner, succeeded } from '#system/run.ts';

const TIMESYNC = '/run/systemd/timesync';
const CHRONY_PIDS = ['/run/chrony/chronyd.pid', '/run/chronyd.pid'];
const ASK_MS = 60_000;

type TimeData = SectionData['time'];

/** `chronyc -c tracking`: reference, name, stratum, reference time, offset in seconds, …, leap status last. */
export function parseTracking(csv: string): TimeData | null {
  const f = csv.trim().split(',');
  if (f.length < 14) return null;
  const offset = Number(f[4]);
  const at = Number(f[3]);
  const synced = f[13] === 'Normal' || f[13] === 'Insert second' || f[13] === 'Delete second';
  return {
    synced,
    source: synced && f[1] ? f[1] : 'chrony',
    offset_ms: synced && Number.isFinite(offset) ? Math.round(offset * 1e6) / 1000 : null,
    stratum: synced ? intOf(f[2]) : null,
    last_sync_at: at > 0 ? isoOf(at * 1000) : null,
  };
}

const NOT_KNOWN: TimeData = { synced: null, source: null, offset_ms: null, stratum: null, last_sync_at: null };

export function timeCollector(host: HostView, run: Runner): Collector<'time'> {
  const askChrony = async (): Promise<Observation<TimeData>> => {
    const r = await run(['chronyc', '-n', '-c', 'tracking'], { timeoutMs: 3000 });
    if (!succeeded(r)) return { state: 'unavailable', code: 'chronyc', msg: `chronyc: ${describeEnd(r)}` };
    const data = parseTracking(r.stdout);
    return data ? ok(data) : { state: 'unavailable', code: 'chronyc', msg: 'chronyc said something else than expected' };
  };

  return {
    name: 'time',
    periodMs: ASK_MS,
    timeLimitMs: 5000,
    ttlMs: 2.5 * ASK_MS,
    source: `${TIMESYNC}, chronyc tracking`,
    async collect() {
      for (const pid of CHRONY_PIDS) {
        if (await host.exists(pid)) return askChrony();
      }
      const [mark, isTimesyncd] = await Promise.all([host.modifiedMs(`${TIMESYNC}/synchronized`), host.exists(TIMESYNC)]);
      if (!isTimesyncd) return ok(NOT_KNOWN);
      return ok({ ...NOT_KNOWN, synced: mark !== null, source: 'systemd-timesyncd', last_sync_at: mark === null ? null : isoOf(mark) });
    },
  };
}
