/** What the updater is told by files: its release keys, the panel and the channel, and whether a configuration is being applied. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import type { PullSettings } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import { exists, listNames, readText, readTextIfExists } from '#system/files.ts';
import { readSettings } from '../pull/settings.ts';
import { releaseKey } from './manifest.ts';

export const KEY_DIR = '/usr/lib/spatiumddi/release-keys';
export const DEFAULT_CHANNEL = 'stable';

/** Public keys `*.pem` of the image. One that cannot be read is told and left out: the other one is there for that. */
export async function releaseKeys(dir: string, note: (text: string) => void): Promise<KeyObject[]> {
  const keys: KeyObject[] = [];
  for (const name of (await listNames(dir)).filter((n) => n.endsWith('.pem'))) {
    try {
      keys.push(releaseKey(await readText(path.join(dir, name))));
    } catch (error) {
      note(`release key ${path.join(dir, name)}: ${messageOf(error)}`);
    }
  }
  return keys;
}

/** From `pull.json` of the image and the local one. Null: this box pulls nothing. Throws for files that cannot be understood. */
export async function pullSettings(): Promise<PullSettings | null> {
  const reading = readSettings(await readTextIfExists(PATHS.pullSettings), await readTextIfExists(PATHS.pullSettingsLocal));
  if (reading.kind === 'wrong') throw new TypeError(reading.message);
  return reading.kind === 'none' ? null : reading.settings;
}

/** An attempt without a verdict: the new agent would find it and take the configuration back for a fault that was not its own. */
export const isApplying = (dir: string = PATHS.pullConfig): Promise<boolean> => exists(path.join(dir, 'attempt.json'));
