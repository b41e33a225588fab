/** A fixed address tried in a network namespace: the port itself and what the running system does over it stay as they are. */
import { ensureDir, remove, writeAtomic } from '#system/files.ts';
import { type Runner, type RunResult, succeeded, whyFailed } from '#system/run.ts';

const NAMESPACE = 'spatium-try';
const PORT = 'spatium-try0';
const COMMAND_MS = 5_000;

export interface TrialAddress {
  /** Port of the machine that the trial hangs on. */
  readonly port: string;
  /** `192.0.2.9/24`, and an IPv6 one where it is fixed too. */
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  readonly dns: readonly string[];
  readonly mtu: number | null;
}

export interface Trial {
  /** Words to put before a command, so that it runs over the trial's address. */
  readonly prefix: readonly string[];
  /** Is there a machine with that address on the cable? By its answer to a ping, else by its hardware address. */
  gateway(address: string): Promise<{ readonly isThere: boolean; readonly detail: string }>;
  end(): Promise<void>;
}

const isV6 = (address: string): boolean => address.includes(':');
const etcDir = `/etc/netns/${NAMESPACE}`;

async function clear(runner: Runner): Promise<void> {
  await runner(['ip', 'netns', 'del', NAMESPACE], { timeoutMs: COMMAND_MS });
  // Left behind when it was made and could not be moved.
  await runner(['ip', 'link', 'del', PORT], { timeoutMs: COMMAND_MS });
  await remove(etcDir);
}

/** A second face of the port: ipvlan shares its hardware address, which switches with port security want; macvlan is the older way. */
async function addPort(port: string, runner: Runner): Promise<RunResult> {
  const add = ['ip', 'link', 'add', 'link', port, 'name', PORT, 'type'];
  const ipvlan = await runner([...add, 'ipvlan', 'mode', 'l2'], { timeoutMs: COMMAND_MS });
  return succeeded(ipvlan) ? ipvlan : runner([...add, 'macvlan', 'mode', 'private'], { timeoutMs: COMMAND_MS });
}

async function setUp(wanted: TrialAddress, runner: Runner): Promise<string | null> {
  const made = await runner(['ip', 'netns', 'add', NAMESPACE], { timeoutMs: COMMAND_MS });
  if (!succeeded(made)) return whyFailed(made);
  const added = await addPort(wanted.port, runner);
  if (!succeeded(added)) return whyFailed(added);
  const inside = ['ip', '-n', NAMESPACE];
  const mtu = wanted.mtu === null ? [] : ['mtu', String(wanted.mtu)];
  const commands = [
    ['ip', 'link', 'set', PORT, 'netns', NAMESPACE],
    [...inside, 'link', 'set', 'lo', 'up'],
    ...wanted.addresses.map((address) => [...inside, 'address', 'add', address, 'dev', PORT, ...(isV6(address) ? ['nodad'] : [])]),
    [...inside, 'link', 'set', PORT, ...mtu, 'up'],
    // A gateway outside the subnet is reached over the cable all the same.
    ...wanted.gateways.map((gateway) => [...inside, 'route', 'add', 'default', 'via', gateway, 'dev', PORT, 'onlink']),
  ];
  for (const argv of commands) {
    const result = await runner(argv, { timeoutMs: COMMAND_MS });
    if (!succeeded(result)) return whyFailed(result);
  }
  await ensureDir(etcDir);
  await writeAtomic(`${etcDir}/resolv.conf`, wanted.dns.map((server) => `nameserver ${server}\n`).join(''));
  return null;
}

async function askGateway(address: string, runner: Runner): Promise<{ isThere: boolean; detail: string }> {
  const prefix = ['ip', 'netns', 'exec', NAMESPACE];
  // The first packet may be lost to the question for the hardware address.
  const ping = await runner([...prefix, 'ping', '-c', '2', '-i', '0.3', '-W', '1', address], { timeoutMs: COMMAND_MS });
  if (succeeded(ping)) return { isThere: true, detail: `${address} answers` };
  const neighbour = await runner(['ip', '-n', NAMESPACE, 'neighbour', 'show', address], { timeoutMs: COMMAND_MS });
  const mac = succeeded(neighbour) ? /lladdr (\S+)/.exec(neighbour.stdout)?.[1] : undefined;
  if (mac !== undefined) return { isThere: true, detail: `${address} is there (${mac}), though it answers no ping` };
  if (ping.kind === 'not_started') return { isThere: false, detail: `${address} could not be asked: there is no ping here` };
  return { isThere: false, detail: `nobody on this cable has ${address}` };
}

/** Sets the address up. A text is why that is not possible here. The caller ends a trial that was begun. */
export async function beginTrial(wanted: TrialAddress, runner: Runner): Promise<Trial | string> {
  await clear(runner);
  const why = await setUp(wanted, runner);
  if (why !== null) {
    await clear(runner);
    return why;
  }
  return {
    prefix: ['ip', 'netns', 'exec', NAMESPACE],
    gateway: (address) => askGateway(address, runner),
    end: () => clear(runner),
  };
}
