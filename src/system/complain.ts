/** Standard error, for people: what a complaint quotes may come from a file or a device and never moves their cursor. */
import { printable } from './log.ts';

/** What a caught value has to say. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Writes the text as it is, line ends included, with control characters spelled out. */
export function complain(text: string): void {
  process.stderr.write(printable(text));
}
