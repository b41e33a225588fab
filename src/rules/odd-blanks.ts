/** Characters that look like a space, or like nothing at all, and are neither: what a wiki, a mail or a word processor leaves in a text. */
import type { Fault } from './case.ts';

const ODD = /[\u00a0\u00ad\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2028\u2029\u2060\ufeff]/;
const NAMES: Readonly<Record<string, string>> = {
  '\u00a0': 'a no-break space (NBSP, U+00A0)',
  '\u00ad': 'a soft hyphen (U+00AD)',
  '\u200b': 'a zero-width space (U+200B)',
  '\u202f': 'a narrow no-break space (U+202F)',
  '\ufeff': 'a byte order mark, or zero-width no-break space (U+FEFF)',
};

/** The character in words, with its code point. */
export function oddBlankName(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return NAMES[character] ?? `${INVISIBLE.test(character) ? 'the invisible character' : 'the special blank'} U+${code}`;
}

export const hasOddBlank = (text: string): boolean => ODD.test(text);

/** null where the text holds none. Names the first one, never the text around it. `wanted`: what may stand there instead. */
export function oddBlankFault(text: string, wanted?: string): Fault | null {
  const found = ODD.exec(text)?.[0];
  if (found === undefined) return null;
  const isInvisible = INVISIBLE.test(found);
  return {
    rule: 'value.odd-blank',
    message: `holds ${oddBlankName(found)}, a character that ${isInvisible ? 'cannot be seen' : 'only looks like a space'}${wanted === undefined ? '' : `; ${wanted}`}`,
    fix: isInvisible ? 'take it out, or type the value anew' : 'put a plain space there, or take it out',
  };
}

/** Invisible characters and blanks at the ends go; what stands between two visible characters becomes `between`, null: stays. */
export function withoutOddBlanks(text: string, between: string | null): string {
  const visible = text.replace(new RegExp(INVISIBLE, 'g'), '').trim();
  return between === null ? visible : visible.replace(new RegExp(ODD, 'g'), between);
}
