/** Keyboard layout codes. Only the shape is judged: which layouts exist is known by the image alone. */
import type { Case, Fault } from './case.ts';

const SHAPE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,31}$/;

function keymapFaults(text: string): readonly Fault[] {
  if (SHAPE.test(text)) return [];
  return [
    {
      rule: 'keymap.characters',
      message: 'is no keyboard layout code: 1 to 32 letters, digits, dots, hyphens and underscores',
      fix: 'write a code such as us, de or fr',
    },
  ];
}

/** The keyboard layout's code, by its shape: `keymap.*`. */
export function judgeKeymap(c: Case): void {
  if (c.answers.keymap !== undefined) for (const fault of keymapFaults(c.answers.keymap)) c.report('keymap', fault);
}
