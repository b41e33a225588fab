/** Reading a running system for its status: below a root that tests can move, small, bounded, and never a process. */
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isMissing } from './files.ts';

/** Files of /proc and /sys that we read are far below this; anything larger is cut. */
const MAX_BYTES = 1024 * 1024;

export interface Space {
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** What a writer without privilege could still use. */
  readonly availableBytes: number;
  readonly inodesTotal: number;
  readonly inodesFree: number;
}

/** Null or empty: there is no such thing. Any other failure is thrown. */
export interface HostView {
  text(file: string): Promise<string | null>;
  /** Trimmed text; null when missing or empty. */
  word(file: string): Promise<string | null>;
  names(dir: string): Promise<string[]>;
  link(file: string): Promise<string | null>;
  real(file: string): Promise<string | null>;
  modifiedMs(file: string): Promise<number | null>;
  exists(file: string): Promise<boolean>;
  space(mount: string): Promise<Space>;
  interfaces(): NodeJS.Dict<os.NetworkInterfaceInfo[]>;
}

async function missingAsNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    // EINVAL: not a link. EACCES on a sysfs attribute that is write-only counts as not there.
    if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'EINVAL')) return null;
    throw error;
  }
}

async function readBounded(file: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(file, { end: MAX_BYTES - 1 })) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** The system below `root`; `interfaces` is always the running kernel's, which has no file for addresses. */
export function hostView(root = '/', interfaces: HostView['interfaces'] = () => os.networkInterfaces()): HostView {
  const at = (file: string): string => (root === '/' ? file : path.join(root, file));
  const text = (file: string): Promise<string | null> => missingAsNull(readBounded(at(file)));
  const modifiedMs = async (file: string): Promise<number | null> => (await missingAsNull(fs.stat(at(file))))?.mtimeMs ?? null;
  return {
    text,
    word: async (file) => (await text(file))?.trim() || null,
    names: async (dir) => ((await missingAsNull(fs.readdir(at(dir)))) ?? []).sort(),
    link: (file) => missingAsNull(fs.readlink(at(file))),
    real: async (file) => {
      const real = await missingAsNull(fs.realpath(at(file)));
      return real === null || root === '/' ? real : `/${path.relative(await fs.realpath(root), real)}`;
    },
    modifiedMs,
    exists: async (file) => (await modifiedMs(file)) !== null,
    space: async (mount) => {
      const s = await fs.statfs(at(mount));
      return {
        totalBytes: s.blocks * s.bsize,
        freeBytes: s.bfree * s.bsize,
        availableBytes: s.bavail * s.bsize,
        inodesTotal: s.files,
        inodesFree: s.ffree,
      };
    },
    interfaces,
  };
}

/** `KEY=value` lines as in os-release and role-config: quotes taken off, comments and other lines skipped. */
export function parseKeyValues(text: string): Map<string, string> {
  const out = new Map<string, string>();
  for (const line of text.split('\n')) {
    const m = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*?)\s*$/.exec(line);
    if (!m) continue;
    const value = m[2] ?? '';
    const quoted = /^(["'])(.*)\1$/.exec(value);
    out.set(m[1] as string, quoted ? (quoted[2] as string) : value);
  }
  return out;
}
