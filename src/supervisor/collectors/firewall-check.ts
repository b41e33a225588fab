/** The self-check of the web UI's ports by the supervisor, for a box where no timer of the host writes one. */
import type { SectionData } from '#model/status.ts';
import type { Clock } from '#status/store.ts';
import { messageOf } from '#system/complain.ts';
import type { HostView } from '#system/observe.ts';
import { describeEnd, type Runner, succeeded } from '#system/run.ts';
import { K3S_BINARY } from '../kube/cluster.ts';
import { driftOf } from './firewall-drift.ts';
import { type BaseChain, inputChains, judgeChain, type Reach, worstReach } from './firewall-rules.ts';

type Webui = SectionData['firewall']['webui'];

const NFT = '/usr/sbin/nft';
const NFT_MS = 5000;
/** The kernel has no file for its rules, so this is a process now and then. */
const CHECK_MS = 300_000;
const TTL_S = 900;
const WEB_PORTS = [443, 80] as const;
/** The image's sshd listens on no other. */
const SSH_PORT = 22;
const PORTS = [...WEB_PORTS, SSH_PORT] as const;

interface Listed {
  readonly chain: BaseChain;
  /** `nft -j list chain` of it. */
  readonly document: string;
}

/** The kernel's input chains; throws in words when they cannot be read. Only these: the whole rule set of a cluster is thousands of lines. */
async function listInput(run: Runner): Promise<Listed[]> {
  const nft = async (...args: string[]): Promise<string> => {
    const r = await run(['nft', '-j', ...args], { timeoutMs: NFT_MS });
    if (!succeeded(r)) throw new Error(`nft: ${describeEnd(r)}`);
    return r.stdout;
  };
  const out: Listed[] = [];
  for (const chain of inputChains(await nft('list', 'chains')))
    out.push({ chain, document: await nft('list', 'chain', chain.family, chain.table, chain.name) });
  return out;
}

/** The answer for each port. */
const reachOfPorts = (listed: readonly Listed[]): ReadonlyMap<number, Reach> =>
  new Map(PORTS.map((port) => [port, worstReach(listed.map(({ chain, document }) => judgeChain(document, chain.policy, port)))]));

const DETAIL: Readonly<Record<Reach, string | null>> = {
  open: null,
  scoped: 'open for some sources only',
  indeterminate: 'the rules hold something that is not understood',
  blocked: 'an input chain drops new connections to tcp/443',
};

/** What a check tells: of the web UI for its panel, and of SSH, where null is not known. */
export interface SelfCheck {
  readonly webui: Webui;
  readonly ssh: Reach | null;
  /** The kernel's rules are not those of the file; null: not compared. */
  readonly drift: boolean | null;
}

/** The last check, made anew every five minutes; null where there is no nft, and where nothing serves a web UI. */
export function firewallSelfCheck(host: HostView, clock: Clock, run: Runner): () => Promise<SelfCheck | null> {
  let last: { readonly atMs: number; readonly check: SelfCheck } | null = null;
  let indeterminate = 0;
  const check = async (): Promise<SelfCheck> => {
    let [status, detail, ports]: [Reach, string | null, Record<string, string>] = ['indeterminate', null, {}];
    let ssh: Reach | null = null;
    let drift: boolean | null = null;
    try {
      const listed = await listInput(run);
      const reach = reachOfPorts(listed);
      ssh = reach.get(SSH_PORT) ?? null;
      status = reach.get(443) ?? 'indeterminate';
      detail = DETAIL[status];
      ports = Object.fromEntries(WEB_PORTS.map((port) => [String(port), reach.get(port) ?? 'indeterminate']));
      drift = await driftOf(host, run, listed).catch(() => null);
    } catch (error) {
      detail = messageOf(error);
    }
    indeterminate = status === 'indeterminate' ? indeterminate + 1 : 0;
    const at = clock.now();
    return {
      webui: { status, detail, ports, checked_at: at, age_s: 0, ttl_s: TTL_S, consecutive_indeterminate: indeterminate },
      ssh,
      drift,
    };
  };
  return async () => {
    if (!(await host.exists(NFT)) || !(await host.exists(K3S_BINARY))) return null;
    if (last === null || clock.monoMs() - last.atMs >= CHECK_MS) last = { atMs: clock.monoMs(), check: await check() };
    const { webui, ...rest } = last.check;
    return { webui: { ...webui, age_s: Math.round((clock.monoMs() - last.atMs) / 1000) }, ...rest };
  };
}
