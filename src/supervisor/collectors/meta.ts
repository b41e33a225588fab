/** The boot this is, and the supervisor's own clock. */
import { STATUS_SCHEMA } from '#model/status.ts';
import { type Collector, isoOf, ok, parseUptime } from '#status/collector.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';
import type { FirstBoot } from './first-boot.ts';

export interface ServerFacts {
  readonly instance: string;
  readonly startedAt: string;
}

async function timezoneOf(host: HostView): Promise<string> {
  const link = await host.link('/etc/localtime').catch(() => null);
  const named = /zoneinfo\/(.+)$/.exec(link ?? '')?.[1];
  return named ?? (await host.word('/etc/timezone').catch(() => null)) ?? 'UTC';
}

/** systemd has no file for its state; a scheduled shutdown and a finished boot leave one. */
async function stageOf(host: HostView, cmdline: string): Promise<'installing' | 'starting' | 'running' | 'stopping'> {
  if (/(^|\s)spatium-mode=(install|live)(\s|$)/.test(cmdline)) return 'installing';
  if (await host.exists('/run/nologin')) return (await host.exists('/run/systemd/shutdown/scheduled')) ? 'stopping' : 'starting';
  return 'running';
}

export function metaCollector(host: HostView, clock: Clock, server: ServerFacts, first: () => Promise<FirstBoot>): Collector<'meta'> {
  let bootAt: string | null = null;
  return {
    name: 'meta',
    periodMs: 5000,
    timeLimitMs: 2000,
    ttlMs: 15_000,
    source: '/proc',
    async collect() {
      const [bootId, uptime, cmdline, timezone, firstBoot] = await Promise.all([
        host.word('/proc/sys/kernel/random/boot_id'),
        host.text('/proc/uptime'),
        host.word('/proc/cmdline'),
        timezoneOf(host),
        first().catch(() => null),
      ]);
      const now = clock.now();
      const seconds = parseUptime(uptime);
      if (seconds === null) throw new Error('/proc/uptime cannot be read');
      const computed = Date.parse(now) - seconds * 1000;
      // Kept unless the clock was stepped, so that the section does not change with every look.
      if (bootAt === null || Math.abs(Date.parse(bootAt) - computed) > 2000) bootAt = isoOf(computed);
      return ok({
        schema: STATUS_SCHEMA,
        boot_id: bootId ?? 'unknown',
        boot_at: bootAt,
        instance: server.instance,
        server_started_at: server.startedAt,
        now,
        timezone,
        boot_stage: firstBoot !== null && !firstBoot.failed ? 'first_boot' : await stageOf(host, cmdline ?? ''),
        first_boot: firstBoot,
      });
    },
  };
}
