/**
 * Screens draw with the glyphs that both the kernel font and Debian's console fonts have.
 * A terminal without UTF-8 gets the ASCII character named here, cell for cell, so no screen needs a second layout.
 */
const ASCII_FOR: ReadonlyMap<string, string> = new Map([
  ...pairs('─═', '--'),
  ...pairs('│║', '||'),
  ...pairs('┌┐└┘├┤┬┴┼╔╗╚╝', '+++++++++++++'),
  ...pairs('█▒░■', '#:.#'),
  // A warning sign first, and `•` never the same as `·`: in order and not yet are told apart by them.
  ...pairs('←↑→↓▲▼▶◀', '<^>v!v><'),
  ...pairs('•·×°±µ≤≥≈', '*.xo+u<>~'),
  ...pairs('äöüéßÄÖÜ', 'aouesAOU'),
]);

function pairs(from: string, to: string): [string, string][] {
  return [...from].map((character, index) => [character, to[index] ?? '?']);
}

/** The ASCII stand-in for one character; `?` where there is none. */
export function toAscii(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x7f) return character;
  return ASCII_FOR.get(character) ?? '?';
}
