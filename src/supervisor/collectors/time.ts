/** Is the clock right? systemd-timesyncd leaves a mark; without one of a known daemon it is not known. */
import { type Collector, isoOf, ok } from '#status/collector.ts';
import type { HostView } from '#system/observe.ts';

const TIMESYNC = '/run/systemd/timesync/synchronized';

export function timeCollector(host: HostView): Collector<'time'> {
  return {
    name: 'time',
    periodMs: 10_000,
    timeLimitMs: 2000,
    ttlMs: 30_000,
    source: TIMESYNC,
    async collect() {
      const [mark, isTimesyncd] = await Promise.all([host.modifiedMs(TIMESYNC), host.exists('/run/systemd/timesync')]);
      return ok({
        synced: isTimesyncd ? mark !== null : null,
        source: isTimesyncd ? 'systemd-timesyncd' : null,
        offset_ms: null,
        stratum: null,
        last_sync_at: mark === null ? null : isoOf(mark),
      });
    },
  };
}
