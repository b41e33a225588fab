/** What is about to restart or stop this box. */
import type { SectionData } from '#model/status.ts';
import { type Collector, intOf, isoOf, ok } from '#status/collector.ts';
import { type HostView, parseKeyValues } from '#system/observe.ts';

const RELEASE_STATE = '/var/lib/spatiumddi/release-state';
const SCHEDULED = '/run/systemd/shutdown/scheduled';

type Pending = SectionData['power']['pending'][number];

/** systemd's record of `shutdown +N`: USEC is the moment, MODE what happens. */
export function parseScheduled(text: string): Pending | null {
  const v = parseKeyValues(text);
  const usec = intOf(v.get('USEC'));
  const mode = v.get('MODE') ?? '';
  if (usec === null || !['reboot', 'poweroff', 'halt', 'kexec', 'soft-reboot'].includes(mode)) return null;
  const kind = mode === 'poweroff' || mode === 'halt' ? 'poweroff' : 'reboot';
  return { kind, origin: 'system', requested_at: null, fires_at: isoOf(usec / 1000), cancellable: true, id: 'scheduled' };
}

async function trigger(host: HostView, file: string, origin: Pending['origin']): Promise<Pending | null> {
  const modifiedMs = await host.modifiedMs(`${RELEASE_STATE}/${file}`);
  return modifiedMs === null
    ? null
    : { kind: 'reboot', origin, requested_at: isoOf(modifiedMs), fires_at: null, cancellable: true, id: file };
}

export function powerCollector(host: HostView, reason: () => Promise<string | null>): Collector<'power'> {
  return {
    name: 'power',
    periodMs: 1000,
    timeLimitMs: 2000,
    ttlMs: 4000,
    source: `${RELEASE_STATE}, ${SCHEDULED}`,
    async collect() {
      const [scheduled, web, fleet, required, packages, last] = await Promise.all([
        host.text(SCHEDULED),
        trigger(host, 'reboot-pending', 'web_ui'),
        trigger(host, 'reboot-pending-fleet', 'fleet'),
        host.exists('/run/reboot-required'),
        host.text('/run/reboot-required.pkgs'),
        reason(),
      ]);
      const pending = [web, fleet, scheduled === null ? null : parseScheduled(scheduled)].filter((p): p is Pending => p !== null);
      const reasons = [...new Set((packages ?? '').split('\n').filter((l) => l !== ''))];
      return ok({ pending, last_reboot_reason: last, needs_reboot: required, reasons });
    },
  };
}
