/**
 * Are the rules in the kernel those that the box was told to have? The file that holds them is loaded into an empty network of its
 * own, which no packet reaches and which goes with the command, and what it makes there is compared. So a rule that a hand took
 * away or put in is seen, and nobody has to understand the file.
 */
import { isRecord } from '#model/json.ts';
import type { HostView } from '#system/observe.ts';
import { type Runner, succeeded } from '#system/run.ts';
import { type BaseChain, isInputChain } from './firewall-rules.ts';

export const RULES_FILE = '/etc/nftables.conf';
const LOAD_MS = 5000;
/** Either says that somebody loads the file: Debian's unit, or the agent that writes the rules of the fleet. */
const LOADERS = [
  '/etc/systemd/system/sysinit.target.wants/nftables.service',
  '/var/lib/spatiumddi/release-state/firewall-applied-hash',
] as const;

type Json = Readonly<Record<string, unknown>>;

/** A rule without what differs between two kernels that hold the same: handles, what was counted, the order inside a set. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  if ('counter' in value) return { counter: null };
  const set = value['set'];
  if (Array.isArray(set)) return { set: set.map((e) => JSON.stringify(plain(e))).sort() };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'handle' && key !== 'used')
      .map(([key, v]) => [key, plain(v)]),
  );
}

const objectsOf = (document: string): Json[] => {
  const v: unknown = JSON.parse(document);
  const list = isRecord(v) && Array.isArray(v['nftables']) ? v['nftables'].filter(isRecord) : [];
  // `nft --echo` wraps each object in what was done with it.
  return list.map((e) => (isRecord(e['add']) ? e['add'] : e));
};

/** The rules of one chain in their order, as texts that can be compared. */
function rulesOf(objects: readonly Json[], chain: Pick<BaseChain, 'family' | 'table' | 'name'>): string[] {
  return objects.flatMap((o) => {
    const r = o['rule'];
    const isHere = isRecord(r) && r['family'] === chain.family && r['table'] === chain.table && r['chain'] === chain.name;
    return isHere ? [JSON.stringify(plain({ expr: r['expr'], comment: r['comment'] ?? null }))] : [];
  });
}

/** @param made what `nft -j -e -f` told of the file @param listed the kernel's input chains, each with `nft -j list chain` of it */
export function differs(made: string, listed: readonly { readonly chain: BaseChain; readonly document: string }[]): boolean {
  const objects = objectsOf(made);
  const wanted = objects.flatMap((o) => {
    const c = o['chain'];
    return isRecord(c) && isInputChain(c) ? [c] : [];
  });
  return wanted.some((c) => {
    const [family, table, name] = [String(c['family']), String(c['table']), String(c['name'])];
    const here = listed.find(({ chain }) => chain.family === family && chain.table === table && chain.name === name);
    if (here === undefined || here.chain.policy !== String(c['policy'] ?? 'accept')) return true;
    const [want, have] = [rulesOf(objects, here.chain), rulesOf(objectsOf(here.document), here.chain)];
    return JSON.stringify(want) !== JSON.stringify(have);
  });
}

/** null: nobody loads such a file here, or it cannot be loaded in an empty network (it names an interface that must be there). */
export async function driftOf(host: HostView, run: Runner, listed: Parameters<typeof differs>[1]): Promise<boolean | null> {
  if (!(await host.exists(RULES_FILE))) return null;
  const loaders = await Promise.all(LOADERS.map((file) => host.exists(file)));
  if (!loaders.includes(true)) return null;
  const made = await run(['unshare', '--net', '--', 'nft', '-j', '-e', '-f', RULES_FILE], { timeoutMs: LOAD_MS });
  return succeeded(made) ? differs(made.stdout, listed) : null;
}
