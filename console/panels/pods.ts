/** Pods, the worst first. Columns leave by priority as the screen gets narrower; the name never does. */

import type { SectionData } from '#model/status.ts';
import type { Pod } from '#model/status-cluster.ts';
import * as fmt from '#status/format.ts';
import { listWindow } from '#ui/edit.ts';
import { cutMiddle } from '#ui/text.ts';
import { missing, shown } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, pad, rule, span, type Tone } from '../style.ts';
import { nodeCount } from './cluster.ts';

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', pending: 'warn', warning: 'warn', critical: 'bad' };
const SIGNS: Readonly<Record<string, string>> = { ok: '•', pending: '·', warning: '▲', critical: '■' };
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  CrashLoopBackOff: 'CrashLoop',
  ImagePullBackOff: 'ImgPull',
  ErrImagePull: 'ErrImgPull',
  CreateContainerError: 'CreateErr',
  CreateContainerConfigError: 'ConfigErr',
  ContainerCreating: 'Creating',
  PodInitializing: 'Init',
};
const QUIET_EXITS = new Set(['Completed', 'Unknown', '']);
const NAME_MIN = 24;

const shorten = (state: string): string => {
  const [init, word] = state.startsWith('Init:') ? ['Init:', state.slice(5)] : ['', state];
  return `${init}${ABBREVIATIONS[word] ?? word}`;
};

/** State, and after it why the last container ended or what keeps it from starting. */
export function stateText(p: Pod): string {
  const exit =
    p.restarts > 0 && p.last_exit && p.last_exit.code !== 0
      ? (p.last_exit.reason ?? (p.last_exit.code === null ? '' : `exit ${p.last_exit.code}`))
      : '';
  const why = p.state_reason ?? (QUIET_EXITS.has(exit) ? '' : exit);
  return why === '' ? shorten(p.state) : `${shorten(p.state)} · ${why}`;
}

interface Column {
  readonly title: string;
  readonly width: number;
  /** Lower stays longer. */
  readonly priority: number;
  readonly right?: boolean;
  readonly value: (p: Pod, s: ScreenState) => string;
}

const ageOf = (iso: string | null, s: ScreenState): string => (iso === null ? '?' : fmt.age(s.wallMs - Date.parse(iso)));

/** Four cells at most. */
const restartsText = (count: number): string => (count === 0 ? '·' : count > 9999 ? '10k+' : String(count));

type PodUsage = SectionData['usage']['pods'][number];
/** One list a reading, so that a frame of hundreds of pods does not search it for each. */
const usageIndex = new WeakMap<readonly PodUsage[], ReadonlyMap<string, PodUsage>>();

function usageOf(p: Pod, s: ScreenState): PodUsage | undefined {
  const list = shown(s.view.usage)?.data.pods;
  if (!list) return undefined;
  const known = usageIndex.get(list) ?? new Map(list.map((u) => [`${u.ns}/${u.name}`, u]));
  usageIndex.set(list, known);
  return known.get(podKey(p));
}

/** `0.25` cores, `12m` below a hundredth; what was not measured is no zero. */
export const cores = (v: number | null | undefined): string =>
  v === null || v === undefined ? '?' : v >= 0.01 ? v.toFixed(2) : v < 0.0005 ? '0' : `${Math.round(v * 1000)}m`;

const STATE: Column = { title: 'STATE', width: 22, priority: 0, value: stateText };
const COLUMNS: readonly Column[] = [
  { title: 'NODE', width: 12, priority: 4, value: (p) => p.node ?? '-' },
  { title: 'READY', width: 5, priority: 1, value: (p) => `${p.ready}/${p.total}` },
  { title: 'RST', width: 4, priority: 2, right: true, value: (p) => restartsText(p.restarts) },
  { title: 'AGE', width: 4, priority: 3, right: true, value: (p, s) => ageOf(p.created_at, s) },
  STATE,
  { title: 'NAMESPACE', width: 14, priority: 5, value: (p) => p.ns },
  { title: 'CPU', width: 5, priority: 6, right: true, value: (p, s) => cores(usageOf(p, s)?.cpu_cores) },
  { title: 'MEM', width: 6, priority: 6, right: true, value: (p, s) => fmt.bytes(usageOf(p, s)?.mem_bytes) },
  { title: 'SINCE', width: 5, priority: 7, right: true, value: (p, s) => (p.last_restart_at === null ? '·' : ageOf(p.last_restart_at, s)) },
  { title: 'TYPE', width: 8, priority: 8, value: (p) => p.kind },
  { title: 'IP', width: 15, priority: 9, value: (p) => (p.host_network ? 'host network' : (p.ip ?? '-')) },
  { title: 'PORTS', width: 14, priority: 10, value: (p) => p.ports.join(' ') || '·' },
];

interface Table {
  readonly columns: readonly Column[];
  readonly nameWidth: number;
}

const USAGE_TITLES: readonly string[] = ['CPU', 'MEM'];

