/** Standard error, for people: what a complaint quotes may come from a file or a device and never moves their cursor. */
import { printable } from './log.ts';

/** Writes the text as it is, line ends included, with control characters spelled out. */
export function complain(text: string): void {
  process.stderr.write(printable(text));
}
