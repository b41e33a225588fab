/** `spatium pair`: a pairing code set or replaced, and with it the panel it is for. Source: §9 and #1219 of the appliance specification. */
import path from 'node:path';
import { renderRole } from '#boot/identity.ts';
import type { Target } from '#boot/target.ts';
import { PATHS } from '#model/limits.ts';
import type { Secret } from '#model/secret.ts';
import { parseStateConfig, withStateValues } from '#rules/state-config.ts';
import { ensureDir, exists, readTextIfExists, remove, writeAtomic } from '#system/files.ts';

/** The other supervisor's home; what it believed about the old control plane lies in `tls`. */
const AGENT_DIR = '/var/persist/spatium-supervisor';
const FORGOTTEN = [`${AGENT_DIR}/tls/control-plane.pem`, `${AGENT_DIR}/tls/ca-chain.pem`];

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
  if (state === null) return `${PATHS.stateConfig} is missing: STATE is not mounted, or this is no installed appliance`;
  const { values } = parseStateConfig(state);
  const role = values.get('role') ?? '';
  if (role !== 'appliance' && role !== 'application') return `the role of this box is ${role || 'unknown'}; only an appliance is paired`;
  return { target, isPulling: false, url: values.get('control_plane_url') || null };
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
  await writeAtomic(file, `${JSON.stringify({ ...rest, panel: new URL(url).origin }, null, 2)}\n`);
}

/** STATE as well as /etc, or the next boot would bring the old address back. */
async function putStateUrl(target: Target, url: string): Promise<void> {
  const file = at(target, PATHS.stateConfig);
  const text = (await readTextIfExists(file)) ?? '';
  const changed = withStateValues(text, new Map([['control_plane_url', url]]));
  if (changed !== text) await writeAtomic(file, changed);
  await renderRole(target, parseStateConfig(changed).values);
}

/**
 * Writes the code where the supervisor looks for it, readable by root only, and the address when it is a new one.
 * A new address forgets which certificate the old one had.
 */
export async function setPairing(place: PairPlace, code: Secret, url: string): Promise<{ readonly isNewUrl: boolean }> {
  const { target, isPulling } = place;
  const isNewUrl = url !== place.url;
  if (isNewUrl && isPulling) await putPullSettings(target, url);
  if (isNewUrl && !isPulling) await putStateUrl(target, url);
  for (const file of FORGOTTEN) await remove(at(target, file));
  await ensureDir(at(target, PATHS.state));
  await writeAtomic(at(target, `${PATHS.state}/pairing-code`), `${code.reveal()}\n`, { mode: 0o600 });
  return { isNewUrl };
}

/** Forgets who this box is. What is served goes on; the configuration stays until another device's comes. */
export async function resetIdentity(target: Target): Promise<boolean> {
  const files = [`${PATHS.pullIdentity}/identity.json`, `${AGENT_DIR}/identity`, `${AGENT_DIR}/tls`, `${AGENT_DIR}/approval-state`];
  const found = await Promise.all(files.map((file) => exists(at(target, file))));
  for (const file of files) await remove(at(target, file));
  return found.includes(true);
}
