/** From bytes to text: encoding, control characters, line ends. Says where, and what to do. */
import type { Position } from '#model/finding.ts';
import { MAX_ANSWER_FILE_BYTES, MIB } from '#model/limits.ts';
import type { RuleId } from '#rules/catalogue.ts';

/** A fault of the file itself, at a character offset of its text (0: the file as a whole). */
export interface FileFault {
  readonly rule: RuleId;
  readonly message: string;
  readonly fix?: string;
  readonly offset: number;
  /** One past the last character that is meant. */
  readonly end?: number;
}

export interface DecodedText {
  /** Without a byte order mark; empty when it could not be decoded. */
  readonly text: string;
  readonly faults: readonly FileFault[];
  /** False: nothing that a YAML reader could work on. */
  readonly isReadable: boolean;
}

/** Offsets of line starts; turns an offset into a line and a column, both 1-based. */
export class Lines {
  readonly #starts: number[] = [0];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  positionOf(offset: number): Position {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 };
  }

  /** Offset of the first character of a line (1-based). */
  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.#text.length;
  }

  /** Offset of the end of a line, its line break left out. */
  endOf(line: number): number {
    const next = this.#starts[line];
    if (next === undefined) return this.#text.length;
    return this.#text[next - 2] === '\r' ? next - 2 : next - 1;
  }
}

const unreadable = (fault: FileFault): DecodedText => ({ text: '', faults: [fault], isReadable: false });

/** Index of the first byte that is not part of well-formed UTF-8; -1 when all is well. */
function badByteOf(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  const isGood = (end: number): boolean => {
    try {
      // `stream` lets the last character be cut off.
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: end < bytes.length });
      return true;
    } catch {
      return false;
    }
  };
  if (isGood(high)) return -1;
  while (low < high - 1) {
    const middle = (low + high) >> 1;
    if (isGood(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether a mark or the first two characters say UTF-32, and how that is known. */
function utf32Of(bytes: Uint8Array): string | null {
  const [a, b, c, d, e, f, g, h] = bytes;
  const isMarked = (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
  if (isMarked) return 'is UTF-32 (it starts with its mark)';
  if (bytes.length < 8) return null;
  const isLittle = a !== 0 && b === 0 && c === 0 && d === 0 && e !== 0 && f === 0 && g === 0 && h === 0;
  const isBig = a === 0 && b === 0 && c === 0 && d !== 0 && e === 0 && f === 0 && g === 0 && h !== 0;
  return isLittle || isBig ? 'looks like UTF-32 without a mark: three of four bytes are NUL' : null;
}

function encodingFault(bytes: Uint8Array): FileFault | null {
  const [first, second] = bytes;
  const wide = utf32Of(bytes);
  if (wide !== null) return { rule: 'file.utf16', message: `the file ${wide}, not UTF-8`, fix: 'save it as UTF-8', offset: 0 };
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { rule: 'file.utf16', message: 'the file is UTF-16 (it starts with its mark), not UTF-8', fix: 'save it as UTF-8', offset: 0 };
  if ((bytes.length >= 4 && first === 0 && second !== 0 && bytes[2] === 0) || (first !== 0 && second === 0 && bytes[3] === 0))
    return {
      rule: 'file.utf16',
      message: 'the file looks like UTF-16 without a mark, not UTF-8: every other byte is NUL',
      fix: 'save it as UTF-8',
      offset: 0,
    };
  return null;
}

const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

function characterFault(text: string): FileFault | null {
  const found = FORBIDDEN.exec(text);
  if (!found) return null;
  const code = found[0].charCodeAt(0);
  if (code === 0)
    return { rule: 'file.nul', message: 'the file holds a NUL byte (0x00), as binary files do', fix: 'take it out', offset: found.index };
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return {
    rule: 'file.control',
    message: `the file holds the control character ${name}, which YAML does not allow`,
    fix: 'take it out',
    offset: found.index,
  };
}

const HEADER = /^[ \t]*#cloud-config[ \t]*$/;

/** A `#cloud-config` line among the first comments that does not start the file. */
function headerFault(text: string, hasMark: boolean): FileFault | null {
  let offset = 0;
  for (const line of text.split('\n')) {
    const bare = line.replace(/\r$/, '');
    if (HEADER.test(bare)) {
      if (bare.startsWith('#') && offset === 0 && !hasMark) return null;
      const isMark = offset === 0 && hasMark;
      const why = isMark ? 'a byte order mark stands before it' : offset === 0 ? 'a blank stands before it' : 'it must be the first line';
      return {
        rule: 'file.header',
        message: `cloud-init will ignore this file: the #cloud-config header is not its first byte (${why})`,
        fix: isMark ? 'save the file without a byte order mark' : 'move #cloud-config to the very start',
        offset,
        end: offset + bare.length,
      };
    }
    if (!/^\s*(#.*|---[ \t]*(#.*)?|%.*)?$/.test(bare)) return null;
    offset += line.length + 1;
  }
  return null;
}

/** Everything that can be said before a YAML reader is asked. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes.length > MAX_ANSWER_FILE_BYTES)
    return unreadable({ rule: 'file.too-large', message: `the file is too large: over ${MAX_ANSWER_FILE_BYTES / MIB} MiB`, offset: 0 });
  const encoding = encodingFault(bytes);
  if (encoding) return unreadable(encoding);
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const bad = badByteOf(bytes);
  // Latin-1 maps every byte, so that a file that cannot be decoded still has lines to point at.
  const text = new TextDecoder(bad < 0 ? 'utf-8' : 'latin1').decode(bytes);
  if (bad >= 0)
    return {
      text,
      faults: [{ rule: 'file.not-utf8', message: 'the file is not UTF-8 text', fix: 'save it as UTF-8', offset: bad, end: bad + 1 }],
      isReadable: false,
    };
  const character = characterFault(text);
  if (character) return { text, faults: [{ ...character, end: character.offset + 1 }], isReadable: false };
  const cr = /\r(?!\n)/.exec(text);
  if (cr)
    return {
      text,
      faults: [
        {
          rule: 'file.lone-cr',
          message: 'a line ends in a lone carriage return (CR), as on old Macs',
          fix: 'save the file with LF line ends',
          offset: cr.index,
          end: cr.index,
        },
      ],
      isReadable: false,
    };
  const header = headerFault(text, hasMark);
  return { text, faults: header ? [header] : [], isReadable: true };
}
