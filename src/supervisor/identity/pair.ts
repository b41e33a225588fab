/** `spatium pair`: a pairing code set or replaced, and with it the panel it is for. See docs/panel-api.md. */
import path from 'node:path';
import { renderRole } from '#boot/identity.ts';
import type { Target } from '#boot/target.ts';
import { PATHS } from '#model/limits.ts';
import type { Secret } from '#model/secret.ts';
import { parseStateConfig, withStateValues } from '#rules/state-config.ts';
import { ensureDir, exists, readTextIfExists, remove, writeAtomic } from '#system/files.ts';
import { failureOf } from '../panel/faults.ts';
import { httpsBehind } from '../panel/upgrade.ts';

/** Home of the agent, the other supervisor, which runs in k3s. */
const AGENT_DIR = '/var/persist/spatium-supervisor';
/** Pods of the agent. */
export const AGENT_LABEL = 'app.kubernetes.io/component=supervisor';
/** What belongs to the old control plane. The own key pair stays: it is this machine's. */
const FORGOTTEN = [
  'tls/control-plane.pem',
  'tls/ca-chain.pem',
  'tls/cert.pem',
  'approval-state',
  'revocation-strikes',
  'identity/appliance_id',
  'identity/session_token',
];

export interface PairPlace {
  readonly target: Target;
  /** This box asks a panel for its configuration. */
  readonly isPulling: boolean;
  /** The panel or control plane it belongs to; null while there is none. */
  readonly url: string | null;
}

const at = (target: Target, file: string): string => path.join(target.root, file);

function panelOf(text: string | null): string | null {
  try {
    const panel = (JSON.parse(text ?? 'null') as { panel?: unknown } | null)?.panel;
    return typeof panel === 'string' ? panel : null;
  } catch {
    return null;
  }
}

/** What can be paired here, or why nothing can. */
export async function pairPlace(target: Target): Promise<PairPlace | string> {
  const image = await readTextIfExists(at(target, PATHS.pullSettings));
  const local = await readTextIfExists(at(target, PATHS.pullSettingsLocal));
  if (image !== null || local !== null) return { target, isPulling: true, url: panelOf(local) ?? panelOf(image) };
  const state = await readTextIfExists(at(target, PATHS.stateConfig));
  if (state === null) return `there is no ${PATHS.stateConfig}: STATE is not mounted, or this is no installed appliance`;
  const { values } = parseStateConfig(state);
  const role = values.get('role') ?? '';
  if (role !== 'appliance' && role !== 'application') return 'only an appliance pairs with a control plane';
  return { target, isPulling: false, url: values.get('control_plane_url') || null };
}

/** What is typed as http is asked once, bare, for its https; nothing else is ever sent there. */
async function secureOrigin(url: string): Promise<string> {
  if (!/^http:/i.test(url)) return new URL(url).origin;
  try {
    return await httpsBehind(url);
  } catch (error) {
    throw new Error(failureOf(error, { nowMs: Date.now(), builtAtMs: 0 }).message);
  }
}

async function putPullSettings(target: Target, url: string): Promise<void> {
  const file = at(target, PATHS.pullSettingsLocal);
  const text = (await readTextIfExists(file)) ?? '{}';
  let old: Record<string, unknown>;
  try {
    old = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error(`${PATHS.pullSettingsLocal} is not JSON; correct it, or remove it`);
  }
  await ensureDir(path.dirname(file));
  // Pins of the old panel would keep the new one out.
  const { pins: _pins, ...rest } = old;
  await writeAtomic(file, `${JSON.stringify({ ...rest, panel: url }, null, 2)}\n`);
}

/** STATE as well as /etc, or the next boot would bring the old address back. */
async function putStateUrl(target: Target, url: string): Promise<void> {
  const file = at(target, PATHS.stateConfig);
  const text = (await readTextIfExists(file)) ?? '';
  // An older installer kept the code in the configuration; it would win over the new one.
  const old = parseStateConfig(text).values.has('bootstrap_pairing_code') ? [['bootstrap_pairing_code', ''] as const] : [];
  const changed = withStateValues(text, new Map([['control_plane_url', url], ...old]));
  if (changed !== text) await writeAtomic(file, changed, { mode: 0o644 });
  await renderRole(target, parseStateConfig(changed).values);
}

/**
 * Writes the code where the supervisor and the agent look for it, readable by root only, and the address; what the old
 * control plane had told the agent is forgotten. A box that pulls gets an https address or none. @throws Error in words
 */
export async function setPairing(
  place: PairPlace,
  code: Secret,
  wanted: string,
): Promise<{ readonly url: string; readonly isNewUrl: boolean }> {
  const { target, isPulling } = place;
  // The agent finds the https behind an http by itself.
  const url = isPulling ? await secureOrigin(wanted) : wanted;
  const isNewUrl = url !== place.url;
  await ensureDir(at(target, PATHS.state));
  await writeAtomic(at(target, `${PATHS.state}/pairing-code`), `${code.reveal()}\n`, { mode: 0o600 });
  if (!isPulling) await putStateUrl(target, url);
  else if (isNewUrl) await putPullSettings(target, url);
  for (const name of FORGOTTEN) await remove(at(target, `${AGENT_DIR}/${name}`));
  return { url, isNewUrl };
}

/** Forgets who this box is. What is served goes on; the configuration stays until another device's comes. */
export async function resetIdentity(target: Target): Promise<boolean> {
  const files = [`${PATHS.pullIdentity}/identity.json`, `${AGENT_DIR}/identity`, `${AGENT_DIR}/tls`, `${AGENT_DIR}/approval-state`];
  const found = await Promise.all(files.map((file) => exists(at(target, file))));
  for (const file of files) await remove(at(target, file));
  return found.includes(true);
}
