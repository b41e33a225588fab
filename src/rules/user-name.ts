/** The shape of an account name, and what is wrong with a text that has another one; nothing of the text is repeated. */

const NAME = /^[a-z_][a-z0-9_-]*\$?$/;
export const MAX_NAME = 32;

/** The shape that useradd takes; the length is judged apart. */
export const hasNameShape = (name: string): boolean => NAME.test(name);

/** False: the text may be anything, a password that was put into the wrong key as well, and is not to be shown. */
export const isUserName = (name: string): boolean => hasNameShape(name) && name.length <= MAX_NAME;

function kindOf(ch: string): string {
  if (/[A-Z]/.test(ch)) return 'a capital letter';
  if (/[0-9]/.test(ch)) return 'a digit';
  if (ch === '-') return 'a hyphen';
  if (ch === ' ') return 'a blank';
  if (/[\u0000-\u001f\u007f-\u009f]/.test(ch)) return 'a control character';
  return /[^\u0000-\u007f]/.test(ch) ? 'a character outside ASCII' : 'a sign';
}

/** `character 3 is a capital letter`: the first one that may not stand where it does. */
export function wrongCharacter(name: string): string {
  const chars = [...name];
  const at = chars.findIndex((ch, i) => !(i === 0 ? /[a-z_]/ : /[a-z0-9_-]/).test(ch));
  return `character ${at + 1} is ${kindOf(chars[at] ?? '')}`;
}
