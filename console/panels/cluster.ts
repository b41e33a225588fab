/** The cluster in one or two lines, and its nodes when there is more than one. */
import type { ClusterNode } from '#model/status-cluster.ts';
import * as fmt from '#status/format.ts';
import { label, labelled, shown, toneOf } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, pad, span, type Tone } from '../style.ts';
import { apiPiece } from './services.ts';

const isAbsent = (s: ScreenState): boolean => s.view.k3s?.freshness === 'not_applicable' || s.view.k3s === undefined;

/** How many nodes there should be: a list that failed must not make a cluster look like a single box. */
export function nodeCount(s: ScreenState): number {
  const n = s.view.nodes?.data;
  return Math.max(n?.list.length ?? 0, n?.expected_count ?? 0, s.view.etcd?.data?.members_total ?? 0);
}

function nodesPiece(s: ScreenState): Line {
  return labelled('Nodes', s.view.nodes, (x) => {
    const ready = x.data.list.filter((n) => n.ready === 'true').length;
    const total = Math.max(x.data.list.length, x.data.expected_count ?? 0);
    if (!x.data.complete) return [span(`?  list not complete, ${ready} of ${total === 0 ? '?' : total} seen ready`, toneOf(x, 'warn'))];
    return [span(`${ready}/${total} ready`, toneOf(x, ready === total ? 'good' : 'warn'))];
  });
}

const QUORUM: Readonly<Record<string, readonly [string, Tone]>> = {
  ok: ['quorum ok', 'good'],
  at_risk: ['quorum at risk', 'warn'],
  lost: ['QUORUM LOST', 'bad'],
  unknown: ['quorum ?', 'quiet'],
};

function etcdPiece(s: ScreenState): Line {
  const e = shown(s.view.etcd);
  if (e?.data.backend === 'sqlite') return [label('Store '), span('sqlite'), span(e.mark, 'quiet')];
  return labelled('etcd', s.view.etcd, (x) => {
    const d = x.data;
    const leader = d.has_leader === null ? 'leader ?' : d.has_leader ? 'leader' : 'NO LEADER';
    const q = QUORUM[d.quorum];
    return [
      span(leader, toneOf(x, d.has_leader === false ? 'bad' : d.has_leader ? 'good' : 'quiet')),
      span(` ${fmt.bytes(d.db_in_use_bytes)} of ${fmt.bytes(d.quota_bytes)}`),
      ...(q ? [span(` ${q[0]}`, toneOf(x, q[1]))] : []),
      ...(d.alarms ?? []).map((a) => span(` ALARM ${a}`, toneOf(x, 'bad'))),
    ];
  });
}

/** Which node the virtual address leads to; nothing where there is none, or one node only. */
function vipPiece(s: ScreenState): Line {
  const n = shown(s.view.network);
  const vip = n?.data.vip;
  if (!n || !vip || nodeCount(s) < 2) return [];
  const node = vip.announcing_node;
  return [label('VIP '), span(`${vip.v4 ?? vip.v6 ?? '?'} on ${node ?? '?'}`, toneOf(n, node === null ? 'quiet' : 'plain'))];
}

/** Pieces for the host panel; none on a box without k3s. @param withApi no panel of services is drawn beside it */
export const clusterPieces = (s: ScreenState, withApi: boolean): Line[] =>
  isAbsent(s) || s.view.nodes === undefined ? [] : [nodesPiece(s), etcdPiece(s), ...(withApi ? [apiPiece(s)] : []), vipPiece(s)];

/** What is wrong with a node, in words; empty when nothing is. */
const complaints = (n: ClusterNode): string => [...n.conditions, ...(n.cordoned ? ['cordoned'] : [])].join(', ');

/** Below this the capacity gives its cells to what is wrong. */
const CAPACITY_COLUMNS = 100;

/** `cpu 38% mem 62%` of what can be given out; `?` where it is not measured, nothing where nothing is. */
function usageText(n: ClusterNode, isMeasured: boolean): string {
  if (!isMeasured) return '';
  const share = (used: number | null, of: number | null): string =>
    used === null || of === null || of <= 0 ? '?' : fmt.percent((100 * used) / of);
  const cpu = share(n.usage_cpu_cores, n.allocatable_cpu_cores);
  const memory = share(n.usage_mem_bytes, n.allocatable_mem_bytes);
  return `cpu ${cpu.padStart(4)} mem ${memory.padStart(4)}  `;
}

function nodeLine(n: ClusterNode, width: number, isMeasured: boolean): Line {
  const [word, tone]: readonly [string, Tone] =
    n.ready === 'true' ? ['ready', 'good'] : n.ready === 'false' ? ['NOT READY', 'bad'] : ['unknown', 'warn'];
  const isWide = width >= CAPACITY_COLUMNS;
  const capacity = isWide
    ? `${n.allocatable_cpu_cores ?? '?'}c/${fmt.bytes(n.allocatable_mem_bytes)}`.padEnd(11) + usageText(n, isMeasured)
    : '';
  const pods = n.pods_count === null ? '? pods' : `${n.pods_count} pods`;
  return cutLine(
    line(
      span(` ${n.ready === 'true' ? '•' : '■'} `, tone),
      pad(`${n.name}${n.local ? ' (here)' : ''}`, isWide ? 24 : 18),
      ' ',
      span(pad(word, 9), tone),
      ' ',
      pad(n.internal_ips[0] ?? '-', 15),
      ` ${pods.padEnd(9)} ${capacity}`,
      span(complaints(n), 'warn'),
    ),
    width,
  );
}

/** The worse the earlier, since the last ones may not be shown. */
const badness = (n: ClusterNode): number => (n.ready !== 'true' ? 2 : complaints(n) !== '' ? 1 : 0);

/** Nodes that are not ready first. Empty for a single node that is ready. */
export function nodeLines(s: ScreenState, width: number): Line[] {
  const x = shown(s.view.nodes);
  if (!x || (x.data.list.length <= 1 && x.data.list.every((n) => badness(n) === 0))) return [];
  return [...x.data.list]
    .sort((a, b) => badness(b) - badness(a) || a.name.localeCompare(b.name))
    .map((n) =>
      nodeLine(
        n,
        width,
        x.data.list.some((m) => m.usage_cpu_cores !== null || m.usage_mem_bytes !== null),
      ),
    );
}
