/** `spatium render`: /etc from the STATE partition, at every boot, before the network and sshd start. */

import { PATHS } from '#model/limits.ts';
import { parseStateConfig } from '#rules/state-config.ts';
import { messageOf } from '#system/complain.ts';
import { readTextIfExists, remove } from '#system/files.ts';
import { renderAccount } from './account.ts';
import { linkSupervisor, renderHostname, renderMachineId, renderRole, stableUuid } from './identity.ts';
import { DHCP_PROFILE, type RenderedNetwork, renderNetwork, STATIC_PROFILE, uuidIn } from './network-profile.ts';
import { renderSshKeys } from './ssh-keys.ts';
import { inRoot, putText, type Target } from './target.ts';

export const CONNECTIONS = '/etc/NetworkManager/system-connections';

/** MTU that the link will have: what was applied, else what the kernel reports, else empty for not known. */
async function mtuInForce(target: Target, network: RenderedNetwork): Promise<string> {
  if (network.mtuOutcome === 'applied') return network.mtuRequested;
  if (network.interface === null) return '';
  return (await readTextIfExists(inRoot(target, `/sys/class/net/${network.interface}/mtu`)))?.trim() ?? '';
}

async function writeNetworkStatus(target: Target, network: RenderedNetwork): Promise<void> {
  const bootId = (await readTextIfExists(inRoot(target, '/proc/sys/kernel/random/boot_id')))?.trim() ?? '';
  const rows = {
    INTERFACE: network.interface ?? '',
    MODE: network.mode,
    MTU: await mtuInForce(target, network),
    MTU_REQUESTED: /^[0-9]{0,6}$/.test(network.mtuRequested) ? network.mtuRequested : 'unreadable',
    MTU_APPLIED: network.mtuOutcome,
    BOOT_ID: bootId,
  };
  const text = Object.entries(rows).map(([key, value]) => `${key}=${value}\n`);
  await putText(target, PATHS.networkStatus, text.join(''), 0o644);
}

/** Writes the managed profile and takes its twin away: a machine that went from static to DHCP must not keep both. */
async function renderNetworkFiles(target: Target, values: ReadonlyMap<string, string>): Promise<void> {
  const uuids = new Map<string, string>();
  for (const name of [STATIC_PROFILE, DHCP_PROFILE]) {
    const existing = uuidIn((await readTextIfExists(inRoot(target, `${CONNECTIONS}/${name}`))) ?? '');
    uuids.set(name, existing ?? (await stableUuid(target, name)));
  }
  const network = renderNetwork(values, (name) => uuids.get(name) ?? '');
  for (const warning of network.warnings) target.note(`warning: ${warning}`);
  const { profile } = network;
  for (const name of [STATIC_PROFILE, DHCP_PROFILE]) if (name !== profile?.fileName) await remove(inRoot(target, `${CONNECTIONS}/${name}`));
  if (profile) await putText(target, `${CONNECTIONS}/${profile.fileName}`, profile.text, 0o600);
  await writeNetworkStatus(target, network);
}

/**
 * Every part is tried, whatever became of the others: a machine with a bad host name still needs its network.
 * @returns one sentence for each part that failed; empty when all is rendered
 */
export async function renderEtc(target: Target): Promise<readonly string[]> {
  const text = await readTextIfExists(inRoot(target, PATHS.stateConfig));
  if (text === null) return [`${PATHS.stateConfig} does not exist; /etc stays as it is`];
  const { values, warnings } = parseStateConfig(text);
  for (const warning of warnings) target.note(`warning: ${PATHS.stateConfig}: ${warning}`);
  const parts: readonly (readonly [string, () => Promise<void>])[] = [
    ['machine id', () => renderMachineId(target)],
    ['host name', () => renderHostname(target, values)],
    ['network', () => renderNetworkFiles(target, values)],
    ['role', () => renderRole(target, values)],
    ['account', () => renderAccount(target, values)],
    ['supervisor keys', () => linkSupervisor(target)],
    ['SSH host keys', () => renderSshKeys(target, false)],
  ];
  const failures: string[] = [];
  for (const [name, render] of parts) {
    try {
      await render();
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`);
    }
  }
  return failures;
}
