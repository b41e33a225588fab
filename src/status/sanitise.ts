/** Text from devices, files and other programs, made safe for a terminal. */

/** ANSI sequences (CSI, OSC, and two-character escapes), C0 and C1 controls. */
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]/g;
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Printable text on one line: sequences gone, tabs and line ends to blanks, other controls and invisible marks gone. */
export function plainText(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/[\t\n\r]+/g, ' ')
    .replace(CONTROLS, '');
}

/** Deeper than any document of ours; JSON can be nested until a recursion breaks. */
const MAX_DEPTH = 32;

/** The same for every string inside a JSON value, keys included. What lies too deep is null. */
export function plainJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return plainText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((v) => plainJson(v, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [plainText(k), plainJson(v, depth + 1)]));
}
