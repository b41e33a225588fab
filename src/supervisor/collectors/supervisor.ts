/** The supervisor about itself. */
import type { SectionData } from '#model/status.ts';
import { type Collector, isoOf, ok } from '#status/collector.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';

const RELEASE_STATE = '/var/lib/spatiumddi/release-state';
const LOOP_MARK = '/var/persist/spatium-supervisor/last-loop-at';
const LOOP_STALE_MS = 300_000;

export interface SelfFacts {
  readonly version: string;
  readonly pid: number;
  readonly late: () => Readonly<Record<string, number>>;
  readonly restarts24h?: number | null;
  readonly services?: () => Promise<{
    readonly roles: readonly string[] | null;
    readonly services: SectionData['supervisor']['role_services'];
  }>;
}

export function supervisorCollector(host: HostView, clock: Clock, self: SelfFacts): Collector<'supervisor'> {
  return {
    name: 'supervisor',
    periodMs: 5000,
    timeLimitMs: 2000,
    ttlMs: 10_000,
    source: 'self',
    async collect() {
      const [mark, alert, files] = await Promise.all([
        host.modifiedMs(LOOP_MARK),
        host.modifiedMs(`${RELEASE_STATE}/supervisor-watchdog-alert`),
        host.names(RELEASE_STATE),
      ]);
      const given = (await self.services?.()) ?? { roles: null, services: [] };
      const now = clock.now();
      // A fleet agent that never ran here leaves no mark; then this very loop is the one that counts.
      const stale = mark !== null && Date.parse(now) - mark >= LOOP_STALE_MS;
      const state = alert !== null ? 'cap_hit' : stale ? 'stale' : 'ok';
      return ok({
        version: self.version,
        pid: self.pid,
        loop_last_at: mark === null ? now : isoOf(mark),
        loop_interval_s: mark === null ? 5 : 30,
        restarts_24h: self.restarts24h ?? null,
        restart_cap_hit: alert !== null,
        restart_cap_at: alert === null ? null : isoOf(alert),
        watchdog: { state, since: alert !== null ? isoOf(alert) : stale ? isoOf(mark) : null },
        roles_assigned: given.roles,
        role_services: given.services,
        triggers_pending: files.filter((f) => f.endsWith('-pending')),
        collectors_late: self.late(),
      });
    },
  };
}
