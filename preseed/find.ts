/**
 * Where an answer file may come from, in order: the kernel's word, every CIDATA volume, the medium.
 * The first with content is taken. Nothing is guessed: what was named and cannot be used halts, and two volumes
 * that answer differently halt too. What was passed over is told, with the reason.
 */
import { hasErrors } from '#model/finding.ts';
import { printable } from '#rules/show.ts';
import { checkPin, urlForPeople } from './fetch.ts';
import { type ReadFile, readAnswers } from './read.ts';

export type Bytes = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly why: string };

export interface FindPorts {
  readonly cmdline: string;
  /** Devices of all volumes labelled CIDATA, whatever the case of the letters. */
  readonly volumes: readonly string[];
  /** Files of that name that lie at the top of the volume. */
  readVolume(device: string, names: readonly string[]): Promise<{ readonly why: string } | ReadonlyMap<string, Uint8Array>>;
  /** null: no such file. */
  readFile(path: string): Promise<Bytes | null>;
  /** Fetches a URL. The pin is a SHA-256 in lower case hex; null when none was given. */
  fetchUrl(url: string, pin: string | null): Promise<Bytes>;
}

export interface Skipped {
  readonly source: string;
  readonly why: string;
}

export type Found =
  | { readonly kind: 'none'; readonly skipped: readonly Skipped[] }
  | { readonly kind: 'found'; readonly source: string; readonly read: ReadFile; readonly skipped: readonly Skipped[] }
  | { readonly kind: 'halt'; readonly source: string; readonly reasons: readonly string[]; readonly skipped: readonly Skipped[] };

const EXPLICIT_NAMES = ['spatium-preseed.yaml', 'spatium-preseed.yml'];
const USER_DATA = 'user-data';
const MEDIUM_PLACES = ['/run/live/medium', '/usr/lib/live/mount/medium', '', '/etc'].flatMap((dir) =>
  EXPLICIT_NAMES.map((name) => `${dir}/${name}`),
);

const WORD = 'spatium.preseed';
const PIN_WORD = 'spatium.preseed.sha256';

/** Value of the last word of that name; null when there is none. */
function kernelValue(cmdline: string, name: string): string | null {
  const words = (cmdline.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ''));
  return words.findLast((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** The block's name at the start of a line: whoever wrote it meant this installer, however broken the rest is. */
const MENTIONS_US = /^\s*["']?spatium[_-]preseed["']?\s*:/m;

/** The kernel's word as it may be shown: a URL may hold a password or a token. */
function shown(value: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return printable(value);
  return URL.canParse(value) ? urlForPeople(new URL(value)) : '(a malformed URL)';
}

/** What one candidate comes to. `empty` has the reason why it is passed over. */
type Weighed = { kind: 'taken'; read: ReadFile } | { kind: 'empty'; why: string } | { kind: 'bad'; reasons: readonly string[] };

function weigh(bytes: Uint8Array, source: string, explicit: boolean): Weighed {
  const read = readAnswers(bytes, { file: source, explicit });
  if (read.hasContent) return { kind: 'taken', read };
  const first = read.findings[0];
  if (hasErrors(read.findings) && (explicit || MENTIONS_US.test(read.source.text))) {
    return { kind: 'bad', reasons: read.findings.map((f) => `line ${f.line}, column ${f.column}: ${f.message}`) };
  }
  return { kind: 'empty', why: first ? first.message : 'no spatium preseed content' };
}

async function fromKernelWord(ports: FindPorts): Promise<Found | null> {
  const value = kernelValue(ports.cmdline, WORD);
  if (value === null) return null;
  const source = `${WORD}=${shown(value)}`;
  const halt = (...reasons: string[]): Found => ({ kind: 'halt', source, reasons, skipped: [] });
  if (value === '') return halt(`${WORD}= has no value; name a file or a URL`);
  const pin = kernelValue(ports.cmdline, PIN_WORD)?.toLowerCase() ?? null;
  if (pin !== null && !/^[0-9a-f]{64}$/.test(pin)) return halt(`${PIN_WORD} must be 64 hexadecimal digits`);
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
  const got = isUrl ? await ports.fetchUrl(value, pin) : ((await ports.readFile(value)) ?? { ok: false as const, why: 'no such file' });
  // Somebody asked for this file; going on without it would leave a machine waiting at a wizard that nobody sees.
  if (!got.ok) return halt(got.why);
  // What was fetched has been checked where it was fetched.
  const checked = isUrl ? got : checkPin(got.bytes, pin);
  if (!checked.ok) return halt(checked.why);
  const weighed = weigh(got.bytes, source, true);
  if (weighed.kind === 'taken') return { kind: 'found', source, read: weighed.read, skipped: [] };
  return halt(...(weighed.kind === 'bad' ? weighed.reasons : [weighed.why]));
}

interface Candidate {
  readonly source: string;
  readonly bytes: Uint8Array;
  readonly read: ReadFile;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);

async function fromVolumes(ports: FindPorts, skipped: Skipped[]): Promise<Found | null> {
  const taken: Candidate[] = [];
  for (const device of ports.volumes) {
    const volume = `CIDATA volume ${device}`;
    const files = await ports.readVolume(device, [...EXPLICIT_NAMES, USER_DATA]);
    if ('why' in files) {
      skipped.push({ source: volume, why: files.why });
      continue;
    }
    if (files.size === 0) skipped.push({ source: volume, why: `holds none of ${EXPLICIT_NAMES.join(', ')}, ${USER_DATA}` });
    for (const [name, bytes] of files) {
      const source = `${volume}, ${name}`;
      const weighed = weigh(bytes, source, name !== USER_DATA);
      if (weighed.kind === 'bad') return { kind: 'halt', source, reasons: weighed.reasons, skipped };
      if (weighed.kind === 'empty') skipped.push({ source, why: weighed.why });
      else {
        taken.push({ source, bytes, read: weighed.read });
        break; // the volume has spoken
      }
    }
  }
  const [first, ...others] = taken;
  if (!first) return null;
  const other = others.find((candidate) => !same(candidate.bytes, first.bytes));
  if (other) {
    return { kind: 'halt', source: first.source, reasons: [`${other.source} answers differently; leave one of the two attached`], skipped };
  }
  return { kind: 'found', source: first.source, read: first.read, skipped };
}

async function fromMedium(ports: FindPorts, skipped: Skipped[]): Promise<Found | null> {
  for (const place of MEDIUM_PLACES) {
    const got = await ports.readFile(place);
    if (got === null) continue;
    if (!got.ok) return { kind: 'halt', source: place, reasons: [got.why], skipped };
    const weighed = weigh(got.bytes, place, true);
    if (weighed.kind === 'bad') return { kind: 'halt', source: place, reasons: weighed.reasons, skipped };
    if (weighed.kind === 'taken') return { kind: 'found', source: place, read: weighed.read, skipped };
    skipped.push({ source: place, why: weighed.why });
  }
  return null;
}

/** Never throws for what a source holds. Whether the answers stand is for `judge` to say. */
export async function findAnswerFile(ports: FindPorts): Promise<Found> {
  const skipped: Skipped[] = [];
  return (
    (await fromKernelWord(ports)) ?? (await fromVolumes(ports, skipped)) ?? (await fromMedium(ports, skipped)) ?? { kind: 'none', skipped }
  );
}
