/** The network as answered, layer by layer. A fixed address is set for the test only, and not on the port itself. */
import type { CheckLine } from '#installer/wizard/types.ts';
import type { Answers, NetworkSettings } from '#model/answers.ts';
import { DEFAULT_NTP } from '#model/limits.ts';
import type { Machine, NetInterface } from '#model/machine.ts';
import { judge } from '#rules/judge.ts';
import { settleNetwork } from '#rules/settle.ts';
import { type Runner, run, succeeded } from '#system/run.ts';
import { probeControlPlane, report, type Tell } from './look-outside.ts';
import { beginTrial, type Trial } from './network-trial.ts';

const NAME_MS = 8_000;
const PROBE_MS = 25_000;

export interface TestContext {
  readonly runner?: Runner;
  /** This program, for asking from inside the trial; default: the one that runs. */
  readonly self?: readonly string[];
}

/** The executable, or node with its script. */
const thisProgram = (): readonly string[] =>
  /^node/.test(process.execPath.split('/').pop() ?? '') ? [process.execPath, process.argv[1] ?? ''] : [process.execPath];

interface Lines {
  readonly done: CheckLine[];
  readonly tell: Tell;
  add(name: string, state: CheckLine['state'], detail: string): void;
  running(name: string): void;
}

function linesFor(tell: Tell): Lines {
  const lines = report(tell);
  const done: CheckLine[] = [];
  return {
    done,
    tell,
    running: lines.running,
    add: (name, state, detail) => {
      done.push({ name, state, detail });
      lines.add(name, state, detail);
    },
  };
}

/** The port that is meant, or the one that a lease would come by. */
function addLink(lines: Lines, wanted: string | null, machine: Machine): NetInterface | undefined {
  const ports = (machine.interfaces ?? []).filter((port) => wanted === null || port.name === wanted);
  const up = ports.filter((port) => port.linkUp === true);
  lines.add(
    'Link',
    up.length > 0 ? 'ok' : 'failed',
    up.length > 0 ? `${up.map((port) => port.name).join(', ')} up` : `no link on ${wanted ?? 'any port'}`,
  );
  return up.find((port) => port.addresses.length > 0) ?? up[0];
}

async function pingLine(lines: Lines, gateway: string, runner: Runner): Promise<void> {
  lines.running('Gateway');
  const result = await runner(['ping', '-c', '1', '-W', '1', gateway], { timeoutMs: 3_000 });
  if (result.kind === 'not_started') return lines.add('Gateway', 'skipped', `${gateway}; there is no ping here`);
  const answers = succeeded(result);
  lines.add('Gateway', answers ? 'ok' : 'failed', answers ? `${gateway} answers` : `${gateway} does not answer (some never do)`);
}

/** Do the DNS servers know a time server? Asked where there is no control plane to ask for. */
async function nameLine(
  answers: Answers,
  servers: readonly string[],
  prefix: readonly string[],
  lines: Lines,
  runner: Runner,
): Promise<void> {
  const name = (answers.ntp_servers ?? DEFAULT_NTP).find((server) => /^[a-z0-9].*[a-z]/i.test(server) && !server.includes(':'));
  if (name === undefined) return lines.add('Names', 'skipped', 'there is no name to ask for');
  lines.running('Names');
  const found = await runner([...prefix, 'getent', 'ahosts', name], { timeoutMs: NAME_MS });
  const address = succeeded(found) ? found.stdout.split(/\s/)[0] : undefined;
  const from = servers.join(', ') || 'no DNS server';
  lines.add('Names', address ? 'ok' : 'failed', address ? `${name} is ${address} (from ${from})` : `${from}: no answer about ${name}`);
}

