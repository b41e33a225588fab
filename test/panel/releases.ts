/** DIR/releases: CHANNEL.json is a manifest, files/NAME what it speaks of; parts of a file may be asked for (RFC 9110 14). */
import path from 'node:path';
import { readTextIfExists, readWhole } from '#system/files.ts';
import { type Answer, json } from './answer.ts';
import { sha256 } from './records.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

export async function manifestAnswer(dir: string, channel: string): Promise<Answer> {
  const text = NAME.test(channel) ? await readTextIfExists(path.join(dir, 'releases', `${channel}.json`)) : null;
  if (text === null) return json(404, { message: 'no such channel' });
  return { status: 200, headers: { 'content-type': 'application/json', etag: `"${sha256(text).slice(0, 16)}"` }, body: text };
}

/** First and last byte asked for; null: the whole file; `out`: beyond its end. One range only. */
function rangeOf(header: string | undefined, sizeBytes: number): { first: number; last: number } | null | 'out' {
  const m = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (m === null || (m[1] === '' && m[2] === '')) return null;
  if (m[1] === '') return { first: Math.max(0, sizeBytes - Number(m[2])), last: sizeBytes - 1 };
  const first = Number(m[1]);
  if (first >= sizeBytes) return 'out';
  return { first, last: m[2] === '' ? sizeBytes - 1 : Math.min(Number(m[2]), sizeBytes - 1) };
}

export async function fileAnswer(dir: string, name: string, range: string | undefined, ifRange: string | undefined): Promise<Answer> {
  const bytes = NAME.test(name) ? await readWhole(path.join(dir, 'releases', 'files', name)).catch(() => null) : null;
  if (bytes === null) return json(404, { message: 'no such file' });
  const etag = `"${sha256(bytes)}"`;
  const headers = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', etag };
  const part = ifRange === undefined || ifRange === etag ? rangeOf(range, bytes.length) : null;
  if (part === null) return { status: 200, headers, body: bytes };
  if (part === 'out') return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` }, body: '' };
  const contentRange = `bytes ${part.first}-${part.last}/${bytes.length}`;
  return {
    status: 206,
    headers: { ...headers, 'content-range': contentRange },
    body: bytes.subarray(part.first, part.last + 1),
    note: contentRange,
  };
}
