/** CPU, memory, load, pressure. */

import type { SectionData } from '#model/status.ts';
import * as fmt from '#status/format.ts';
import { plainText } from '#status/sanitise.ts';
import { label, labelled, missing, type Shown, shown, toneOf } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { bar, flow, type Line, line, span, type Tone } from '../style.ts';

/** Thresholds of the colours only; the verdict has its own. */
const level = (value: number | null, warn: number, bad: number): Tone =>
  value === null ? 'quiet' : value >= bad ? 'bad' : value >= warn ? 'warn' : 'good';

function vital(x: Shown<SectionData['vitals']>, isWide: boolean): Line[] {
  const d = x.data;
  const memPct = d.mem_used_bytes === null || d.mem_total_bytes <= 0 ? null : (100 * d.mem_used_bytes) / d.mem_total_bytes;
  const loadPct = d.load1 === null ? null : (100 * d.load1) / d.cpu_cores;
  const cpuTone = toneOf(x, level(d.cpu_pct, 80, 95));
  const memTone = toneOf(x, level(memPct, 85, 95));
  const loads = [d.load1, d.load5, d.load15].map((v) => v?.toFixed(2) ?? '?').join(' ');
  const out: Line[] = [
    [label('CPU '), span(fmt.percent(d.cpu_pct).padStart(4), cpuTone), span(' '), ...bar(d.cpu_pct, cpuTone)],
    [
      label('Memory '),
      span(`${fmt.percent(memPct).padStart(4)} `, memTone),
      ...bar(memPct, memTone),
      span(` ${fmt.bytes(d.mem_used_bytes)} of ${fmt.bytes(d.mem_total_bytes)}`),
    ],
    [label('Load '), span(loads, toneOf(x, level(loadPct, 100, 200))), label(` on ${d.cpu_cores} CPU${d.cpu_cores === 1 ? '' : 's'}`)],
  ];
  if (d.swap_used_bytes !== null && d.swap_used_bytes > 0) out.push([label('Swap '), span(fmt.bytes(d.swap_used_bytes))]);
  if (d.temperature_c !== null) out.push([label('Temp '), span(`${Math.round(d.temperature_c)}C`)]);
  if (isWide && d.top_cpu !== null && d.top_cpu.length > 0)
    out.push([label('Busiest '), span(d.top_cpu.map((p) => `${plainText(p.comm)} ${Math.round(p.pct)}%`).join(', '))]);
  if (x.mark) out.push([span(x.mark.trim(), 'quiet')]);
  return out;
}

function psiLine(s: ScreenState): Line {
  // The kernel not reporting pressure is a fact of its own, and not zero.
  if (s.view.psi?.freshness === 'not_applicable') return [label('Pressure '), span('not reported')];
  return labelled('Pressure 5 min', s.view.psi, (x) => {
    const one = (name: string, p: SectionData['psi']['cpu'], breached: boolean): Line => [
      label(`${name} `),
      p?.some ? span(`${Math.round(p.some.avg300)}%`, toneOf(x, breached ? 'warn' : 'plain')) : span('not reported', 'quiet'),
    ];
    const b = x.data.breach;
    return [
      ...one('cpu', x.data.cpu, b.includes('cpu_some')),
      span(' '),
      ...one('mem', x.data.memory, b.includes('memory_some') || b.includes('memory_full')),
      span(' '),
      ...one('io', x.data.io, false),
    ];
  });
}

/** @param isWide room for what is useful and not needed */
export function vitalsLines(s: ScreenState, width: number, isWide = false): Line[] {
  const v = shown(s.view.vitals);
  const pieces = v ? vital(v, isWide) : [[label('CPU, memory '), missing(s.view.vitals)]];
  return flow([...pieces, psiLine(s)], width - 2).map((l) => line(' ', ...l));
}
