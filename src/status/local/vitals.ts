/** CPU, load, memory, from /proc. */
import os from 'node:os';
import type { SectionData } from '#model/status.ts';
import type { HostView } from '#system/observe.ts';
import { type Collector, intOf, ok } from '../collector.ts';

interface CpuTimes {
  readonly busy: number;
  readonly total: number;
}

/** Totals of the first line of /proc/stat; guest time is already part of user time. */
export function parseCpuTimes(stat: string): CpuTimes | null {
  const fields = /^cpu\s+(.*)$/m.exec(stat)?.[1]?.trim().split(/\s+/).map(Number);
  if (!fields || fields.length < 5 || fields.some((f) => !Number.isFinite(f))) return null;
  const total = fields.slice(0, 8).reduce((a, b) => a + b, 0);
  return { total, busy: total - (fields[3] ?? 0) - (fields[4] ?? 0) };
}

/** Share of busy time between two samples; null on the first one and when the counters went back. */
export function cpuPercent(before: CpuTimes | null, now: CpuTimes | null): number | null {
  if (!before || !now || now.total <= before.total || now.busy < before.busy) return null;
  return Math.min(100, (100 * (now.busy - before.busy)) / (now.total - before.total));
}

export function parseMeminfo(text: string): Map<string, number> {
  const out = new Map<string, number>();
  for (const [, name, kib] of text.matchAll(/^(\w+(?:\(\w+\))?):\s+(\d+) kB$/gm)) out.set(name as string, Number(kib) * 1024);
  return out;
}

function memoryOf(
  text: string,
): Pick<SectionData['vitals'], 'mem_total_bytes' | 'mem_used_bytes' | 'mem_available_bytes' | 'swap_used_bytes'> {
  const m = parseMeminfo(text);
  const total = m.get('MemTotal');
  if (total === undefined) throw new Error('/proc/meminfo has no MemTotal');
  const available = m.get('MemAvailable') ?? null;
  const swapTotal = m.get('SwapTotal');
  const swapFree = m.get('SwapFree');
  return {
    mem_total_bytes: total,
    mem_used_bytes: available === null ? null : total - available,
    mem_available_bytes: available,
    swap_used_bytes: swapTotal === undefined || swapFree === undefined ? null : swapTotal - swapFree,
  };
}

const round1 = (v: number): number => Math.round(v * 10) / 10;

async function hottest(host: HostView): Promise<number | null> {
  const zones = (await host.names('/sys/class/thermal')).filter((n) => n.startsWith('thermal_zone'));
  const milli = await Promise.all(zones.map(async (z) => intOf(await host.word(`/sys/class/thermal/${z}/temp`).catch(() => null))));
  const known = milli.filter((v): v is number => v !== null && v > 0);
  return known.length === 0 ? null : round1(Math.max(...known) / 1000);
}

export function vitalsCollector(
  host: HostView,
  busiest: () => Promise<SectionData['vitals']['top_cpu']> = async () => null,
): Collector<'vitals'> {
  let before: CpuTimes | null = null;
  return {
    name: 'vitals',
    periodMs: 1000,
    timeLimitMs: 2000,
    ttlMs: 3000,
    source: '/proc/stat, loadavg, meminfo',
    async collect() {
      const [stat, loadavg, meminfo, temperature, top] = await Promise.all([
        host.text('/proc/stat'),
        host.text('/proc/loadavg'),
        host.text('/proc/meminfo'),
        hottest(host),
        busiest().catch(() => null),
      ]);
      if (stat === null || meminfo === null) throw new Error('/proc is not mounted');
      const now = parseCpuTimes(stat);
      const cpu = cpuPercent(before, now);
      before = now;
      const load = loadavg?.match(/^([\d.]+) ([\d.]+) ([\d.]+) \d+\/(\d+)/);
      const cores = [...stat.matchAll(/^cpu\d+ /gm)].length || os.cpus().length;
      return ok({
        cpu_pct: cpu === null ? null : round1(cpu),
        cpu_cores: cores,
        load1: load ? Number(load[1]) : null,
        load5: load ? Number(load[2]) : null,
        load15: load ? Number(load[3]) : null,
        ...memoryOf(meminfo),
        procs_count: intOf(load?.[4]),
        temperature_c: temperature,
        top_cpu: top,
      });
    },
  };
}
