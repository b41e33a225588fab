/**
 * A release from its address to a whole, hashed file: what broke off goes on, what was changed meanwhile starts anew, and
 * nothing loops. The caller's manifest is signed, so its size and hash decide. See docs/decisions/0017-updates.md.
 */
import path from 'node:path';
import { messageOf } from '#system/complain.ts';
import { factsOf, listNames, readTextIfExists, remove, writeAtomic } from '#system/files.ts';
import { printableLine } from '#system/log.ts';
import { openPart, sha256Of } from '#system/part-file.ts';
import { retryAfterMs } from '../pull/retry-after.ts';
import type { ByteReply, GetBytes } from './byte-source.ts';

export interface Wanted {
  readonly version: string;
  readonly url: URL;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface DownloadLimits {
  /** At least this many bytes within this time, instead of a limit for the whole. */
  readonly minBytes: number;
  readonly withinMs: number;
  /** Pauses after failures that may pass; their count is the count of further tries. */
  readonly pausesMs: readonly number[];
  /** A server that wants to be asked later than this is asked by the next timer. */
  readonly maxRetryAfterMs: number;
}

export const DOWNLOAD_LIMITS: DownloadLimits = {
  minBytes: 60_000,
  withinMs: 60_000,
  pausesMs: [5000, 15_000, 45_000, 120_000],
  maxRetryAfterMs: 300_000,
};

export interface DownloadPorts {
  readonly get: GetBytes;
  /** Rejects when the signal comes. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits: DownloadLimits;
  readonly note: (text: string) => void;
}

/** `file`: whole and of the right hash. `later`: worth another try by the next timer; what is there is kept. */
export type Downloaded =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'later'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** How one request ended. `bytes` says whether anything new arrived. */
type Piece =
  | { readonly kind: 'whole' }
  | { readonly kind: 'again'; readonly why: string; readonly afterMs: number | null; readonly isNew: boolean }
  | { readonly kind: 'anew'; readonly why: string }
  | { readonly kind: 'over'; readonly why: string };

const PART = /^\..+\.part(\.etag)?$/;

/** The half-loaded file of exactly this release: another one of the same version has another name. */
const partOf = (dir: string, wanted: Wanted): string => path.join(dir, `.${wanted.version}.${wanted.sha256.slice(0, 12)}.part`);

/** Removes half-loaded files of other releases. */
async function sweepParts(dir: string, keep: string): Promise<void> {
  for (const name of await listNames(dir)) {
    if (PART.test(name) && name !== path.basename(keep) && name !== `${path.basename(keep)}.etag`) await remove(path.join(dir, name));
  }
}

/** Only a strong tag may stand in If-Range. */
const strongTag = (tag: string | null | undefined): string | null => (tag != null && /^"[^"]*"$/.test(tag) ? tag : null);

/** A 206 must go on exactly where the file ends, and be part of the file that was signed. */
const isOurRange = (header: string | undefined, haveBytes: number, sizeBytes: number): boolean =>
  header === `bytes ${haveBytes}-${sizeBytes - 1}/${sizeBytes}`;

/** Writes the body behind what is there, counted against the signed size, and gives up on a line that hardly moves. */
async function receive(part: string, have: number, wanted: Wanted, reply: ByteReply, limits: DownloadLimits): Promise<number> {
  const file = await openPart(part);
  let total = have;
  let atLastLook = have;
  let isSlow = false;
  const watch = setInterval(() => {
    isSlow = total - atLastLook < limits.minBytes;
    atLastLook = total;
    if (isSlow) reply.close();
  }, limits.withinMs);
  try {
    for await (const chunk of reply.chunks) {
      total += chunk.length;
      if (total > wanted.sizeBytes) break;
      await file.append(chunk);
    }
    return total;
  } catch (error) {
    throw isSlow ? new Error(`fewer than ${limits.minBytes} bytes came within ${limits.withinMs / 1000} s`) : error;
  } finally {
    clearInterval(watch);
    reply.close();
    await file.close();
  }
}

/** What the status alone decides; null: there is a body to take. */
function byStatus(reply: ByteReply, have: number, wanted: Wanted, limits: DownloadLimits): Piece | null {
  const { status, headers } = reply;
  const coding = headers['content-encoding'] ?? 'identity';
  if ((status === 200 || status === 206) && coding !== 'identity')
    return { kind: 'over', why: `the server sends it compressed (${printableLine(coding).slice(0, 40)}), which was not asked for` };
  if (status === 200) return null;
  if (status === 206)
    return isOurRange(headers['content-range'], have, wanted.sizeBytes)
      ? null
      : { kind: 'anew', why: 'the server sent another part than was asked for' };
  if (status === 416) return { kind: 'anew', why: 'the server has no such part' };
  if ([404, 410, 403, 401].includes(status)) return { kind: 'over', why: `the server answers ${status}` };
  const afterMs = retryAfterMs(headers['retry-after'], Date.now());
  if (status >= 500 || status === 429 || status === 408) {
    const isFar = afterMs !== null && afterMs > limits.maxRetryAfterMs;
    return isFar
      ? { kind: 'over', why: `the server answers ${status} and wants to be asked much later` }
      : { kind: 'again', why: `the server answers ${status}`, afterMs, isNew: false };
  }
  return { kind: 'over', why: `the server answers ${status}` };
}

async function piece(part: string, wanted: Wanted, ports: DownloadPorts, signal: AbortSignal): Promise<Piece> {
  const have = (await factsOf(part))?.sizeBytes ?? 0;
  if (have > wanted.sizeBytes) return { kind: 'anew', why: 'the file is larger than the release' };
  if (have === wanted.sizeBytes) return { kind: 'whole' };
  const tag = strongTag((await readTextIfExists(`${part}.etag`))?.trim());
  const isResumed = have > 0 && tag !== null;
  const headers: Record<string, string> = isResumed ? { range: `bytes=${have}-`, 'if-range': tag } : {};
  const reply = await ports.get(wanted.url, headers, signal);
  const decided =
    byStatus(reply, isResumed ? have : 0, wanted, ports.limits) ??
    (reply.status === 206 && !isResumed ? { kind: 'over' as const, why: 'the server sends parts that were not asked for' } : null);
  if (decided !== null) {
    reply.close();
    return decided;
  }
  const fresh = reply.status === 200;
  if (fresh) {
    const newTag = strongTag(reply.headers['etag']);
    await remove(part);
    if (newTag === null) await remove(`${part}.etag`);
    else await writeAtomic(`${part}.etag`, `${newTag}\n`, { mode: 0o600 });
  }
  const from = fresh ? 0 : have;
  let total: number;
  try {
    total = await receive(part, from, wanted, reply, ports.limits);
  } catch (error) {
    if (isDiskError(error)) throw error;
    const now = (await factsOf(part))?.sizeBytes ?? 0;
    return { kind: 'again', why: messageOf(error), afterMs: null, isNew: now > from };
  }
  if (total > wanted.sizeBytes) return { kind: 'over', why: `the server sends more than the ${wanted.sizeBytes} bytes of the manifest` };
  if (total < wanted.sizeBytes)
    return { kind: 'again', why: `the transfer ended after ${total} of ${wanted.sizeBytes} bytes`, afterMs: null, isNew: total > from };
  return { kind: 'whole' };
}

const isDiskError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG'].includes(String(error.code));

/** Until all bytes are there, or it is clear that they will not come now. */
async function loadAll(part: string, wanted: Wanted, ports: DownloadPorts, signal: AbortSignal): Promise<Piece> {
  let tries = 0;
  let mayStartAnew = true;
  for (;;) {
    const end = await piece(part, wanted, ports, signal).catch((error: unknown): Piece => {
      if (signal.aborted || isDiskError(error)) throw error;
      return { kind: 'again', why: messageOf(error), afterMs: null, isNew: false };
    });
    if (end.kind === 'whole' || end.kind === 'over') return end;
    if (end.kind === 'anew') {
      await dropPart(part);
      if (!mayStartAnew) return { kind: 'over', why: end.why };
      mayStartAnew = false;
      ports.note(`${end.why}; starting over`);
      continue;
    }
    signal.throwIfAborted();
    // A line that breaks again and again but gets on each time is worth as many tries as it takes.
    tries = end.isNew ? 1 : tries + 1;
    const pauseMs = ports.limits.pausesMs[tries - 1];
    if (pauseMs === undefined) return end;
    ports.note(`${end.why}; next try in ${Math.round(Math.max(pauseMs, end.afterMs ?? 0) / 1000)} s`);
    await ports.sleep(Math.max(pauseMs, end.afterMs ?? 0), signal);
  }
}

async function dropPart(part: string): Promise<void> {
  await remove(part);
  await remove(`${part}.etag`);
}

/**
 * Loads a release into `dir`, which is on the file system it will live on. A wrong hash gets one more try from nothing.
 * @throws Error when the disk does not take it (what was loaded is removed), or when the signal comes (it is kept)
 */
export async function download(dir: string, wanted: Wanted, ports: DownloadPorts, signal: AbortSignal): Promise<Downloaded> {
  const part = partOf(dir, wanted);
  await sweepParts(dir, part);
  for (const isLast of [false, true]) {
    const end = await loadAll(part, wanted, ports, signal).catch(async (error: unknown) => {
      if (isDiskError(error)) await dropPart(part);
      throw error;
    });
    if (end.kind === 'over') await dropPart(part);
    if (end.kind !== 'whole') return { kind: 'later', why: end.why };
    if ((await sha256Of(part)) === wanted.sha256) {
      await remove(`${part}.etag`);
      return { kind: 'file', file: part };
    }
    await dropPart(part);
    if (!isLast) ports.note('the hash of what was loaded is wrong; loading it once more from the start');
  }
  return { kind: 'failed', why: 'the hash of what was loaded is wrong, twice' };
}
