/** What the wizard asks of the world outside: keys, the control plane, the network. Nothing is written, nothing is set. */
import type { CheckLine } from '#installer/wizard/types.ts';
import type { Answers } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import { type Runner, run, succeeded } from '#system/run.ts';
import { addressesOf, type Certificate, getPage, WebError, type WebReply } from '#system/web.ts';

const KEYS_TIMEOUT_MS = 10_000;
const MAX_KEYS_BYTES = 64 * 1024;
const NAME_TIMEOUT_MS = 3_000;
const PROBE_TIMEOUT_MS = 8_000;
const MAX_VERSION_BYTES = 64 * 1024;
/** A clock this far off makes tokens and certificates fail. */
const MAX_CLOCK_DRIFT_MS = 5 * 60_000;

type Tell = (lines: readonly CheckLine[]) => void;

/** Collects lines and tells all of them after each. */
function report(tell: Tell, first: readonly CheckLine[] = []) {
  const lines: CheckLine[] = [...first];
  const running = (name: string): void => tell([...lines, { name, state: 'running', detail: 'asking' }]);
  const add = (name: string, state: CheckLine['state'], detail: string): void => {
    lines.push({ name, state, detail });
    tell([...lines]);
  };
  return { running, add };
}

/** Public keys from a web page. @throws WebError with a sentence */
export async function fetchKeys(url: string): Promise<string> {
  const reply = await getPage(url, { timeoutMs: KEYS_TIMEOUT_MS, maxBytes: MAX_KEYS_BYTES, accept: 'text/plain', isVerified: true }).catch(
    (error: unknown) => {
      throw new WebError(`The keys could not be fetched: ${error instanceof Error ? error.message : String(error)}.`, 'KEYS');
    },
  );
  if (reply.status !== 200) throw new WebError(`The keys could not be fetched: the server answered ${reply.status}.`, 'KEYS');
  return reply.body;
}

function certificateText(certificate: Certificate, host: string): string {
  const fault = certificate.fault ?? '';
  if (!certificate.isForHost) return `made for ${certificate.names.slice(0, 3).join(', ') || 'no name'}, not for ${host}`;
  if (/EXPIRED|NOT_YET_VALID/.test(fault))
    return `valid from ${certificate.validFrom.slice(0, 10)} to ${certificate.validTo.slice(0, 10)}; compare the clock`;
  if (/SELF_SIGNED/.test(fault)) return 'self-signed; the node learns it when it pairs';
  return `not trusted (${fault})`;
}

/** `<url>/api/v1/version` says what stands there. */
function versionOf(body: string): string | null {
  try {
    const value: unknown = JSON.parse(body);
    const version = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['version'] : null;
    return typeof version === 'string' ? version.slice(0, 40) : null;
  } catch {
    return null;
  }
}

function tellReply(reply: WebReply, host: string, lines: ReturnType<typeof report>): void {
  const { certificate } = reply;
  if (certificate) {
    const isTrusted = certificate.fault === null && certificate.isForHost;
    const isFine = isTrusted || (certificate.isForHost && /SELF_SIGNED/.test(certificate.fault ?? ''));
    const detail = isTrusted ? `good until ${certificate.validTo.slice(0, 10)}` : certificateText(certificate, host);
    lines.add('Certificate', isFine ? 'ok' : 'failed', detail);
  }
  if (reply.clockMs !== null) {
    const driftMs = Math.abs(reply.clockMs - Date.now());
    const minutes = Math.round(driftMs / 60_000);
    if (driftMs > MAX_CLOCK_DRIFT_MS) lines.add('Clock', 'failed', `${minutes} minutes apart from the control plane`);
  }
  const version = versionOf(reply.body);
  if (version !== null) lines.add('Control plane', 'ok', `version ${version}`);
  else lines.add('Control plane', 'failed', `something answers (${reply.status}), but it is no control plane`);
}

/** Name, connection, certificate, version: one line each. Never throws. */
export async function probeControlPlane(url: string, tell: Tell, before: readonly CheckLine[] = []): Promise<void> {
  const lines = report(tell, before);
  if (!URL.canParse(url)) return lines.add('Control plane', 'failed', 'the address is no URL');
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  lines.running('Name');
  try {
    const addresses = await addressesOf(host, NAME_TIMEOUT_MS);
    lines.add('Name', 'ok', `${host} is ${addresses.slice(0, 2).join(', ')}`);
  } catch (error) {
    return lines.add('Name', 'failed', `${host}: ${error instanceof Error ? error.message : String(error)}`);
  }
  lines.running('Control plane');
  try {
    // Looking does not trust: what is read here is shown and forgotten.
    const options = { timeoutMs: PROBE_TIMEOUT_MS, maxBytes: MAX_VERSION_BYTES, accept: 'application/json', isVerified: false };
    tellReply(await getPage(`${url.replace(/\/$/, '')}/api/v1/version`, options), host, lines);
  } catch (error) {
    lines.add('Control plane', 'failed', error instanceof Error ? error.message : String(error));
  }
}

async function gatewayLine(gateway: string, runner: Runner): Promise<CheckLine> {
  const result = await runner(['ping', '-c', '1', '-W', '1', gateway], { timeoutMs: 3_000 });
  if (result.kind === 'not_started') return { name: 'Gateway', state: 'skipped', detail: `${gateway}; there is no ping here` };
  const answers = succeeded(result);
  return {
    name: 'Gateway',
    state: answers ? 'ok' : 'failed',
    detail: answers ? `${gateway} answers` : `${gateway} does not answer (some never do)`,
  };
}

/** Link, address, gateway, names, control plane, as the network is now; a static address is not set for it. */
export async function testNetwork(answers: Answers, machine: Machine, tell: Tell, runner: Runner = run): Promise<void> {
  const lines = report(tell);
  const done: CheckLine[] = [];
  const add = (line: CheckLine): void => {
    done.push(line);
    lines.add(line.name, line.state, line.detail);
  };
  const wanted = answers.network?.interface;
  const ports = (machine.interfaces ?? []).filter((port) => wanted === undefined || port.name === wanted);
  const up = ports.filter((port) => port.linkUp === true);
  const port = up.find((candidate) => candidate.addresses.length > 0) ?? up[0];
  add({
    name: 'Link',
    state: up.length > 0 ? 'ok' : 'failed',
    detail: up.length > 0 ? `${up.map((one) => one.name).join(', ')} up` : `no link on ${wanted ?? 'any port'}`,
  });
  const address = port?.addresses.find((text) => !text.startsWith('fe80:'));
  const isLater = answers.network?.mode === 'static';
  add({
    name: 'Address',
    state: address === undefined ? (isLater ? 'skipped' : 'failed') : 'ok',
    detail:
      address === undefined
        ? isLater
          ? 'none now; the fixed one is set on the installed system'
          : 'no lease from DHCP'
        : `${address} now`,
  });
  const gateway = port?.gateway4 ?? null;
  lines.running('Gateway');
  add(gateway === null ? { name: 'Gateway', state: 'skipped', detail: 'none now' } : await gatewayLine(gateway, runner));
  const url = answers.control_plane_url;
  if (url === undefined)
    add({ name: 'Names', state: 'skipped', detail: `DNS servers ${machine.resolvers.join(', ') || 'none'}; no name to ask for` });
  else await probeControlPlane(url, tell, done);
}
