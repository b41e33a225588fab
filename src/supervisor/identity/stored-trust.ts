/** For a process beside the supervisor, the updater: whom this box believes, read from the disk and never written. */
import type https from 'node:https';
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import type { PullSettings } from '#model/pull.ts';
import { readTextIfExists } from '#system/files.ts';
import { pinnedAgent } from '../panel/client.ts';
import { PANEL_LIMITS } from '../panel/exchange.ts';
import type { PanelTrust } from '../panel/trust.ts';
import { pickTrust, VERIFICATION_OFF } from './connections.ts';
import { readIdentity } from './document.ts';

/** The trust of the active identity, null while there is none to rest on. */
export async function storedTrust(
  settings: PullSettings,
  root = '/',
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PanelTrust | null> {
  const content = await readTextIfExists(path.join(root, PATHS.pullIdentity, 'identity.json'));
  const identity = content === null ? null : readIdentity(content);
  const pins = identity === null || typeof identity === 'string' ? [] : (identity.active?.pins ?? []);
  const trust = pickTrust({ settings, isVerificationOff: env[VERIFICATION_OFF] === '1' }, pins);
  return trust === 'first_use' ? null : trust;
}

/** An agent for the panel with that trust; undefined: nobody to believe yet. @throws PanelError, or the error of the connection */
export async function storedAgent(settings: PullSettings, root = '/'): Promise<https.Agent | undefined> {
  const trust = await storedTrust(settings, root);
  return trust === null ? undefined : pinnedAgent(new URL(settings.panel), trust, PANEL_LIMITS.connectMs);
}
