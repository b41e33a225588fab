/** The processes that use the processor most, from two looks at /proc. Names only, since arguments may hold secrets. */
import type { SectionData } from '#model/status.ts';
import type { HostView } from '#system/observe.ts';
import { parseStat } from './process-stat.ts';

const LOOK_MS = 10_000;
const TICKS_PER_S = 100;
const SHOWN = 3;
/** What uses less than this of one processor is of no interest, and would only change places. */
const LEAST_PCT = 1;
/** Looks at files under way at once. */
const AT_ONCE = 16;

type TopCpu = SectionData['vitals']['top_cpu'];

interface Look {
  readonly atMs: number;
  readonly list: ReadonlyMap<string, { readonly name: string; readonly ticks: number }>;
}

async function look(host: HostView, atMs: number): Promise<Look> {
  const pids = (await host.names('/proc')).filter((n) => /^\d+$/.test(n));
  const list = new Map<string, { name: string; ticks: number }>();
  const work = async (): Promise<void> => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      // It may have ended meanwhile.
      const p = parseStat((await host.text(`/proc/${pid}/stat`).catch(() => null)) ?? '', '', 1);
      // A number that was given out again is another process.
      if (p) list.set(`${pid} ${p.startTicks}`, { name: p.name, ticks: p.ticks });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { atMs, list };
}

/** Share of one processor, in whole percent; null until there are two looks. An empty list: nothing is busy. */
export function topCpu(host: HostView, monoMs: () => number): () => Promise<TopCpu> {
  let last: Look | null = null;
  let found: TopCpu = null;
  return async () => {
    if (last !== null && monoMs() - last.atMs < LOOK_MS) return found;
    const before: Look | null = last;
    const now = await look(host, monoMs());
    last = now;
    if (before === null) return found;
    const seconds = (now.atMs - before.atMs) / 1000;
    const rows = [...now.list].flatMap(([key, p]) => {
      const was = before.list.get(key);
      const pct = was === undefined ? 0 : Math.round((100 * (p.ticks - was.ticks)) / TICKS_PER_S / seconds);
      return pct >= LEAST_PCT ? [{ comm: p.name, pct }] : [];
    });
    found = rows.sort((a, b) => b.pct - a.pct || (a.comm < b.comm ? -1 : 1)).slice(0, SHOWN);
    return found;
  };
}
