/**
 * Which answer file does this boot use? Kernel word, then every volume labelled CIDATA, then the medium; the first with content.
 * A source that was named, or that holds a file named for us, is never passed over in silence: it is used, or the run halts.
 */
import type { PlacedFinding } from '#model/finding.ts';
import { printable } from '#rules/show.ts';
import { type FetchResult, matchesPin, urlForPeople } from './fetch.ts';
import { type ReadFile, readAnswers } from './read.ts';

/** What the search asks of the machine. */
export interface FindPorts {
  commandLine(): Promise<string>;
  /** Devices of volumes with that label, letter case aside, in a stable order. */
  volumes(label: string): Promise<readonly string[]>;
  /** Makes a volume readable while `use` runs. Throws when it cannot be mounted. */
  withVolume<T>(device: string, use: (directory: string) => Promise<T>): Promise<T>;
  /** null: there is no such file. Throws when it is there and cannot be read. */
  read(path: string): Promise<Uint8Array | null>;
  fetch(url: URL, sha256: string | null): Promise<FetchResult>;
  log(text: string): void;
}

export interface Skipped {
  readonly source: string;
  readonly why: string;
}

export type Found =
  | { readonly kind: 'adopted'; readonly source: string; readonly read: ReadFile; readonly skipped: readonly Skipped[] }
  | { readonly kind: 'none'; readonly skipped: readonly Skipped[] }
  | {
      readonly kind: 'halt';
      readonly source: string;
      readonly reason: string;
      readonly findings: readonly PlacedFinding[];
      readonly skipped: readonly Skipped[];
    };

export const VOLUME_LABEL = 'CIDATA';
/** On a volume, in this order; the last is shared with cloud-init and counts by its wrapper only. */
const VOLUME_FILES = [
  { name: 'spatium-preseed.yaml', isOurs: true },
  { name: 'spatium-preseed.yml', isOurs: true },
  { name: 'user-data', isOurs: false },
] as const;

export const MEDIUM_FILES = [
  '/run/live/medium/spatium-preseed.yaml',
  '/lib/live/mount/medium/spatium-preseed.yaml',
  '/spatium-preseed.yaml',
  '/etc/spatium-preseed.yaml',
] as const;

interface KernelWords {
  /** null: the word is not there. */
  readonly source: string | null;
  readonly pin: string | null;
}

