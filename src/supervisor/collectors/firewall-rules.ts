/**
 * Would a new TCP connection from outside reach a port? Judged from the rules that the kernel has, in the words of `nft -j`. A
 * connection of our own goes over the loopback and tells nothing. Careful both ways: what is not understood is indeterminate, a
 * rule for some sources only is no block, and every base chain of the input hook has its say, the worst counts.
 */
import { isRecord } from '#model/json.ts';

export type Reach = 'open' | 'scoped' | 'indeterminate' | 'blocked';

const ORDER: readonly Reach[] = ['open', 'scoped', 'indeterminate', 'blocked'];
export const worstReach = (all: readonly Reach[]): Reach => all.reduce((a, b) => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a), 'open');

type Json = Readonly<Record<string, unknown>>;

export interface BaseChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly policy: string;
}

const entriesOf = (document: string): Json[] => {
  const v: unknown = JSON.parse(document);
  const list = isRecord(v) ? v['nftables'] : null;
  if (!Array.isArray(list)) throw new Error('nft said something else than expected');
  return list.filter(isRecord);
};

/** A filter chain of the input hook. Those of bridges and single devices see other packets. */
export const isInputChain = (c: Json): boolean =>
  c['hook'] === 'input' && c['type'] === 'filter' && ['inet', 'ip', 'ip6'].includes(String(c['family']));

/** The input chains in `nft -j list chains`. */
export function inputChains(document: string): BaseChain[] {
  return entriesOf(document).flatMap((e): BaseChain[] => {
    const c = e['chain'];
    if (!isRecord(c) || !isInputChain(c)) return [];
    return [{ family: String(c['family']), table: String(c['table']), name: String(c['name']), policy: String(c['policy'] ?? 'accept') }];
  });
}

/** `some`: only for some sources, interfaces or families. `maybe`: not understood. */
type Fit = 'yes' | 'no' | 'some' | 'maybe';

/** Does one value of a match hold `wanted`? Named sets and maps cannot be seen from here. */
function holds(right: unknown, wanted: readonly (string | number)[]): Fit {
  if (typeof right === 'string' && right.startsWith('@')) return 'maybe';
  if (typeof right === 'string' || typeof right === 'number') return wanted.includes(right) ? 'yes' : 'no';
  const items = Array.isArray(right) ? right : isRecord(right) && Array.isArray(right['set']) ? right['set'] : null;
  if (items) {
    const fits = items.map((i) => holds(i, wanted));
    return fits.includes('yes') ? 'yes' : fits.includes('maybe') ? 'maybe' : 'no';
  }
  const range = isRecord(right) && Array.isArray(right['range']) ? right['range'].map(Number) : null;
  if (!range) return 'maybe';
  return wanted.some((w) => typeof w === 'number' && w >= (range[0] ?? Number.NaN) && w <= (range[1] ?? Number.NaN)) ? 'yes' : 'no';
}

/** One `match` expression against a new TCP connection to `port` from somewhere. */
function matchFit(match: Json, port: number): Fit {
  const left = match['left'];
  if ((match['op'] !== '==' && match['op'] !== 'in') || !isRecord(left)) return 'maybe';
  const right = match['right'];
  if (isRecord(left['ct'])) return left['ct']['key'] === 'state' ? holds(right, ['new']) : 'maybe';
  const payload = left['payload'];
  if (isRecord(payload)) {
    const [protocol, field] = [payload['protocol'], payload['field']];
    if (protocol === 'tcp' || protocol === 'th') return field === 'dport' ? holds(right, [port]) : 'maybe';
    if (protocol === 'ip' || protocol === 'ip6') return field === 'protocol' || field === 'nexthdr' ? holds(right, ['tcp', 6]) : 'some';
    return ['udp', 'udplite', 'icmp', 'icmpv6', 'sctp', 'dccp', 'esp', 'ah', 'arp', 'igmp'].includes(String(protocol)) ? 'no' : 'maybe';
  }
  if (!isRecord(left['meta'])) return 'maybe';
  switch (left['meta']['key']) {
    case 'l4proto':
      return holds(right, ['tcp', 6]);
    case 'iif':
    case 'iifname':
      return right === 'lo' ? 'no' : 'some';
    case 'nfproto':
    case 'protocol':
      return 'some';
    default:
      return 'maybe';
  }
}

const HARMLESS = new Set(['counter', 'log', 'comment', 'quota']);
type End = 'accept' | 'drop' | 'jump' | null;

function endOf(expression: Json): End {
  if ('accept' in expression) return 'accept';
  if ('drop' in expression || 'reject' in expression) return 'drop';
  return 'jump' in expression || 'goto' in expression || 'vmap' in expression || 'queue' in expression ? 'jump' : null;
}

/** What a rule does with the connection, and how surely. */
function judgeRule(expressions: readonly Json[], port: number): { readonly fit: Fit; readonly end: End } {
  let fit: Fit = 'yes';
  const narrow = (f: Fit): void => {
    if (fit === 'no' || f === 'yes') return;
    fit = f === 'no' || fit === 'yes' ? f : fit === 'maybe' || f === 'maybe' ? 'maybe' : 'some';
  };
  let end: End = null;
  for (const e of expressions) {
    if (isRecord(e['match'])) narrow(matchFit(e['match'], port));
    else if ('limit' in e) narrow('some');
    else if (endOf(e) !== null) end = endOf(e);
    else if (!Object.keys(e).every((k) => HARMLESS.has(k))) narrow('maybe');
  }
  return { fit, end };
}

/** One chain as `nft -j list chain` prints it. `policy` is that of the base chain. */
export function judgeChain(document: string, policy: string, port: number): Reach {
  const rules = entriesOf(document).flatMap((e) => {
    const r = e['rule'];
    return isRecord(r) && Array.isArray(r['expr']) ? [r['expr'].filter(isRecord)] : [];
  });
  let [isScoped, isUnsure] = [false, false];
  const closed = (): Reach => (isScoped ? 'scoped' : isUnsure ? 'indeterminate' : 'blocked');
  for (const expressions of rules) {
    const { fit, end } = judgeRule(expressions, port);
    if (fit === 'no' || end === null) continue;
    // What is behind a jump is not looked at: it matters where the rest would be dropped.
    if (end === 'jump') isUnsure ||= policy === 'drop';
    else if (fit === 'maybe') isUnsure = true;
    else if (fit === 'some') isScoped ||= end === 'accept';
    else if (end === 'drop') return closed();
    else return isUnsure ? 'indeterminate' : 'open';
  }
  if (policy === 'drop') return closed();
  return isUnsure ? 'indeterminate' : 'open';
}
