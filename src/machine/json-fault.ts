/** Where a text stops being JSON, in words a person can look up; the parser's own words name only an offset, if that. */

type Wanted = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma' | 'end';

const BLANKS = /[ \t\r\n]*/y;
/** Strings as lax as the repair of lsblk's output makes them. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;

/** What may follow `token`, or null when it may not stand here. `open` holds the brackets that are open. */
function next(wanted: Wanted, token: string, open: string[]): Wanted | null {
  const isObject = open.at(-1) === '{';
  const closes = wanted === 'comma' || wanted === (isObject ? 'key-or-end' : 'value-or-end');
  if (token === '}' || token === ']') {
    if (!closes || open.length === 0 || isObject !== (token === '}')) return null;
    open.pop();
    return open.length === 0 ? 'end' : 'comma';
  }
  if (token === ',') return wanted === 'comma' ? (isObject ? 'key' : 'value') : null;
  if (token === ':') return wanted === 'colon' ? 'value' : null;
  if (wanted === 'key' || wanted === 'key-or-end') return token.startsWith('"') ? 'colon' : null;
  if (wanted !== 'value' && wanted !== 'value-or-end') return null;
  if (token === '{' || token === '[') {
    open.push(token);
    return token === '{' ? 'key-or-end' : 'value-or-end';
  }
  return open.length === 0 ? 'end' : 'comma';
}

/** Offset of the first character that cannot stand where it does; the length of the text when it only ends too early. */
function faultOffset(text: string): number {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  for (let at = 0; ; ) {
    BLANKS.lastIndex = at;
    at += BLANKS.exec(text)?.[0].length ?? 0;
    TOKEN.lastIndex = at;
    const token = at < text.length ? TOKEN.exec(text)?.[0] : undefined;
    const following: Wanted | null = token === undefined ? null : next(wanted, token, open);
    if (token === undefined || following === null) return at;
    wanted = following;
    at += token.length;
  }
}

/** `the file is empty`, `it ends too early, in line 3`, `first fault at line 2 column 7`; for a text that was found not to parse. */
export function jsonFault(text: string): string {
  if (text.trim() === '') return 'the file is empty';
  const at = faultOffset(text);
  const lines = text.slice(0, at).split('\n');
  if (at >= text.length) return `it ends too early, in line ${text.trimEnd().split('\n').length}`;
  return `first fault at line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
