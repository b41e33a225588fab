/** What the wizard asks of hosts outside: keys, and whether there is a control plane. */
import type { CheckLine } from '#installer/wizard/types.ts';
import { plain } from '#rules/disks.ts';
import { messageOf } from '#system/complain.ts';
import { addressesOf, type Certificate, getPage, WebError, type WebReply } from '#system/web.ts';

const KEYS_TIMEOUT_MS = 10_000;
const MAX_KEYS_BYTES = 64 * 1024;
const NAME_TIMEOUT_MS = 3_000;
const PROBE_TIMEOUT_MS = 8_000;
const MAX_VERSION_BYTES = 64 * 1024;
/** A clock this far off makes tokens and certificates fail. */
const MAX_CLOCK_DRIFT_MS = 5 * 60_000;

export type Tell = (lines: readonly CheckLine[]) => void;

/** Collects lines and tells all of them after each. */
export function report(tell: Tell, first: readonly CheckLine[] = []) {
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
      throw new WebError(`The keys could not be fetched: ${messageOf(error)}.`, 'KEYS');
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
  if (!URL.canParse(url)) return lines.add('Control plane', 'failed', 'the address is no URL; write https://NAME or https://NAME:PORT');
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  lines.running('Name');
  try {
    const addresses = await addressesOf(host, NAME_TIMEOUT_MS);
    lines.add('Name', 'ok', `${host} is ${addresses.slice(0, 2).join(', ')}`);
  } catch (error) {
    return lines.add('Name', 'failed', `${host}: ${messageOf(error)}`);
  }
  lines.running('Control plane');
  try {
    // Looking does not trust: what is read here is shown and forgotten.
    const options = { timeoutMs: PROBE_TIMEOUT_MS, maxBytes: MAX_VERSION_BYTES, accept: 'application/json', isVerified: false };
    tellReply(await getPage(`${url.replace(/\/$/, '')}/api/v1/version`, options), host, lines);
  } catch (error) {
    lines.add('Control plane', 'failed', messageOf(error));
  }
}

/**
 * `spatium-install --probe URL`: the same look without the wizard, one line a layer; `json` for the program itself.
 * Exit code 0 when a control plane answers.
 */
export async function probeInLines(url: string, format: 'text' | 'json', print: (text: string) => void): Promise<number> {
  const told = new Set<CheckLine>();
  let last: CheckLine | undefined;
  await probeControlPlane(url, (lines) => {
    for (const line of lines) {
      if (line.state === 'running' || told.has(line)) continue;
      told.add(line);
      last = line;
      print(format === 'json' ? `${JSON.stringify(line)}\n` : `${line.state.padEnd(7)} ${plain(line.name)}: ${plain(line.detail)}\n`);
    }
  });
  return last?.name === 'Control plane' && last.state === 'ok' ? 0 : 1;
}
