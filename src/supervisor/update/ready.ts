/** The mark that the agent sets once it has loaded what is stored on this box: half of its health, the status socket is the other. */

import path from 'node:path';
import { isRecord, parseJson } from '#model/json.ts';
import { messageOf } from '#system/complain.ts';
import { readTextIfExists, remove, writeAtomic } from '#system/files.ts';
import type { ReadyMark } from './health.ts';

/** Beside the status socket, so in /run on an appliance: gone after a boot. */
export const readyFileFor = (socket: string): string => path.join(path.dirname(socket), 'agent-ready.json');

/** Failing costs an update its good verdict and the agent nothing, so it is told and no more. */
export async function markReady(version: string, file: string): Promise<void> {
  const mark: ReadyMark = { version, pid: process.pid };
  await writeAtomic(file, `${JSON.stringify(mark)}\n`).catch((error: unknown) => {
    process.stderr.write(`the ready mark could not be written: ${messageOf(error)}\n`);
  });
}

/** At the start, before anything is loaded: the mark of the process before says nothing about this one. */
export const unmarkReady = (file: string): Promise<void> => remove(file);

/** Null when there is no mark, or it cannot be understood. */
export async function readReady(file: string): Promise<ReadyMark | null> {
  const text = await readTextIfExists(file);
  const mark = parseJson(text ?? '');
  if (!isRecord(mark)) return null;
  const { version, pid } = mark;
  return typeof version === 'string' && typeof pid === 'number' ? { version, pid } : null;
}
