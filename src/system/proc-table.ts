/** Texts of /proc about every process, read without starting one. */
import fs from 'node:fs/promises';
import { readTextIfExists } from './files.ts';

export interface ProcText {
  readonly stat: string;
  readonly user: string;
}

/** Linux counts processor time for user space in hundredths of a second, whatever the kernel's own tick. */
export const TICKS_PER_S = 100;
/** x86-64. */
export const PAGE_BYTES = 4096;
/** Reads under way at once; the thread pool has four workers anyway. */
const AT_ONCE = 16;

const names = new Map<number, string>();

/** Names of accounts by number; numbers of accounts that came later stay numbers until the next start. */
async function loadNames(): Promise<void> {
  if (names.size > 0) return;
  for (const line of ((await readTextIfExists('/etc/passwd')) ?? '').split('\n')) {
    const [name = '', , uid = ''] = line.split(':');
    if (/^\d+$/.test(uid) && !names.has(Number(uid))) names.set(Number(uid), name);
  }
}

async function one(pid: string): Promise<ProcText | null> {
  try {
    const handle = await fs.open(`/proc/${pid}/stat`);
    try {
      const { uid } = await handle.stat();
      return { stat: await handle.readFile('utf8'), user: names.get(uid) ?? String(uid) };
    } finally {
      await handle.close();
    }
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

/** One text per process that is there. */
export async function readProcTexts(): Promise<ProcText[]> {
  await loadNames();
  const pids = (await fs.readdir('/proc')).filter((n) => /^\d+$/.test(n));
  const out: ProcText[] = [];
  const work = async (): Promise<void> => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      const text = await one(pid);
      if (text !== null) out.push(text);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return out;
}
