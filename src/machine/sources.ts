/** What probing reads from: a tree of files, and commands. Tests hand in another tree or another runner. */
import path from 'node:path';
import { claimError, listNames, readBytes, readTextIfExists, realPath } from '#system/files.ts';
import { type Runner, type RunResult, run, succeeded } from '#system/run.ts';

export interface Sources {
  /** Trimmed text of a file, null when it is missing, unreadable or empty. */
  text(file: string): Promise<string | null>;
  /** The first bytes of a file or device; null when it cannot be read. */
  bytes(file: string, maxBytes: number): Promise<Uint8Array | null>;
  /** True when the kernel refuses a block device because something else uses it; null when it cannot be asked. */
  claimed(node: string): Promise<boolean | null>;
  /** Names in a directory; empty when there is none. */
  names(dir: string): Promise<readonly string[]>;
  /** Where a link ends, as a path of this machine; null when it leads nowhere. */
  target(file: string): Promise<string | null>;
  /** How a command ended, for those whose exit status says something. */
  result(argv: readonly string[], timeoutMs?: number): Promise<RunResult>;
  /** Standard output of a command that ended well, null for every other end. */
  output(argv: readonly string[], timeoutMs?: number): Promise<string | null>;
}

const COMMAND_TIMEOUT_MS = 15_000;

/** Reading a sysfs file can fail in many ways (EIO, EINVAL, EACCES); each means "not known" and no more. */
async function quiet<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch {
    return null;
  }
}

/** The running system, or the tree below `root` with the commands of `runner`. */
export function sourcesOf(root = '/', runner: Runner = run): Sources {
  const at = (file: string): string => path.join(root, file);
  return {
    text: async (file) => {
      const text = await quiet(readTextIfExists(at(file)));
      const trimmed = text?.replaceAll('\0', '').trim() ?? '';
      return trimmed === '' ? null : trimmed;
    },
    bytes: (file, maxBytes) => quiet(readBytes(at(file), maxBytes)),
    claimed: async (node) => {
      // Below another root there are no devices to ask for.
      if (root !== '/') return null;
      const refusal = await claimError(node);
      return refusal === null ? false : refusal === 'EBUSY' ? true : null;
    },
    names: async (dir) => (await quiet(listNames(at(dir)))) ?? [],
    target: async (file) => {
      const real = await quiet(realPath(at(file)));
      if (real === null) return null;
      return root === '/' ? real : `/${path.relative(root, real)}`;
    },
    result: (argv, timeoutMs = COMMAND_TIMEOUT_MS) => runner(argv, { timeoutMs }),
    output: async (argv, timeoutMs = COMMAND_TIMEOUT_MS) => {
      const result = await runner(argv, { timeoutMs });
      return succeeded(result) ? result.stdout : null;
    },
  };
}

/** A file that holds one whole number; null for anything else, -1 included. */
export async function numberIn(sources: Sources, file: string): Promise<number | null> {
  const text = await sources.text(file);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/** `work` for every item, at most `limit` at a time; results in order. */
export async function mapLimited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i] as T);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
