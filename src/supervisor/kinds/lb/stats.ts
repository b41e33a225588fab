/** What a running HAProxy says about itself on its statistics socket. */
import net from 'node:net';
import { messageOf } from '#system/complain.ts';
import { bad, good, type Outcome } from '../kind.ts';

const ANSWER_MS = 2000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** One question, the whole answer. Rejects when nobody answers in time. */
export function askStats(socket: string, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let sizeBytes = 0;
    const client = net.connect(socket);
    const limit = setTimeout(() => client.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS);
    client.on('connect', () => client.write(`${question}\n`));
    client.on('data', (part) => {
      parts.push(part);
      sizeBytes += part.length;
      if (sizeBytes > MAX_ANSWER_BYTES) client.destroy(new Error('the answer is too large'));
    });
    client.on('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    client.on('end', () => {
      clearTimeout(limit);
      resolve(Buffer.concat(parts).toString('utf8'));
    });
  });
}

/** `description` of `show info`, which is the mark of the generation. */
export const markIn = (info: string): string | null => /^(?:description|Description): ?(.*)$/m.exec(info)?.[1]?.trim() ?? null;

/** Names of frontends that accept connections, from `show stat` (CSV: name, kind, … status in column 17). */
export const openFrontends = (csv: string): readonly string[] =>
  csv
    .split('\n')
    .map((line) => line.split(','))
    .filter((cells) => cells[1] === 'FRONTEND' && cells[17] === 'OPEN')
    .map((cells) => cells[0] ?? '');

/** Does the generation run, and does it listen? */
export async function probeLb(socket: string, mark: string, expected: readonly string[]): Promise<Outcome> {
  try {
    const runs = markIn(await askStats(socket, 'show info'));
    if (runs !== mark) return bad(`HAProxy still runs ${runs === null ? 'something else' : `generation ${runs}`}, not ${mark}`);
    // Field 1 only: frontends, whatever their number of servers.
    const open = new Set(openFrontends(await askStats(socket, 'show stat -1 1 -1')));
    const missing = expected.find((name) => !open.has(name));
    return missing === undefined ? good : bad(`HAProxy does not listen for ${missing}`);
  } catch (error) {
    return bad(`HAProxy does not answer: ${messageOf(error)}`);
  }
}
