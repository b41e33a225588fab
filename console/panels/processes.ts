/** Who uses the processor and the memory: the busiest first. */
import * as fmt from '#status/format.ts';
import type { ProcessRow } from '../processes.ts';
import type { ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, pad, rule, span, type Tone } from '../style.ts';

/** States that ask for attention, in words as well. */
const STATES: Readonly<Record<string, readonly [string, Tone]>> = {
  R: ['running', 'good'],
  S: ['sleeping', 'quiet'],
  I: ['idle', 'quiet'],
  D: ['DISK WAIT', 'warn'],
  Z: ['ZOMBIE', 'bad'],
  T: ['stopped', 'warn'],
  t: ['traced', 'warn'],
};

function processLine(p: ProcessRow, width: number): Line {
  const [word, tone] = STATES[p.state] ?? [p.state, 'plain' as const];
  // A processor share that could not be measured yet is no zero.
  // Figures that would change with every look without telling anything are left out.
  const cpu =
    p.cpuPct === null ? '?' : p.cpuPct < 0.5 ? '<1' : p.cpuPct < 10 ? String(Math.round(p.cpuPct)) : String(Math.round(p.cpuPct / 2) * 2);
  return cutLine(
    line(
      ` ${String(p.pid).padStart(7)} `,
      pad(p.user, 12),
      ` ${cpu.padStart(6)} ${fmt.bytes(p.memoryBytes).padStart(7)} ${String(p.threads).padStart(4)} `,
      span(pad(word, 10), tone),
      ' ',
      p.name,
    ),
    width,
  );
}

/** Title, heading and as many processes as there is room for, from `scroll` on. */
export function processLines(s: ScreenState, width: number, rows: number): Line[] {
  const t = s.processes;
  if (t === null) return [rule('Processes', width), line(span(' reading /proc', 'quiet'))];
  const words = [
    `${t.total}`,
    `${t.running} running`,
    ...(t.blocked > 0 ? [`${t.blocked} in disk wait`] : []),
    ...(t.zombies > 0 ? [`${t.zombies} zombie${t.zombies === 1 ? '' : 's'}`] : []),
  ];
  const from = Math.max(0, Math.min(s.scroll, t.total - (rows - 2)));
  const shown = t.rows.slice(from, from + rows - 2);
  const below = t.total - from - shown.length;
  const heading = line(span(`     PID ${pad('USER', 12)}   CPU%  MEMORY  THR ${pad('STATE', 10)} NAME`, 'quiet'));
  return [
    rule(`Processes ${words.join(', ')}`, width, t.zombies + t.blocked > 0 ? 'warn' : 'info', below > 0 ? `+${below} more` : ''),
    cutLine(heading, width),
    ...shown.map((p) => processLine(p, width)),
  ];
}

/** How far the list can be scrolled in `rows` rows. */
export const processScroll = (s: ScreenState, rows: number): number => Math.max(0, (s.processes?.total ?? 0) - (rows - 2));
