/** One line of the file under a finding, with everything masked that is not known to be harmless; columns are kept. */
import type { PlacedFinding } from '#model/finding.ts';
import { printable } from '#rules/show.ts';
import type { Source } from './read.ts';

const MAX_WIDTH = 120;

const shownMaps = new WeakMap<Source, Uint8Array>();

const VALUE = 1;
const KEY = 2;

/** VALUE or KEY for every character that may be shown; made once for a file, since a file may have hundreds of findings. */
function shownMap(source: Source): Uint8Array {
  const known = shownMaps.get(source);
  if (known) return known;
  const map = new Uint8Array(source.text.length);
  for (const span of source.visible) if (span.start < source.soundTo) map.fill(VALUE, span.start, span.end);
  for (const span of source.keys) if (span.start < source.soundTo) map.fill(KEY, span.start, span.end);
  shownMaps.set(source, map);
  return map;
}

/** Offsets of a line, behind its keys, at which a secret of the file is repeated. */
function repeatsOf(source: Source, from: number, to: number): ReadonlySet<number> {
  const shown = shownMap(source);
  const end = source.lines.endOf(source.lines.positionOf(from).line);
  const line = source.text.slice(from, Math.min(end, to + source.secrets.longest));
  const found = new Set<number>();
  for (const [start, end] of source.secrets.rangesIn(line))
    for (let i = from + start; i < Math.min(to, from + end); i++) if (shown[i] !== KEY) found.add(i);
  return found;
}

/** Characters outside `visible` become `*`; blanks and YAML's own signs stay outside of values. */
function masked(source: Source, from: number, to: number): string {
  const { text } = source;
  const shown = shownMap(source);
  const repeats = repeatsOf(source, from, to);
  let out = '';
  let isComment = false;
  for (let at = from; at < to; at++) {
    const ch = text[at] ?? '';
    if (!shown[at] && ch === '#' && /\s/.test(text[at - 1] ?? ' ')) isComment = true;
    if (isComment) out += ' ';
    else out += !repeats.has(at) && (shown[at] || /[\s:{}[\],&-]/.test(ch)) ? ch : '*';
  }
  return out;
}

/** Values of unknown and secret keys keep none of their signs either: from the colon on, a half-masked line is masked whole. */
function hideTail(line: string): string {
  const tail = /^([^*]*?:\s*)(.*\*.*)$/.exec(line);
  return tail?.[1] === undefined || tail[2] === undefined ? line : `${tail[1]}${tail[2].trimEnd().replace(/\S/g, '*')}`;
}

/** A line as it may be shown. */
export function shownLine(source: Source, line: number): string {
  const from = source.lines.startOf(line);
  const to = Math.min(source.lines.endOf(line), from + MAX_WIDTH);
  return printable(hideTail(masked(source, from, to)))
    .replace(/\t|\\u0009/g, ' ')
    .trimEnd();
}

/** Gutter, line and caret, ready to print; empty when there is no line to show. */
export function excerptOf(source: Source, finding: PlacedFinding): readonly string[] {
  if (source.lines.endOf(finding.line) <= source.lines.startOf(finding.line)) return [];
  const number = String(finding.line);
  const gutter = ' '.repeat(number.length);
  const column = Math.min(finding.column, MAX_WIDTH);
  const width = Math.max(1, Math.min((finding.endColumn ?? finding.column + 1) - finding.column, MAX_WIDTH - column));
  return [`${gutter} |`, `${number} | ${shownLine(source, finding.line)}`, `${gutter} | ${' '.repeat(column - 1)}${'^'.repeat(width)}`];
}
