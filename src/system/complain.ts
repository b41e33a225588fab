/** Standard error, for people: what a complaint quotes may come from a file or a device and never moves their cursor. */
import { printable } from './log.ts';

/** What a caught value has to say. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Writes the text as it is, line ends included, with control characters spelled out. */
export function complain(text: string): void {
  process.stderr.write(printable(text));
}

/**
 * The words of a call, or the exit status with which it ends at once: 2 for words that are wrong (`words` says how; told with the
 * usage), 0 when only the usage was wanted.
 */
export function wordsOrEnd<W extends { readonly help?: boolean | undefined }>(
  words: W | string,
  program: string,
  usage: string,
): W | 0 | 2 {
  if (typeof words === 'string') {
    complain(`${program}: ${words}\n${usage}`);
    return 2;
  }
  if (!words.help) return words;
  process.stdout.write(usage);
  return 0;
}
