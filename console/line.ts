/** What kind of line a terminal is at the end of, by its device. */

/** `screen`: a virtual terminal of this machine. `pty`: a program's, as of ssh. `serial`: everything that may be slow and torn. */
export type LineKind = 'screen' | 'pty' | 'serial';

/** What cannot be told counts as serial: a key too late is better than half of one. */
export function lineOf(device: string | null): LineKind {
  if (device === null) return 'serial';
  if (/^\/dev\/tty\d+$/.test(device)) return 'screen';
  return /^\/dev\/pts\/\d+$/.test(device) ? 'pty' : 'serial';
}

/** A lone Esc is answered within 100 ms where keys come in one piece; serial-over-LAN tears them apart. */
export const escapeWaitMs = (line: LineKind): number => (line === 'serial' ? 600 : 60);
