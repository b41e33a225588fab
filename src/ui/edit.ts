/** Editing one line of text, and moving in a list: pure steps that any screen and any terminal share. */
import type { Key } from '#ui/terminal/keys.ts';

export interface TextState {
  readonly value: string;
  /** Index in code points, 0 to the length. */
  readonly cursor: number;
}

/** Longest text a field takes; an SSH key of 16384 bits is 2.8 kB. */
const MAX_FIELD_LENGTH = 8192;

const printable = (text: string): readonly string[] => [...text.replace(/[\x00-\x1f\x7f-\x9f]/g, '')];

function insert(state: TextState, text: string): TextState {
  const characters = [...state.value];
  const added = printable(text).slice(0, MAX_FIELD_LENGTH - characters.length);
  characters.splice(state.cursor, 0, ...added);
  return { value: characters.join(''), cursor: state.cursor + added.length };
}

function remove(state: TextState, from: number, to: number): TextState {
  const characters = [...state.value];
  characters.splice(from, to - from);
  return { value: characters.join(''), cursor: from };
}

const wordStart = (characters: readonly string[], cursor: number): number => {
  let at = cursor;
  while (at > 0 && characters[at - 1] === ' ') at--;
  while (at > 0 && characters[at - 1] !== ' ') at--;
  return at;
};

function editWithControl(state: TextState, letter: string): TextState | null {
  const characters = [...state.value];
  const { cursor } = state;
  switch (letter) {
    case 'a':
      return { ...state, cursor: 0 };
    case 'e':
      return { ...state, cursor: characters.length };
    case 'b':
      return { ...state, cursor: Math.max(0, cursor - 1) };
    case 'f':
      return { ...state, cursor: Math.min(characters.length, cursor + 1) };
    case 'd':
      return remove(state, cursor, Math.min(characters.length, cursor + 1));
    case 'k':
      return remove(state, cursor, characters.length);
    case 'u':
      return remove(state, 0, cursor);
    case 'w':
      return remove(state, wordStart(characters, cursor), cursor);
    default:
      return null;
  }
}

/** The text after a key; null when the key is none of an editor's. A paste keeps its first line only. */
export function editText(state: TextState, key: Key): TextState | null {
  const length = [...state.value].length;
  switch (key.name) {
    case 'text':
      return key.alt ? null : insert(state, key.text);
    case 'paste':
      return insert(state, key.text.split('\n')[0] ?? '');
    case 'backspace':
      return remove(state, Math.max(0, state.cursor - 1), state.cursor);
    case 'delete':
      return remove(state, state.cursor, Math.min(length, state.cursor + 1));
    case 'left':
      return { ...state, cursor: Math.max(0, state.cursor - 1) };
    case 'right':
      return { ...state, cursor: Math.min(length, state.cursor + 1) };
    case 'home':
      return { ...state, cursor: 0 };
    case 'end':
      return { ...state, cursor: length };
    case 'ctrl':
      return editWithControl(state, key.text);
    default:
      return null;
  }
}

/** What a field does not take of a key's text, as a sentence; null: it takes all. */
export function leftOut(state: TextState, key: Key): string | null {
  if (key.alt || (key.name !== 'text' && key.name !== 'paste')) return null;
  const [first = '', ...rest] = key.name === 'paste' ? key.text.split('\n') : [key.text];
  if ([...state.value].length + printable(first).length > MAX_FIELD_LENGTH)
    return `A field takes ${MAX_FIELD_LENGTH} characters; what came after them was left out.`;
  return rest.some((line) => line.trim() !== '') ? 'A field takes one line; the lines after the first were left out.' : null;
}

const PAGE_ROWS = 10;

/** New index in a list of `count`; null when the key does not move, or when a step would leave the list. */
export function moveInList(index: number, count: number, key: Key): number | null {
  const last = count - 1;
  switch (key.name) {
    case 'up':
      return index > 0 ? index - 1 : null;
    case 'down':
      return index < last ? index + 1 : null;
    case 'pageup':
      return Math.max(0, index - PAGE_ROWS);
    case 'pagedown':
      return Math.min(last, index + PAGE_ROWS);
    case 'home':
      return 0;
    case 'end':
      return last;
    default:
      return null;
  }
}

/** Which rows of a list to show so that `index` is visible: start (inclusive) and end (exclusive). */
export function listWindow(index: number, count: number, rows: number): { start: number; end: number } {
  if (count <= rows) return { start: 0, end: count };
  // Pages, not a sliding window: most moves then redraw two rows instead of all of them.
  const start = Math.min(Math.floor(index / rows) * rows, count - rows);
  return { start, end: start + rows };
}

/** Signs of a field for text that goes on beyond its edges. */
const MORE = { left: '<', right: '>' } as const;

/**
 * The part of a line editor's text that fits in `width` cells, around the cursor. It moves by half a field, so that most keys redraw
 * one cell, and what was just typed stays in sight.
 */
export function fieldWindow(state: TextState, width: number): { text: string; cursor: number } {
  const characters = [...state.value];
  if (characters.length < width) return { text: state.value, cursor: state.cursor };
  const step = Math.max(1, Math.floor(width / 2));
  // The last cell is kept for the sign, or for the cursor behind the text.
  const beyond = state.cursor - (width - 1);
  const start = beyond < 0 ? 0 : (Math.floor(beyond / step) + 1) * step;
  const cells = characters.slice(start, start + width);
  if (start > 0) cells[0] = MORE.left;
  if (start + width < characters.length) cells[width - 1] = MORE.right;
  return { text: cells.join(''), cursor: state.cursor - start };
}
