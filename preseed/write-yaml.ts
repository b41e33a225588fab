/** Texts as YAML scalars that every reader takes for the same text. */
import { read11 } from './yaml11.ts';

const PLAIN = /^[A-Za-z0-9/][A-Za-z0-9_./@+-]*$/;

/** Plain where that is safe, single quotes where they do, double quotes for what needs an escape. */
export function yamlText(text: string): string {
  if (PLAIN.test(text) && read11(text) === null) return text;
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text))
    return JSON.stringify(text).replace(
      /[\u007f-\u009f\u2028\u2029\ufeff]/g,
      (ch) => `\\u${ch.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return `'${text.replaceAll("'", "''")}'`;
}

export const yamlList = (texts: readonly string[]): string => `[${texts.map(yamlText).join(', ')}]`;
