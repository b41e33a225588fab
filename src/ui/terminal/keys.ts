/** From the bytes of a terminal to keys. Pure: no timer, no stream. Knows linux, xterm, vt100, vt220 and rxvt sequences. */

export type KeyName =
  | 'text'
  | 'enter'
  | 'tab'
  | 'backtab'
  | 'backspace'
  | 'delete'
  | 'insert'
  | 'escape'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'pageup'
  | 'pagedown'
  | 'ctrl'
  | 'paste'
  | `f${number}`;

export interface Key {
  readonly name: KeyName;
  /** `text`, `paste`: what was typed (a fast run may be several characters); `ctrl`: the letter, lower case. Else empty. */
  readonly text: string;
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
}

export interface CursorReport {
  readonly row: number;
  readonly column: number;
}

/** One thing read from the line. `raw` are its bytes, for whoever passes them on. */
export interface InputEvent {
  readonly key: Key | null;
  readonly cursor: CursorReport | null;
  readonly raw: string;
}

export interface Decoded {
  readonly events: readonly InputEvent[];
  /** An unfinished sequence; give it back in front of the next bytes. */
  readonly rest: string;
}

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

const BY_LETTER: Readonly<Record<string, KeyName>> = { A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end', Z: 'backtab' };
const BY_PF_LETTER: Readonly<Record<string, KeyName>> = { P: 'f1', Q: 'f2', R: 'f3', S: 'f4' };
const BY_LINUX_LETTER: Readonly<Record<string, KeyName>> = { A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5' };
const EDIT_NUMBERS: readonly (KeyName | null)[] = [null, 'home', 'insert', 'delete', 'end', 'pageup', 'pagedown', 'home', 'end'];
/** Numbers of `CSI n ~` for F1 to F20, with the gaps that the VT220 keyboard had. */
const FUNCTION_NUMBERS = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];

const key = (name: KeyName, text = '', modifiers = 0): Key => ({
  name,
  text,
  shift: (modifiers & 1) !== 0,
  alt: (modifiers & 2) !== 0,
  ctrl: (modifiers & 4) !== 0,
});

const event = (raw: string, found: Key | null, cursor: CursorReport | null = null): InputEvent => ({ key: found, cursor, raw });

function numberedKey(number: number): KeyName | null {
  const edit = EDIT_NUMBERS[number];
  if (edit) return edit;
  const index = FUNCTION_NUMBERS.indexOf(number);
  return index < 0 ? null : `f${index + 1}`;
}

function decodeCsi(raw: string): InputEvent {
  const body = /^\x1b\[(\d*)(?:;(\d+))?([A-Za-z~])$/.exec(raw);
  if (!body) return event(raw, null);
  const [, first = '', second, final = ''] = body;
  const modifiers = second === undefined ? 0 : Number(second) - 1;
  // xterm writes a modified F3 as CSI 1;m R; a report of row 1 is never asked for.
  if (final === 'R' && second !== undefined && first !== '1') return event(raw, null, { row: Number(first), column: Number(second) });
  if (final === '~') {
    const name = numberedKey(Number(first));
    return event(raw, name === null ? null : key(name, '', modifiers));
  }
  const name = BY_LETTER[final] ?? BY_PF_LETTER[final];
  return event(raw, name === undefined ? null : key(name, '', modifiers));
}

function decodeSs3(raw: string): InputEvent {
  const letter = raw[2] ?? '';
  if (letter === 'M') return event(raw, key('enter'));
  const name = BY_PF_LETTER[letter] ?? BY_LETTER[letter];
  return event(raw, name === undefined ? null : key(name));
}

/** Esc and a digit stand for a function key, for lines that swallow those. Esc and anything else is Alt. */
function decodeAlt(raw: string): InputEvent {
  const character = raw.slice(1);
  if (/^\d$/.test(character)) return event(raw, key(character === '0' ? 'f10' : `f${Number(character)}`));
  const plain = decodeControl(character) ?? key('text', character);
  return event(raw, { ...plain, alt: true });
}

const UNFINISHED = /^\x1b(?:O|\[\[?|\[[0-?]*[ -/]*)?$/;
const WHOLE = /^\x1b(?:O[A-Za-z]|\[\[[A-E]|\[(?!\[)[0-?]*[ -/]*[@-~])/;

/**
 * What a terminal answers to whoever asked before us (its name, its colours; systemd asks for both at boot): nobody typed it.
 * Alone, the first two bytes are Alt and a letter.
 */
const ANSWER = /^\x1b[\]P_^X][^\x07\x1b]{0,1024}(?:\x07|\x1b\\)/;
const UNFINISHED_ANSWER = /^\x1b[\]P_^X][^\x07\x1b]{0,1024}\x1b?$/;

/** `null`: the sequence is not complete yet. */
function decodeEscape(text: string, final: boolean): InputEvent | null {
  if (text.startsWith(PASTE_START)) {
    const end = text.indexOf(PASTE_END);
    if (end < 0 && !final) return null;
    const body = end < 0 ? text.slice(PASTE_START.length) : text.slice(PASTE_START.length, end);
    return event(end < 0 ? text : text.slice(0, end + PASTE_END.length), key('paste', normaliseLines(body)));
  }
  const answer = ANSWER.exec(text);
  if (answer) return event(answer[0], null);
  if (!final && UNFINISHED_ANSWER.test(text)) return null;
  const whole = WHOLE.exec(text);
  if (whole) {
    const raw = whole[0];
    if (raw.startsWith('\x1bO')) return decodeSs3(raw);
    if (raw.startsWith('\x1b[[')) return event(raw, key(BY_LINUX_LETTER[raw[3] ?? ''] ?? 'f1'));
    return decodeCsi(raw);
  }
  if (UNFINISHED.test(text)) {
    if (!final) return null;
    // A lone Esc, or Esc and a bracket that nothing followed.
    return event(text, text === '\x1b' ? key('escape') : null);
  }
  // Esc, then the start of another key that caught up with it.
  if (text[1] === '\x1b') return event('\x1b', key('escape'));
  const second = String.fromCodePoint(text.codePointAt(1) ?? 0);
  return decodeAlt(`\x1b${second}`);
}

function decodeControl(character: string): Key | null {
  const code = character.charCodeAt(0);
  if (character === '\r' || character === '\n') return key('enter');
  if (character === '\t') return key('tab');
  if (code === 0x7f || code === 0x08) return key('backspace');
  if (code >= 1 && code <= 26) return { ...key('ctrl', String.fromCharCode(code + 0x60)), ctrl: true };
  return null;
}

const normaliseLines = (text: string): string => text.replace(/\r\n?/g, '\n');

/** Text, a line end, and more text in one read: nobody types that fast, so it is a paste and no Enter. */
const RAW_PASTE = /^[^\x00-\x1f\x7f]+[\r\n]+(?=[^\x00-\x1f\x7f])[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*/;
const TEXT_RUN = /^[^\x00-\x1f\x7f]+/;

function decodePlain(text: string): InputEvent {
  const paste = RAW_PASTE.exec(text);
  if (paste) return event(paste[0], key('paste', normaliseLines(paste[0])));
  const run = TEXT_RUN.exec(text);
  if (run) return event(run[0], key('text', run[0].replaceAll('\ufffd', '')));
  const raw = text.startsWith('\r\n') ? '\r\n' : (text[0] ?? '');
  return event(raw, decodeControl(raw[0] ?? ''));
}

/**
 * @param text bytes of the line, decoded as UTF-8, with the `rest` of the last call in front
 * @param final nothing followed in time: what looks unfinished is taken as it stands (a lone Esc)
 */
export function decodeKeys(text: string, final: boolean): Decoded {
  const events: InputEvent[] = [];
  let left = text;
  while (left !== '') {
    const found = left.startsWith('\x1b') ? decodeEscape(left, final) : decodePlain(left);
    if (found === null) break;
    if (found.key?.name !== 'text' || found.key.text !== '') events.push(found);
    left = left.slice(found.raw.length);
  }
  return { events, rest: left };
}
