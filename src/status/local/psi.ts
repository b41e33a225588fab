/** Pressure stall information of the host. A kernel that does not report it says null, never zero. */
import type { HostView } from '#system/observe.ts';
import { type Collector, notApplicable, ok, parseUptime } from '../collector.ts';

const PSI_SOME_PCT = 50;
const PSI_MEMORY_FULL_PCT = 1;
/** Starting a slow machine is pressure by itself and stays in the 5 minute average for two of its spans. */
const BOOT_SETTLED_S = 600;

interface Averages {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

export interface Pressure {
  readonly some: Averages | null;
  readonly full: Averages | null;
}

/** A file of /proc/pressure; null where the kernel reports none. */
export function parsePressure(text: string | null): Pressure | null {
  if (text === null) return null;
  const line = (kind: string): Averages | null => {
    const m = new RegExp(`^${kind} avg10=([\\d.]+) avg60=([\\d.]+) avg300=([\\d.]+)`, 'm').exec(text);
    return m ? { avg10: Number(m[1]), avg60: Number(m[2]), avg300: Number(m[3]) } : null;
  };
  const pressure = { some: line('some'), full: line('full') };
  return pressure.some || pressure.full ? pressure : null;
}

/**
 * What is above its limit, `uptimeS` seconds after boot (null: not known, judged all the same).
 * CPU `full` is 0 by definition at this level and is never judged.
 */
export function breaches(
  cpu: Pressure | null,
  memory: Pressure | null,
  uptimeS: number | null,
): ('cpu_some' | 'memory_some' | 'memory_full')[] {
  if (uptimeS !== null && uptimeS <= BOOT_SETTLED_S) return [];
  return [
    ...((cpu?.some?.avg300 ?? -1) >= PSI_SOME_PCT ? (['cpu_some'] as const) : []),
    ...((memory?.some?.avg300 ?? -1) >= PSI_SOME_PCT ? (['memory_some'] as const) : []),
    ...((memory?.full?.avg300 ?? -1) >= PSI_MEMORY_FULL_PCT ? (['memory_full'] as const) : []),
  ];
}

export function psiCollector(host: HostView): Collector<'psi'> {
  // A kernel built with PSI but booted without psi=1 has the files and fails their reading.
  const read = (what: string): Promise<string | null> => host.text(`/proc/pressure/${what}`).catch(() => null);
  return {
    name: 'psi',
    periodMs: 5000,
    timeLimitMs: 2000,
    ttlMs: 10_000,
    source: '/proc/pressure',
    async collect() {
      const [cpu, memory, io] = (await Promise.all([read('cpu'), read('memory'), read('io')])).map(parsePressure);
      if (!cpu && !memory && !io) return notApplicable;
      return ok({
        cpu: cpu ?? null,
        memory: memory ?? null,
        io: io ?? null,
        some_pct: PSI_SOME_PCT,
        mem_full_pct: PSI_MEMORY_FULL_PCT,
        breach: breaches(cpu ?? null, memory ?? null, parseUptime(await host.text('/proc/uptime').catch(() => null))),
      });
    },
  };
}