/** The last word of each name counts, as for every kernel parameter. */
export function kernelWordsOf(commandLine: string): KernelWords {
  const words = (commandLine.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const last = (name: string): string | null => words.findLast((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  return { source: last('spatium.preseed'), pin: last('spatium.preseed.sha256') };
}

type Outcome =
  | { readonly kind: 'use'; readonly read: ReadFile }
  | { readonly kind: 'skip'; readonly why: string }
  | { readonly kind: 'halt'; readonly reason: string; readonly findings: readonly PlacedFinding[] };

const halt = (reason: string, findings: readonly PlacedFinding[] = []): Outcome => ({ kind: 'halt', reason, findings });

/** The block's name at the start of a line: whoever wrote it meant this installer, however broken the rest is. */
const MENTIONS_US = /^\s*["']?spatium[_-]preseed["']?\s*:/m;

/** What to do with a file that is there. */
function judgeFile(bytes: Uint8Array, source: string, isOurs: boolean): Outcome {
  const read = readAnswers(bytes, { file: source, explicit: isOurs });
  const isBroken = read.findings.some((finding) => finding.severity === 'error');
  if (read.hasContent) return { kind: 'use', read };
  if (isOurs || (isBroken && MENTIONS_US.test(read.source.text))) return halt('the answer file cannot be used', read.findings);
  return { kind: 'skip', why: read.findings[0]?.message ?? 'no spatium preseed content' };
}

function malformedPin(pin: string): boolean {
  return !/^[0-9a-f]{64}$/i.test(pin);
}

async function fromKernelWord(words: KernelWords, ports: FindPorts): Promise<{ readonly source: string; readonly outcome: Outcome }> {
  const word = words.source ?? '';
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
  const url = isUrl && URL.canParse(word) ? new URL(word) : null;
  const source = url ? urlForPeople(url) : isUrl ? 'the URL of spatium.preseed=' : printable(word);
  const end = (outcome: Outcome) => ({ source: source === '' ? 'spatium.preseed=' : source, outcome });
  if (words.pin !== null && malformedPin(words.pin)) return end(halt('spatium.preseed.sha256= is not a SHA-256: 64 hex digits are needed'));
  const pin = words.pin?.toLowerCase() ?? null;
  if (word === '') return end(halt('spatium.preseed= names nothing'));
  if (!isUrl) return end(await fromPath(word, pin, ports));
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return end(halt('spatium.preseed= is neither a path nor an http(s) URL'));
  if (url.protocol === 'http:' && pin === null)
    return end(halt('plain http needs spatium.preseed.sha256=, since anybody on the way could change the file'));
  const fetched = await ports.fetch(url, pin);
  return end(fetched.ok ? judgeFile(fetched.bytes, source, true) : halt(`the answer file could not be fetched: ${fetched.why}`));
}

async function fromPath(path: string, pin: string | null, ports: FindPorts): Promise<Outcome> {
  const bytes = await readOrWhy(path, ports);
  if (typeof bytes === 'string') return halt(`the answer file cannot be read: ${bytes}`);
  if (bytes === null) return halt('spatium.preseed= names a file that does not exist');
  if (pin !== null && !matchesPin(bytes, pin)) return halt('the SHA-256 of the answer file is not the pinned one');
  return judgeFile(bytes, path, true);
}

async function readOrWhy(path: string, ports: FindPorts): Promise<Uint8Array | null | string> {
  try {
    return await ports.read(path);
  } catch (error) {
    return error instanceof Error ? printable(error.message) : 'unknown error';
  }
}

class Search {
  readonly skipped: Skipped[] = [];
  readonly #ports: FindPorts;

  constructor(ports: FindPorts) {
    this.#ports = ports;
  }

  skip(source: string, why: string): null {
    this.skipped.push({ source, why });
    this.#ports.log(`answer file: ${source}: skipped: ${why}`);
    return null;
  }

  /** null: look further. */
  end(source: string, outcome: Outcome): Found | null {
    switch (outcome.kind) {
      case 'skip':
        return this.skip(source, outcome.why);
      case 'use':
        this.#ports.log(`answer file: ${source}: adopted`);
        return { kind: 'adopted', source, read: outcome.read, skipped: this.skipped };
      case 'halt':
        this.#ports.log(`answer file: ${source}: ${outcome.reason}`);
        return { kind: 'halt', source, reason: outcome.reason, findings: outcome.findings, skipped: this.skipped };
    }
  }

  async file(path: string, source: string, isOurs: boolean): Promise<Found | null> {
    const bytes = await readOrWhy(path, this.#ports);
    if (bytes === null) return null;
    if (typeof bytes === 'string')
      return this.end(source, isOurs ? halt(`the answer file cannot be read: ${bytes}`) : { kind: 'skip', why: bytes });
    return this.end(source, judgeFile(bytes, source, isOurs));
  }

  async volume(device: string): Promise<Found | null> {
    const look = async (directory: string): Promise<Found | null> => {
      for (const { name, isOurs } of VOLUME_FILES) {
        const found = await this.file(`${directory}/${name}`, `${device}:/${name}`, isOurs);
        if (found) return found;
      }
      return null;
    };
    const before = this.skipped.length;
    try {
      const found = await this.#ports.withVolume(device, look);
      return found ?? (this.skipped.length === before ? this.skip(device, 'no answer file on the volume') : null);
    } catch (error) {
      return this.skip(device, `cannot be mounted: ${error instanceof Error ? printable(error.message) : 'unknown error'}`);
    }
  }
}

/** Looks everywhere in order and says why each place was passed over. Ends; never asks. */
export async function findAnswers(ports: FindPorts): Promise<Found> {
  const search = new Search(ports);
  const words = kernelWordsOf(await ports.commandLine());
  if (words.source !== null) {
    const { source, outcome } = await fromKernelWord(words, ports);
    const found = search.end(source, outcome);
    if (found) return found;
  }
  for (const device of await ports.volumes(VOLUME_LABEL)) {
    const found = await search.volume(device);
    if (found) return found;
  }
  for (const path of MEDIUM_FILES) {
    const found = await search.file(path, path, true);
    if (found) return found;
  }
  return { kind: 'none', skipped: search.skipped };
}
