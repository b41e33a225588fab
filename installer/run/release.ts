/** Which release this medium is. */
import { PATHS } from '#model/limits.ts';
import { readTextIfExists } from '#system/files.ts';

export interface Release {
  readonly version: string;
  /** `YYYY-MM-DD`; null when it does not say. A clock behind it is wrong. */
  readonly buildDate: string | null;
}

/** `KEY="value"` lines; the quotes may be left out. */
export function parseRelease(text: string, fallbackVersion: string): Release {
  const fields = new Map([...text.matchAll(/^([A-Z_]+)="?([^"\n]*)"?$/gm)].map((m) => [m[1], m[2] ?? '']));
  const date = /^\d{4}-\d{2}-\d{2}/.exec(fields.get('BUILD_TIME') ?? '')?.[0] ?? null;
  return { version: fields.get('APPLIANCE_VERSION') || fallbackVersion, buildDate: date };
}

/** The program's own number, without what it was built from, stands in where there is no medium. */
export const plainVersion = (version: string): string => version.split('+')[0] ?? version;

export async function readRelease(programVersion: string): Promise<Release> {
  return parseRelease((await readTextIfExists(PATHS.release)) ?? '', plainVersion(programVersion));
}
