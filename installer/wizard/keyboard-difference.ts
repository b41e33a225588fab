/** What a keyboard layout moves, compared with a US keyboard: the one that boot menus and remote consoles assume. */
import { KEYBOARDS } from '#installer/wizard/keyboards.gen.ts';

const US = KEYBOARDS['us'] ?? ['', ''];

/** Keys as they are labelled on a US keyboard, and what they type now; the same length. */
export interface MovedKeys {
  readonly labels: string;
  readonly types: string;
}

/** Plain and with Shift. Null for a layout that is not among those offered, and for one that moves nothing. */
export function movedKeys(keymap: string): readonly [plain: MovedKeys, shifted: MovedKeys] | null {
  const layout = KEYBOARDS[keymap];
  if (layout === undefined) return null;
  const levelOf = (level: 0 | 1): MovedKeys => {
    const now = [...layout[level]];
    const moved = [...US[level]]
      .map((label, i) => [label, now[i] ?? ' '] as const)
      .filter(([label, types]) => types !== ' ' && types !== label);
    return { labels: moved.map(([label]) => label).join(''), types: moved.map(([, types]) => types).join('') };
  };
  const [plain, shifted] = [levelOf(0), levelOf(1)];
  return plain.labels === '' && shifted.labels === '' ? null : [plain, shifted];
}

const placesOf = (layout: readonly [string, string], character: string): readonly number[] =>
  layout.flatMap((level, which) => [...level].flatMap((types, i) => (types === character ? [which * level.length + i] : [])));

/**
 * How many characters of a text lie on other keys of a US keyboard, or on none. Null for a layout that is not among those
 * offered. Only a number: the text may be a password.
 */
export function movedCount(keymap: string, text: string): number | null {
  const layout = KEYBOARDS[keymap];
  if (layout === undefined) return null;
  const isInPlace = (character: string): boolean => {
    if (character === ' ') return true;
    const usual = placesOf(US, character);
    return placesOf(layout, character).some((place) => usual.includes(place));
  };
  return [...text].filter((character) => !isInPlace(character)).length;
}
