/** What a wizard wants to know of the moment and that no machine document holds: offered time servers, a gateway that answers, the image. */
import type { Machine } from '#model/machine.ts';
import { type Sources, sourcesOf } from './sources.ts';

export interface MachineSurroundings {
  /** Time servers of the DHCP lease (option 42), each once, in order. */
  readonly offeredNtp: readonly string[];
  /** One echo within a second; null when there is no gateway or no ping. Silence is no fault: many gateways do not answer. */
  readonly gatewayAnswers: boolean | null;
  /** Day the image was built, `2026-11-20`; null when it does not say. */
  readonly buildDate: string | null;
  readonly imageVersion: string | null;
}

const RELEASE_FILE = '/etc/spatiumddi/appliance-release';
const LEASES = '/run/systemd/netif/leases';
const PING_TIMEOUT_MS = 3_000;
const NMCLI_TIMEOUT_MS = 5_000;

/** `KEY="value"` of a release file. */
const releaseValue = (text: string, key: string): string | null =>
  new RegExp(`^${key}="?([^"\\n]*)"?\\s*$`, 'm').exec(text)?.[1]?.trim() || null;

const isAddressOrName = (word: string): boolean => /^[A-Za-z0-9.:_-]{1,253}$/.test(word);

/** From what NetworkManager holds of its leases, else from those of systemd-networkd. */
async function offeredNtp(sources: Sources): Promise<string[]> {
  const shown = (await sources.output(['nmcli', '-t', '-f', 'DHCP4', 'device', 'show'], NMCLI_TIMEOUT_MS)) ?? '';
  const found = [...shown.matchAll(/^DHCP4\.OPTION\[\d+\]:ntp_servers = (.+)$/gm)].map((m) => m[1] ?? '');
  for (const name of await sources.names(LEASES)) {
    const lease = (await sources.text(`${LEASES}/${name}`)) ?? '';
    found.push(/^NTP=(.+)$/m.exec(lease)?.[1] ?? '');
  }
  const words = found.flatMap((list) => list.split(/[\s,]+/)).filter(isAddressOrName);
  return [...new Set(words)];
}

async function answers(sources: Sources, gateway: string | null): Promise<boolean | null> {
  if (gateway === null) return null;
  const result = await sources.result(['ping', '-n', '-c', '1', '-W', '1', gateway], PING_TIMEOUT_MS);
  // 0: an answer; 1: none; everything else, not installed included, says nothing about the gateway.
  return result.kind === 'exited' && (result.code === 0 || result.code === 1) ? result.code === 0 : null;
}

/** Never throws; what cannot be found out is null or empty. Takes about a second when the gateway is silent. */
export async function probeSurroundings(machine: Machine, sources: Sources = sourcesOf()): Promise<MachineSurroundings> {
  const gateway = machine.interfaces?.find((i) => i.gateway4 !== null)?.gateway4 ?? null;
  const release = (await sources.text(RELEASE_FILE)) ?? '';
  const [ntp, gatewayAnswers] = await Promise.all([offeredNtp(sources), answers(sources, gateway)]);
  return {
    offeredNtp: ntp,
    gatewayAnswers,
    buildDate: /^\d{4}-\d{2}-\d{2}/.exec(releaseValue(release, 'BUILD_TIME') ?? '')?.[0] ?? null,
    imageVersion: releaseValue(release, 'APPLIANCE_VERSION'),
  };
}
