/** An answer file becomes `Answers`, with the place of everything in it. Nothing is decided here that `judge` decides. */
import type { Answers } from '#model/answers.ts';
import type { Finding, PlacedFinding, Position } from '#model/finding.ts';
import { RULES } from '#rules/catalogue.ts';
import { keyAt } from '#rules/keys.ts';
import type { Hidden } from '#rules/show.ts';
import { findBlock } from './block.ts';
import { dialectOf } from './dialects.ts';
import { UNREADABLE_KEY } from './entries.ts';
import { FieldReader } from './fields.ts';
import { type PathFault, type Place, Sink, type Span } from './sink.ts';
import { indentFaults, lineBreakFaults, tabFaults } from './syntax.ts';
import { decodeText, type FileFault, Lines } from './text.ts';
import { parseYaml } from './tree.ts';

export interface ReadOptions {
  /** Name for findings; never opened here. */
  readonly file: string;
  /** Named as an answer file (command line, kernel word, file name), so that the wrapping block may be left out. */
  readonly explicit: boolean;
}

export interface ReadFile {
  readonly file: string;
  readonly answers: Answers;
  /** Faults of the file, of YAML and of its keys; what `judge` says comes on top. */
  readonly findings: readonly PlacedFinding[];
  /** False: nothing in the file is meant for this installer. */
  readonly hasContent: boolean;
  /** True when the file has that key, whatever its value. */
  has(path: string): boolean;
  /** First place of a path: the value, or the key, or what stands around it; 1:1 for what the file does not hold. */
  locate(path: string): Position;
  /** A finding of `judge`, put where it belongs; null for one that only repeats a fault of the file. */
  place(finding: Finding): PlacedFinding | null;
  /** For excerpts: the text, its lines, and what of it may be printed. */
  readonly source: Source;
}

export interface Source {
  readonly text: string;
  readonly lines: Lines;
  readonly visible: readonly Span[];
  readonly keys: readonly Span[];
  readonly secrets: Hidden;
  /** Offset from which on the reading of the file is a guess. */
  readonly soundTo: number;
}

/** Findings that follow from something else being unreadable. */
const FOLLOWS_FROM_ABSENCE = new Set([
  'answer.missing',
  'answer.wipe-unconfirmed',
  'network.missing',
  'disk.not-confirmed',
  'ssh.no-way-in',
  'mirror.no-target',
]);

