/** `pull.json`: of the image, overridden key by key by the one in /etc. */
import { isRecord, parseJson } from '#model/json.ts';
import { PATHS } from '#model/limits.ts';
import type { ApplianceKind, PullSettings } from '#model/pull.ts';

export type SettingsReading =
  /** No file: this appliance is not managed by a panel. */
  | { readonly kind: 'none' }
  | { readonly kind: 'settings'; readonly settings: PullSettings }
  | { readonly kind: 'wrong'; readonly message: string };

const KINDS: readonly string[] = ['lb', 'gw', 's3'] satisfies readonly ApplianceKind[];
const CHANNEL = /^[a-z0-9][a-z0-9-]{0,39}$/;
const PIN = /^[A-Za-z0-9_-]{43}$/;

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}

/** Scheme and host only: a path or a password in it would be lost or leaked. */
function isOrigin(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.protocol === 'https:' &&
    url.hostname !== '' &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === ''
  );
}

/** The texts of the two files, null when there is none. */
export function readSettings(image: string | null, local: string | null): SettingsReading {
  if (image === null && local === null) return { kind: 'none' };
  const merged: Record<string, unknown> = {};
  for (const [file, text] of [
    [PATHS.pullSettings, image],
    [PATHS.pullSettingsLocal, local],
  ] as const) {
    if (text === null) continue;
    const value = parseObject(text);
    if (value === null) return { kind: 'wrong', message: `${file} is no JSON object` };
    Object.assign(merged, value);
  }
  const { kind, panel, pins = [], trust, channel } = merged;
  const where = `${PATHS.pullSettings} and ${PATHS.pullSettingsLocal}`;
  if (typeof kind !== 'string' || !KINDS.includes(kind))
    return { kind: 'wrong', message: `${where}: "kind" must be one of ${KINDS.join(', ')}` };
  if (!isOrigin(panel)) return { kind: 'wrong', message: `${where}: "panel" must be https://HOST or https://HOST:PORT, and nothing more` };
  if (!Array.isArray(pins) || !pins.every((pin) => typeof pin === 'string' && PIN.test(pin))) {
    return { kind: 'wrong', message: `${where}: "pins" must be a list of pins, each 43 characters of base64url` };
  }
  if (trust !== undefined && trust !== 'system') return { kind: 'wrong', message: `${where}: "trust" is "system", or left out` };
  if (channel !== undefined && !(typeof channel === 'string' && CHANNEL.test(channel)))
    return { kind: 'wrong', message: `${where}: "channel" must be lower-case letters, digits and dashes` };
  const base: PullSettings = { kind: kind as ApplianceKind, panel: new URL(panel).origin, pins: pins as string[] };
  const settings: PullSettings = channel === undefined ? base : { ...base, channel };
  return { kind: 'settings', settings: trust === undefined ? settings : { ...settings, trust } };
}