/** Which columns fit beside a name of at least 24 cells. NODE says nothing on a box that is alone, nor a use that nobody measures. */
export function tableFor(width: number, manyNodes: boolean, hasUsage = false): Table {
  const kept: Column[] = [];
  let left = width - 3 - NAME_MIN;
  const useful = COLUMNS.filter((c) => (manyNodes || c.title !== 'NODE') && (hasUsage || !USAGE_TITLES.includes(c.title)));
  for (const c of useful.sort((a, b) => a.priority - b.priority)) {
    if (c.width + 1 > left) break;
    kept.push(c);
    left -= c.width + 1;
  }
  const spare = Math.max(0, Math.min(left, 28));
  return { columns: COLUMNS.filter((c) => kept.includes(c)), nameWidth: NAME_MIN + spare };
}

const cell = (text: string, c: Column): string => (c.right ? text.padStart(c.width) : pad(text, c.width));

function nameOf(p: Pod): string {
  return p.role_tag === null ? p.short : `${p.short} (${p.role_tag})`;
}

const podKey = (p: Pod): string => `${p.ns}/${p.name}`;

function podLine(p: Pod, t: Table, s: ScreenState, stale: boolean, width: number, isChosen: boolean): Line {
  const tone: Tone = stale ? 'quiet' : (TONES[p.severity] ?? 'plain');
  const cells = t.columns.map((c, i) => {
    // The last column may run to the edge.
    const isLast = i === t.columns.length - 1;
    const text = isLast ? c.value(p, s) : cell(c.value(p, s), c);
    return span(` ${text}`, c === STATE && p.severity !== 'ok' ? tone : 'plain');
  });
  const head = span(`${isChosen ? '>' : ' '}${SIGNS[p.severity] ?? '?'} `, tone);
  return cutLine(line(head, span(pad(cutMiddle(nameOf(p), t.nameWidth), t.nameWidth), isChosen ? 'key' : 'plain'), ...cells), width);
}

export function podsTitle(s: ScreenState, width: number, hidden: number): Line {
  const x = shown(s.view.pods);
  const c = x?.data.counts;
  // A crash loop has not failed in the words of Kubernetes, but it does for whoever reads this.
  const failing = Math.max(c?.failed ?? 0, x?.data.list.filter((p) => p.severity === 'critical').length ?? 0);
  const counts = c ? `${c.ready}/${c.total - c.succeeded} ready${failing > 0 ? `, ${failing} failing` : ''}` : '-';
  const note = hidden > 0 ? `+${hidden} more${s.page === 'pods' ? '' : '  F3'}` : '';
  const seen = x?.data.complete === false ? ', list not complete' : '';
  return rule(`Pods ${counts}${seen}${x?.mark ?? ''}`, width, failing > 0 ? 'bad' : 'info', note);
}

/** Without its API k3s lists nothing, whatever the probe said. */
function whyUnknown(s: ScreenState): string {
  const k3s = shown(s.view.k3s)?.data;
  if (k3s && k3s.unit_state !== 'active') return `k3s ${k3s.unit_state}`;
  if (k3s && ['failing', 'timeout'].includes(k3s.readyz)) return 'k3s not ready';
  return missing(s.view.pods).text.replace(/^\? +/, '');
}

/**
 * Heading and one line a pod, at most `rows`; how many follow that were left out.
 * @param chosen index of the pod that keys act on; the list shows the part it is in
 */
export function podLines(
  s: ScreenState,
  width: number,
  rows: number,
  chosen: number | null = null,
): { readonly lines: Line[]; readonly hidden: number } {
  const x = shown(s.view.pods);
  if (!x) return { lines: [line(' ', span(`pods unknown (${whyUnknown(s)})`, 'warn'))], hidden: 0 };
  const pods = x.data.list;
  if (pods.length === 0) return { lines: [line(' ', span('no pods', 'quiet'))], hidden: 0 };
  const manyNodes = nodeCount(s) > 1 || new Set(pods.map((p) => p.node)).size > 1;
  const t = tableFor(width, manyNodes, s.view.usage !== undefined && s.view.usage.freshness !== 'not_applicable');
  // A heading is worth a row only where there are rows to spare.
  const heading =
    rows >= 8 ? [line('   ', span(pad('NAME', t.nameWidth), 'quiet'), ...t.columns.map((c) => span(` ${cell(c.title, c)}`, 'quiet')))] : [];
  const room = Math.max(0, rows - heading.length);
  const { start, end } = listWindow(chosen ?? 0, pods.length, Math.max(1, room));
  const part = pods.slice(start, Math.min(end, start + room));
  const hidden = pods.length - start - part.length + x.data.truncated_count;
  return {
    lines: [...heading.map((h) => cutLine(h, width)), ...part.map((p, i) => podLine(p, t, s, x.stale, width, start + i === chosen))],
    hidden,
  };
}

/** False on a box without k3s: then there is nothing to leave room for. */
export const hasPods = (s: ScreenState): boolean => s.view.pods !== undefined && s.view.pods.freshness !== 'not_applicable';

/** Index of the pod that keys act on; the first while the chosen one is not there. */
export const chosenPod = (s: ScreenState): number => Math.max(0, s.view.pods?.data?.list.findIndex((p) => podKey(p) === s.pod) ?? 0);
