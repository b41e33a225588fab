/** Text for a grid of cells: cleaned, cut and wrapped. Cuts with ASCII `...`, since console fonts have no ellipsis. */

const CONTROL = /[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text from a device, a file or the network, made safe to show: control and direction characters become `?`. */
export const sanitise = (text: string): string => text.replace(CONTROL, '?');

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Cells that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0x2ff && /\p{M}/u.test(character)) continue;
    width += code > 0x10ff && WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/** At most `width` cells, made safe to show; what does not fit ends in `...`. */
export function cut(raw: string, width: number): string {
  const text = sanitise(raw);
  if (widthOf(text) <= width) return text;
  const dots = '...'.slice(0, Math.max(0, width));
  let kept = '';
  let used = 0;
  for (const character of text) {
    const cells = widthOf(character);
    if (used + cells > width - dots.length) break;
    kept += character;
    used += cells;
  }
  return kept + dots;
}

/** At most `width` cells, made safe to show; the middle makes room for `...`, for names that differ at their ends. */
export function cutMiddle(raw: string, width: number): string {
  const text = sanitise(raw);
  if (widthOf(text) <= width) return text;
  const tailCells = Math.floor((width - 3) / 2);
  if (tailCells < 3) return cut(text, width);
  let tail = '';
  for (const character of [...text].reverse()) {
    if (widthOf(character + tail) > tailCells) break;
    tail = character + tail;
  }
  return `${headOf(text, width - 3 - widthOf(tail))}...${tail}`;
}

/** Exactly `width` cells. */
export const pad = (text: string, width: number): string => {
  const fitted = cut(text, width);
  return fitted + ' '.repeat(Math.max(0, width - widthOf(fitted)));
};

/** Splits at blanks into safe lines of at most `width` cells, indented as the text is; a longer word is broken. */
export function wrap(raw: string, width: number): string[] {
  const text = sanitise(raw);
  // However far a text is indented, something of it has to fit.
  const indent = (/^ */.exec(text)?.[0] ?? '').slice(0, Math.max(0, Math.floor(width / 2)));
  return wrapWords(text.trimStart(), width - indent.length).map((line) => indent + line);
}

/** The start of a text that fits, one character at least. */
function headOf(text: string, width: number): string {
  let head = '';
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width && head !== '') break;
    head += character;
  }
  return head;
}

/** At least one cell wide: a terminal can be dragged to nothing, and no text fits into that. */
function wrapWords(text: string, wanted: number): string[] {
  const width = Math.max(1, wanted);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    for (let head = headOf(rest, width); head.length < rest.length; head = headOf(rest, width)) {
      if (line !== '') lines.push(line);
      line = '';
      lines.push(head);
      rest = rest.slice(head.length);
    }
    const joined = line === '' ? rest : `${line} ${rest}`;
    if (widthOf(joined) > width && line !== '') {
      lines.push(line);
      line = rest;
    } else line = joined;
  }
  lines.push(line);
  return lines;
}

export const wrapAll = (paragraphs: readonly string[], width: number): string[] => paragraphs.flatMap((text) => wrap(text, width));
