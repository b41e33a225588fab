/** A frame as a grid of styled cells. Ink hands frames over as lines with colour sequences only; this reads them. */
import type { ColourDepth, GlyphSet } from '#ui/profile.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';

export interface Cell {
  /** One character with its combining marks; empty for the right half of a wide character. */
  readonly text: string;
  /** Id from `styleSequence`; 0 is the terminal's default. */
  readonly style: number;
}

export type Row = readonly Cell[];
export type Grid = readonly Row[];

const sequences: string[] = [''];
const ids = new Map<string, number>([['', 0]]);

function intern(parameters: string): number {
  const known = ids.get(parameters);
  if (known !== undefined) return known;
  const id = sequences.push(parameters) - 1;
  ids.set(parameters, id);
  return id;
}

/** SGR parameters of a style id, `1;7;31`; empty for the default style. */
export const styleSequence = (style: number): string => sequences[style] ?? '';

const SET_ATTRIBUTES = new Set([1, 2, 3, 4, 7, 9]);
const CLEARED_BY = new Map<number, readonly number[]>([
  [22, [1, 2]],
  [23, [3]],
  [24, [4]],
  [27, [7]],
  [29, [9]],
]);

/** Follows SGR sequences through a frame. */
class Pen {
  readonly #attributes = new Set<number>();
  readonly #colours: boolean;
  #foreground = '';
  #background = '';

  constructor(colours: boolean) {
    this.#colours = colours;
  }

  apply(parameters: string): void {
    const codes = parameters === '' ? [0] : parameters.split(';').map(Number);
    for (let i = 0; i < codes.length; i++) i += this.#applyCode(codes, i);
  }

  /** Returns how many extra codes belonged to this one (256 and 24 bit colours). */
  #applyCode(codes: readonly number[], index: number): number {
    const code = codes[index] ?? 0;
    if (code === 0) this.#reset();
    else if (SET_ATTRIBUTES.has(code)) this.#attributes.add(code);
    else if (CLEARED_BY.has(code)) for (const attribute of CLEARED_BY.get(code) ?? []) this.#attributes.delete(attribute);
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) this.#foreground = String(code);
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) this.#background = String(code);
    else if (code === 39) this.#foreground = '';
    else if (code === 49) this.#background = '';
    else if (code === 38 || code === 48) {
      const length = codes[index + 1] === 5 ? 3 : 5;
      const value = codes.slice(index, index + length).join(';');
      if (code === 38) this.#foreground = value;
      else this.#background = value;
      return length - 1;
    }
    return 0;
  }

  #reset(): void {
    this.#attributes.clear();
    this.#foreground = '';
    this.#background = '';
  }

  style(): number {
    const parts: (number | string)[] = [...this.#attributes].sort((a, b) => a - b);
    if (this.#colours && this.#foreground !== '') parts.push(this.#foreground);
    if (this.#colours && this.#background !== '') parts.push(this.#background);
    return intern(parts.join(';'));
  }
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /\p{M}|[\u200b-\u200d]|\ufe0e|\ufe0f/u;

export interface GridOptions {
  readonly columns: number;
  readonly rows: number;
  readonly colour: ColourDepth;
  readonly glyphs: GlyphSet;
}

/** End of the escape sequence that starts at `start`: index of its last character. */
function sequenceEnd(line: string, start: number): number {
  if (line[start + 1] !== '[') return start + 1;
  let end = start + 2;
  while (end < line.length && (line.charCodeAt(end) < 0x40 || line.charCodeAt(end) > 0x7e)) end++;
  return end;
}

function putCharacter(row: Cell[], character: string, style: number, options: GridOptions): void {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0x2ff && ZERO_WIDTH.test(character)) {
    const last = row.at(-1);
    if (last && options.glyphs === 'unicode') row[row.length - 1] = { text: last.text + character, style: last.style };
    return;
  }
  const wide = code > 0x10ff && WIDE.test(character);
  if (row.length + (wide ? 2 : 1) > options.columns) return;
  if (options.glyphs === 'ascii') {
    const plain = toAscii(character);
    row.push({ text: plain, style });
    if (wide) row.push({ text: plain, style });
    return;
  }
  row.push({ text: character, style });
  if (wide) row.push({ text: '', style });
}

/** Reads a frame. Rows and columns beyond the terminal are cut, every sequence but SGR is dropped. */
export function parseFrame(frame: string, options: GridOptions): Grid {
  const pen = new Pen(options.colour !== 'mono');
  let style = 0;
  return frame
    .split('\n')
    .slice(0, options.rows)
    .map((line) => {
      const row: Cell[] = [];
      for (let i = 0; i < line.length; ) {
        const code = line.codePointAt(i) ?? 0;
        if (code === 0x1b) {
          const end = sequenceEnd(line, i);
          if (line[i + 1] === '[' && line[end] === 'm') {
            pen.apply(line.slice(i + 2, end));
            style = pen.style();
          }
          i = end + 1;
          continue;
        }
        const character = String.fromCodePoint(code);
        i += character.length;
        if (code < 0x20 || (code >= 0x7f && code < 0xa0)) continue;
        putCharacter(row, character, style, options);
      }
      return row;
    });
}