/** Quoted parts of a message that hold a secret are blanked out; a second fence behind the quoting of each rule. */
function redact(text: string, secrets: Hidden): string {
  return secrets.withoutCodes(text.replace(/"[^"]*"/g, (part) => (secrets.isIn(part) ? '"***"' : part)));
}

class Placer {
  readonly #file: string;
  readonly #sink: Sink;
  readonly #lines: Lines;
  readonly #blockAt: Span;
  #keys: readonly (readonly [path: string, place: Place])[] | null = null;

  constructor(file: string, sink: Sink, lines: Lines, blockAt: Span) {
    this.#file = file;
    this.#sink = sink;
    this.#lines = lines;
    this.#blockAt = blockAt;
  }

  spanOf(path: string, near?: string): Span {
    for (let at = path; at !== ''; at = at.includes('[') ? at.replace(/\[\d+\]$/, '') : at.split('.').slice(0, -1).join('.')) {
      const place = this.#sink.places.get(at);
      if (!place) continue;
      const isOneLine = this.#lines.positionOf(place.key.start).line === this.#lines.positionOf(place.value.start).line;
      const isScalar =
        place.value.end > place.value.start &&
        this.#lines.positionOf(place.value.start).line === this.#lines.positionOf(place.value.end).line;
      return at === path && isScalar && (isOneLine || path.includes('[')) ? place.value : place.key;
    }
    return near === undefined || near === '' ? this.#blockAt : this.spanOf(near);
  }

  placed(finding: Finding, span: Span): PlacedFinding {
    const start = this.#lines.positionOf(span.start);
    const end = this.#lines.positionOf(span.end);
    const endColumn = end.line === start.line ? end.column : this.#lines.endOf(start.line) - this.#lines.startOf(start.line) + 1;
    const { fix: given, ...rest } = finding;
    const fix = given === undefined ? undefined : redact(given, this.#sink.secrets);
    return {
      ...rest,
      message: redact(finding.message, this.#sink.secrets),
      // Advice to write what may not be shown helps nobody.
      ...(fix === undefined || fix.includes('***') || (/^write /.test(fix) && this.#sink.secrets.isIn(fix)) ? {} : { fix }),
      file: this.#file,
      line: start.line,
      column: start.column,
      ...(endColumn > start.column ? { endColumn } : {}),
    };
  }

  /** The key in whose value, or on whose line, a fault of YAML lies; empty outside of all keys that are known. */
  #pathAt(offset: number): string {
    const { line } = this.#lines.positionOf(offset);
    let found = '';
    let start = -1;
    // Of the entries of lists there may be thousands; the keys are few.
    this.#keys ??= [...this.#sink.places].filter(([path]) => !path.endsWith(']'));
    for (const [path, { key, value }] of this.#keys) {
      const isAround = key.start <= offset && (offset < value.end || this.#lines.positionOf(key.start).line === line);
      if (isAround && key.start > start) [found, start] = [path, key.start];
    }
    return found;
  }

  /** An unknown key may have the very name that is secret elsewhere in the file. */
  #withoutSecret({ rule, path }: PathFault): string {
    if (rule !== 'key.unknown' && rule !== 'key.duplicate') return path;
    const names = path.split('.');
    const isSecret = keyAt(path) === undefined && this.#sink.secrets.isIn(names.at(-1) ?? '');
    return isSecret ? [...names.slice(0, -1), UNREADABLE_KEY].join('.') : path;
  }

  ofFault(fault: FileFault | PathFault): PlacedFinding {
    const { severity } = RULES[fault.rule];
    const path = 'path' in fault ? this.#withoutSecret(fault) : fault.rule.startsWith('yaml.') ? this.#pathAt(fault.offset) : '';
    const finding: Finding = {
      severity,
      rule: fault.rule,
      path,
      message: fault.message,
      ...(fault.fix === undefined ? {} : { fix: fault.fix }),
    };
    return this.placed(finding, { start: fault.offset, end: fault.end ?? fault.offset });
  }
}

interface Parts {
  readonly answers: Answers;
  readonly hasContent: boolean;
  readonly faults: readonly (FileFault | PathFault)[];
  readonly blockAt: Span;
  /** Findings from here on are guesses. */
  readonly soundTo: number;
}

function readParts(bytes: Uint8Array, text: string, isExplicit: boolean, sink: Sink): Parts {
  const decoded = decodeText(bytes);
  const nothing = { answers: {}, hasContent: false, blockAt: { start: 0, end: 0 } };
  if (!decoded.isReadable) return { ...nothing, faults: decoded.faults, soundTo: 0 };
  const parsed = parseYaml(text);
  const indent = indentFaults(text, parsed.root);
  const soundTo = indent.reduce((least, fault) => Math.min(least, fault.offset), parsed.soundTo);
  const yamlFaults = parsed.faults.filter((fault) => fault.offset < soundTo || indent.length === 0);
  const otherReaders = [...tabFaults(text, parsed.root, parsed.faults), ...lineBreakFaults(text)];
  const faults: FileFault[] = [...decoded.faults, ...yamlFaults, ...indent.slice(0, 1), ...otherReaders];
  const isBroken = [...yamlFaults, ...indent].some((fault) => RULES[fault.rule].severity === 'error');
  if (parsed.root === null && isBroken) return { ...nothing, faults, soundTo: 0 };
  const { block, hasContent } = findBlock(parsed.root, text, isExplicit, sink);
  if (block === null) {
    // A file of another installer need not be YAML: its name says more than what a YAML reader stumbles over.
    if (faults.length > 0 && dialectOf(text, parsed.root)) return { ...nothing, faults: sink.faults, soundTo: Number.POSITIVE_INFINITY };
    return { ...nothing, hasContent, faults: [...faults, ...(soundTo === Number.POSITIVE_INFINITY ? sink.faults : [])], soundTo };
  }
  const answers = new FieldReader(sink, text).read(block.map, '');
  return { answers, hasContent, faults: [...faults, ...sink.faults], blockAt: block.at, soundTo };
}

/** Reads one answer file. Never throws for any bytes. */
export function readAnswers(bytes: Uint8Array, options: ReadOptions): ReadFile {
  const { text } = decodeText(bytes);
  const lines = new Lines(text);
  const sink = new Sink(lines);
  const parts = readParts(bytes, text, options.explicit, sink);
  const placer = new Placer(options.file, sink, lines, parts.blockAt);
  const soundLine = parts.soundTo === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : lines.positionOf(parts.soundTo).line;
  const isSound = (finding: PlacedFinding): boolean =>
    finding.line < soundLine || finding.rule.startsWith('file.') || finding.rule.startsWith('yaml.');
  return {
    file: options.file,
    answers: parts.answers,
    hasContent: parts.hasContent,
    findings: parts.faults.map((fault) => placer.ofFault(fault)).filter(isSound),
    has: (path) => sink.places.has(path),
    locate: (path) => lines.positionOf(placer.spanOf(path).start),
    place: (finding) => {
      const block = finding.path.split('.').slice(0, -1).join('.');
      const isDoubled = block !== '' && sink.doubled.has(block);
      const isUncertain = sink.broken.has(finding.path) || soundLine !== Number.POSITIVE_INFINITY || isDoubled;
      const isRepeat = isUncertain && FOLLOWS_FROM_ABSENCE.has(finding.rule);
      const placed = placer.placed(finding, placer.spanOf(finding.path, finding.near));
      return isRepeat || !isSound(placed) ? null : placed;
    },
    source: { text, lines, visible: sink.visible, keys: sink.keys, secrets: sink.secrets, soundTo: parts.soundTo },
  };
}