/** What the network gives now, without setting anything. */
async function testAsIs(answers: Answers, machine: Machine, lines: Lines, port: NetInterface | undefined, runner: Runner): Promise<void> {
  const address = port?.addresses.find((text) => !text.startsWith('fe80:'));
  const isLater = answers.network?.mode?.toLowerCase() === 'static';
  // A fixed address that could not be set has a line of its own already.
  if (!isLater)
    lines.add('Address', address === undefined ? 'failed' : 'ok', address === undefined ? 'no lease from DHCP' : `${address} now`);
  const gateway = port?.gateway4 ?? null;
  if (gateway === null) lines.add('Gateway', 'skipped', 'none now');
  else await pingLine(lines, gateway, runner);
  const url = answers.control_plane_url;
  if (url === undefined) return nameLine(answers, machine.resolvers, [], lines, runner);
  await probeControlPlane(url, lines.tell, lines.done);
}

/** The program asks itself from inside, since a running process cannot change its network. */
async function controlPlaneInTrial(url: string, trial: Trial, lines: Lines, context: Required<TestContext>): Promise<void> {
  lines.running('Control plane');
  const argv = [...trial.prefix, ...context.self, 'install', '--probe', url, '--format', 'json'];
  const result = await context.runner(argv, { timeoutMs: PROBE_MS });
  const told = (result.kind === 'exited' ? result.stdout : '').split('\n').flatMap((text): CheckLine[] => {
    try {
      const line = JSON.parse(text) as CheckLine;
      return typeof line.name === 'string' && typeof line.detail === 'string' ? [line] : [];
    } catch {
      return [];
    }
  });
  if (told.length === 0) return lines.add('Control plane', 'failed', 'it could not be asked from the new address');
  for (const { name, state, detail } of told) lines.add(name, state, detail);
}

async function testInTrial(
  answers: Answers,
  network: NetworkSettings,
  trial: Trial,
  lines: Lines,
  context: Required<TestContext>,
): Promise<void> {
  const gateways: readonly (readonly [string, string | null])[] = [
    ['Gateway', network.ipv4?.gateway ?? null],
    ['IPv6 gateway', network.ipv6?.gateway ?? null],
  ];
  for (const [name, address] of gateways) {
    if (address === null) continue;
    lines.running(name);
    const { isThere, detail } = await trial.gateway(address);
    lines.add(name, isThere ? 'ok' : 'failed', detail);
  }
  const url = answers.control_plane_url;
  if (url === undefined) await nameLine(answers, network.dns, trial.prefix, lines, context.runner);
  else await controlPlaneInTrial(url, trial, lines, context);
}

const cidr = (ip: { address: string; prefix: number } | null): readonly string[] => (ip === null ? [] : [`${ip.address}/${ip.prefix}`]);

/** Null when the answers about the network do not stand yet. */
function networkOf(answers: Answers): NetworkSettings | null {
  const { network } = answers;
  if (network === undefined) return null;
  const isFaulty = judge({ network }, null, 'field').some((finding) => finding.severity === 'error' && finding.path.startsWith('network'));
  return isFaulty ? null : settleNetwork(network);
}

/** Link, address, gateway, names, control plane: one line each. When it ends, everything is as it was. */
export async function testNetwork(answers: Answers, machine: Machine, tell: Tell, context: TestContext = {}): Promise<void> {
  const runner = context.runner ?? run;
  const lines = linesFor(tell);
  const network = networkOf(answers);
  if (network === null) return lines.add('Network', 'skipped', 'its answers do not stand yet');
  const port = addLink(lines, network.interface, machine);
  if (network.ipv4 === null || port === undefined) return testAsIs(answers, machine, lines, port, runner);
  const { ipv4, ipv6, dns, mtu } = network;
  const addresses = [...cidr(ipv4), ...cidr(ipv6)];
  lines.running('Address');
  const gateways = [ipv4.gateway, ...(ipv6?.gateway ? [ipv6.gateway] : [])];
  const trial = await beginTrial({ port: port.name, addresses, gateways, dns, mtu }, runner);
  if (typeof trial === 'string') {
    lines.add('Address', 'skipped', `${addresses.join(', ')} could not be tried here (${trial}); below is the network as it is now`);
    return testAsIs(answers, machine, lines, port, runner);
  }
  try {
    lines.add('Address', 'ok', `${addresses.join(', ')} set beside ${port.name}, for this test only`);
    await testInTrial(answers, network, trial, lines, { runner, self: context.self ?? thisProgram() });
  } finally {
    await trial.end();
  }
}
