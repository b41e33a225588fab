/** One line of the file under a finding, with everything masked that is not known to be harmless; columns are kept. */
import type { PlacedFinding } from '#model/finding.ts';
import { printable } from '#rules/show.ts';
import type { Source } from './read.ts';

const MAX_WIDTH = 120;

const shownMaps = new WeakMap<Source, Uint8Array>();

/** 1 for every character that may be shown; made once for a file, since a file may have thousands of findings. */
function shownMap(source: Source): Uint8Array {
  const known = shownMaps.get(source);
  if (known) return known;
  const map = new Uint8Array(source.text.length);
  for (const span of source.visible) if (span.start < source.soundTo) map.fill(1, span.start, span.end);
  shownMaps.set(source, map);
  return map;
}

/** Characters outside `visible` become `*`; blanks and YAML's own signs stay outside of values. */
function masked(source: Source, from: number, to: number): string {
  const { text, secrets } = source;
  const shown = shownMap(source);
  let out = '';
  let isComment = false;
  for (let at = from; at < to; at++) {
    const ch = text[at] ?? '';
    if (!shown[at] && ch === '#' && /\s/.test(text[at - 1] ?? ' ')) isComment = true;
    if (isComment) out += ' ';
    else out += shown[at] || /[\s:{}[\],&-]/.test(ch) ? ch : '*';
  }
  for (const secret of secrets) out = out.replaceAll(secret, '*'.repeat(secret.length));
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
