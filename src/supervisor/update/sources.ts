/** What the updater is told by files: its release keys, the panel and the channel, and whether a configuration is being applied. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { messageOf } from '#system/complain.ts';
import { exists, listNames, readText, readTextIfExists } from '#system/files.ts';
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

export interface UpdateSettings {
  readonly panel: string;
  readonly channel: string;
}

const fieldsOf = (text: string | null, file: string): Record<string, unknown> => {
  if (text === null) return {};
  const v: unknown = JSON.parse(text);
  if (typeof v !== 'object' || v === null || Array.isArray(v)) throw new TypeError(`${file} is not a JSON object`);
  return v as Record<string, unknown>;
};

/** From `pull.json` of the image, overridden by the local one. Null: this box pulls nothing. Throws for a file that cannot be understood. */
export async function updateSettings(
  files: readonly string[] = [PATHS.pullSettings, PATHS.pullSettingsLocal],
): Promise<UpdateSettings | null> {
  let all: Record<string, unknown> = {};
  for (const file of files) all = { ...all, ...fieldsOf(await readTextIfExists(file), file) };
  const { panel, channel = DEFAULT_CHANNEL } = all;
  if (panel === undefined) return null;
  if (typeof panel !== 'string' || !/^https?:\/\//.test(panel) || !URL.canParse(panel))
    throw new TypeError(`panel in ${files.join(' or ')} is no URL`);
  if (typeof channel !== 'string' || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(channel))
    throw new TypeError(`channel in ${files.join(' or ')} must be lower-case letters, digits and dashes`);
  return { panel, channel };
}

/** An attempt without a verdict: the new agent would find it and take the configuration back for a fault that was not its own. */
export const isApplying = (dir: string = PATHS.pullConfig): Promise<boolean> => exists(path.join(dir, 'attempt.json'));
