/** What the box serves: API, its dependencies, database, load balancer, certificates. Lines for the first page where it has room, and for F7. */
import * as fmt from '#status/format.ts';
import type { Reading } from '#status/freshness.ts';
import { label, missing, type Shown, shown, toneOf } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { flow, type Line, line, span, type Tone } from '../style.ts';

/** Days before the end of a certificate from which it is coloured; the verdict has its own. */
const CERT_WARN_DAYS = 14;

const isThere = (r: Reading<unknown> | undefined): boolean => r !== undefined && r.freshness !== 'not_applicable';

/** Name, value, and the mark of its age; nothing where the section does not apply. */
function piece<T>(name: string, r: Reading<T> | undefined, show: (x: Shown<T>) => Line): Line {
  if (!isThere(r)) return [];
  const x = shown(r);
  if (!x) return [label(`${name} `), missing(r)];
  const value = show(x);
  return value.length === 0 ? [] : [label(`${name} `), ...value, span(x.mark, 'quiet')];
}

const API_TONES: Readonly<Record<string, Tone>> = { ok: 'good', degraded: 'bad', unreachable: 'bad' };

/** Requests that could not be counted are not zero requests. */
export const apiPiece = (s: ScreenState): Line =>
  piece('API', s.view.api, (x) => {
    const d = x.data;
    if (!d.present) return [];
    const rate = d.requests_per_s === null ? `requests ? (${d.metrics_status})` : `${d.requests_per_s.toFixed(1)} req/s`;
    const active = d.active === null ? '' : `, ${d.active} active`;
    return [span(d.ready === 'unknown' ? '?' : d.ready, toneOf(x, API_TONES[d.ready] ?? 'quiet')), span(`, ${rate}${active}`)];
  });

const CHECKS: Readonly<Record<string, readonly [string, Tone]>> = {
  ok: ['ok', 'good'],
  failing: ['FAILING', 'bad'],
  unknown: ['?', 'quiet'],
};

const platformPiece = (s: ScreenState): Line =>
  piece('Platform', s.view.platform, (x) => {
    if (x.data.checks.length === 0) return [span('no checks reported', 'quiet')];
    return x.data.checks.flatMap((c, i): Line => {
      const [word, tone] = CHECKS[c.state] ?? [c.state, 'plain' as const];
      return [span(`${i === 0 ? '' : ', '}${c.name} `), span(word, toneOf(x, tone))];
    });
  });

const databasePiece = (s: ScreenState): Line =>
  piece('Database', s.view.postgres, (x) => {
    const d = x.data;
    if (!d.present) return [];
    const used = d.backends_active === null || d.backends_idle === null ? '?' : String(d.backends_active + d.backends_idle);
    return [
      d.primary_pod === null ? span('NO PRIMARY', toneOf(x, 'bad')) : span(d.primary_pod, toneOf(x, 'good')),
      span(`, ${used} of ${d.max_connections ?? '?'} connections`),
      ...(d.backends_waiting ? [span(`, ${d.backends_waiting} waiting`, toneOf(x, 'warn'))] : []),
    ];
  });

/** Pieces of their own, since what does not fit in a row goes to the next one whole. */
function databaseMore(s: ScreenState): Line[] {
  const x = shown(s.view.postgres);
  if (!x?.data.present) return [];
  const d = x.data;
  const lag = d.replica_lag_s === null ? ', lag ?' : `, ${d.replica_lag_s.toFixed(1)} s behind`;
  const replicas = d.replicas_streaming === null ? '?' : d.replicas_streaming === 0 ? 'none' : `${d.replicas_streaming}${lag}`;
  return [
    [label('Replicas '), span(replicas, toneOf(x, 'plain'))],
    [label('Database size '), span(fmt.bytes(d.size_bytes), toneOf(x, 'plain'))],
  ];
}

const balancerPiece = (s: ScreenState): Line =>
  piece('Load balancer', s.view.loadbalancer, (x) => {
    const d = x.data;
    if (!d.metallb_present && !d.vip_assigned) return [];
    const address = !d.vip_assigned
      ? span('no virtual address')
      : d.vip_reachable === null
        ? span('virtual address assigned')
        : d.vip_reachable
          ? span('virtual address answers', toneOf(x, 'good'))
          : span('virtual address does NOT answer', toneOf(x, 'bad'));
    if (d.speakers_total === null) return [address];
    const isShort = d.speakers_ready !== null && d.speakers_ready < d.speakers_total;
    return [address, span(`, speakers ${d.speakers_ready ?? '?'}/${d.speakers_total} ready`, toneOf(x, isShort ? 'warn' : 'plain'))];
  });

/** The certificate that ends first; one that cannot be read is named. */
const certsPiece = (s: ScreenState): Line =>
  piece('Certificates', s.view.certs, (x) => {
    const known = x.data.filter((c) => c.days_left !== null).sort((a, b) => (a.days_left ?? 0) - (b.days_left ?? 0));
    const unread = x.data.length - known.length;
    const [first] = known;
    const tail = unread === 0 ? [] : [span(`${first ? ', ' : ''}${unread} cannot be read`, toneOf(x, 'warn'))];
    if (!first) return tail;
    const days = Math.floor(first.days_left ?? 0);
    const tone: Tone = days < 0 ? 'bad' : days <= CERT_WARN_DAYS ? 'warn' : 'plain';
    return [span(days < 0 ? `${first.name} EXPIRED` : `${first.name} ends first, in ${days} d`, toneOf(x, tone)), ...tail];
  });

/** Nothing on a box that serves nothing. */
export function serviceLines(s: ScreenState, width: number): Line[] {
  const pieces = [apiPiece(s), platformPiece(s), databasePiece(s), ...databaseMore(s), balancerPiece(s), certsPiece(s)];
  return flow(pieces, width - 2).map((l) => line(' ', ...l));
}
