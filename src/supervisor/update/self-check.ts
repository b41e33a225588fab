/**
 * A new program reads, with its own code, what is stored on this box, before it is swapped in: an update that cannot read
 * the current state is found while the old one still runs. Reads only.
 */

import path from 'node:path';
import { isRecord, parseJson } from '#model/json.ts';
import type { ApplianceKind } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import { readTextIfExists } from '#system/files.ts';
import { readIdentity } from '../identity/document.ts';
import { readBody } from '../pull/envelope.ts';
import { parseState } from './state.ts';

export interface StoredFile {
  readonly file: string;
  /** Null when the text is understood, else what is wrong with it. Must not quote the text: it may hold a secret. */
  readonly fault: (text: string) => string | null;
}

/** A stored configuration, read as the poll loop would read it. Whose it is does not matter here. */
function configFault(text: string): string | null {
  const stored = parseJson(text);
  if (stored === undefined) return 'is not JSON';
  if (!isRecord(stored) || typeof stored['body'] !== 'string') return 'is no stored configuration';
  const body = parseJson(stored['body']);
  const kind = isRecord(body) ? body['kind'] : undefined;
  const reading = readBody(stored['body'], { kind: kind as ApplianceKind, deviceId: null });
  switch (reading.kind) {
    case 'envelope':
      return null;
    case 'refused':
      return `is refused: ${reading.message}`;
    case 'garbled':
      return 'holds a body that is not JSON';
  }
}

function identityFault(text: string): string | null {
  const identity = readIdentity(text);
  return typeof identity === 'string' ? `is no identity that this program knows: ${identity}` : null;
}

/** Every stored file that the agent depends on; one that is missing is no fault, a fresh box has none. */
export const storedFiles = (places: { config: string; identity: string; state: string }): readonly StoredFile[] => [
  { file: path.join(places.config, 'applied.json'), fault: configFault },
  { file: path.join(places.config, 'fetched.json'), fault: configFault },
  { file: path.join(places.identity, 'identity.json'), fault: identityFault },
  { file: places.state, fault: (text) => (parseState(text) === null ? 'is no update state that this program knows' : null) },
];

/** One line a file that this program cannot use; empty when all is well. */
export async function selfCheck(files: readonly StoredFile[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { file, fault } of files) {
    try {
      const text = await readTextIfExists(file);
      const why = text === null ? null : fault(text);
      if (why !== null) faults.push(`${file} ${why}`);
    } catch (error) {
      faults.push(`${file}: ${messageOf(error)}`);
    }
  }
  return faults;
}
