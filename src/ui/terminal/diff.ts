/** The shortest plain way from one grid to the next, in sequences that a vt220 knows: CUP, CUF, SGR, EL, ED. */
import { type Cell, type Grid, type Row, styleSequence } from '#ui/terminal/cells.ts';

const BLANK: Cell = { text: ' ', style: 0 };
/** A cursor move costs about this many bytes, so shorter gaps of equal cells are written over. */
const GAP_CELLS = 4;

const sameCell = (a: Cell, b: Cell): boolean => a.text === b.text && a.style === b.style;

function usedLength(row: Row): number {
  let length = row.length;
  while (length > 0 && sameCell(row[length - 1] ?? BLANK, BLANK)) length--;
  return length;
}

/** Collects output and remembers where cursor and pen are, so that neither is set twice. */
class Plotter {
  #out = '';
  #style = 0;
  /** -1: not known. */
  #x = -1;
  #y = -1;
  readonly #columns: number;

  constructor(columns: number) {
    this.#columns = columns;
  }

  clear(): void {
    this.#out += '\x1b[m\x1b[H\x1b[2J';
    this.#x = 0;
    this.#y = 0;
  }

  moveTo(x: number, y: number): void {
    if (this.#x === x && this.#y === y) return;
    const ahead = x - this.#x;
    if (this.#y === y && this.#x >= 0 && ahead > 0 && ahead < 10) this.#out += ahead === 1 ? '\x1b[C' : `\x1b[${ahead}C`;
    else this.#out += x === 0 ? `\x1b[${y + 1}H` : `\x1b[${y + 1};${x + 1}H`;
    this.#x = x;
    this.#y = y;
  }

  put(cell: Cell, width: number): void {
    this.pen(cell.style);
    this.#out += cell.text;
    this.#x += width;
    // At the right edge terminals differ in where the cursor is.
    if (this.#x >= this.#columns) this.#x = -1;
  }

  pen(style: number): void {
    if (style === this.#style) return;
    this.#out += style === 0 ? '\x1b[m' : `\x1b[0;${styleSequence(style)}m`;
    this.#style = style;
  }

  clearToEnd(): void {
    this.pen(0);
    this.#out += '\x1b[K';
  }

  finish(): string {
    if (this.#out !== '') this.pen(0);
    return this.#out;
  }
}

/** End (exclusive) of the run of changed cells starting at `start`, gaps shorter than a cursor move included. */
function runEnd(start: number, limit: number, same: (x: number) => boolean): number {
  let end = start + 1;
  for (let x = end, gap = 0; x < limit && gap <= GAP_CELLS; x++) {
    if (same(x)) gap++;
    else {
      end = x + 1;
      gap = 0;
    }
  }
  return end;
}

function diffRow(before: Row, after: Row, y: number, plotter: Plotter): void {
  const endBefore = usedLength(before);
  const endAfter = usedLength(after);
  const same = (x: number): boolean => sameCell(before[x] ?? BLANK, after[x] ?? BLANK);
  for (let x = 0; x < endAfter; ) {
    if (same(x)) {
      x++;
      continue;
    }
    const end = runEnd(x, endAfter, same);
    // Never start inside a wide character.
    while (x > 0 && after[x]?.text === '') x--;
    plotter.moveTo(x, y);
    for (; x < end; x++) {
      const cell = after[x] ?? BLANK;
      if (cell.text !== '') plotter.put(cell, after[x + 1]?.text === '' ? 2 : 1);
    }
  }
  if (endBefore > endAfter) {
    plotter.moveTo(endAfter, y);
    plotter.clearToEnd();
  }
}

/** Bytes that turn `before` into `after`; `before` null means an unknown screen, which is cleared first. Empty when nothing changed. */
export function diffGrids(before: Grid | null, after: Grid, columns: number): string {
  const plotter = new Plotter(columns);
  if (before === null) plotter.clear();
  const height = Math.max(before?.length ?? 0, after.length);
  for (let y = 0; y < height; y++) diffRow(before?.[y] ?? [], after[y] ?? [], y, plotter);
  return plotter.finish();
}
