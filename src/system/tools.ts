/** Which tools this machine has, without starting any. */
import path from 'node:path';
import { factsOf } from './files.ts';
import { TOOL_PATH } from './run.ts';

/** Path of a tool in TOOL_PATH; null when it is not installed. */
export async function findTool(name: string): Promise<string | null> {
  for (const dir of TOOL_PATH.split(':')) {
    const file = path.join(dir, name);
    const facts = await factsOf(file, true);
    if (facts?.kind === 'file' && (facts.mode & 0o111) !== 0) return file;
  }
  return null;
}
