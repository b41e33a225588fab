/** How large a terminal is. A serial line reports 0x0 and has to be asked. */

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export const FALLBACK_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** Moves to the far corner, asks where that is, and comes back. The answer arrives as a `cursor` event of `TtyInput`. */
export const SIZE_QUERY = '\x1b7\x1b[999;999H\x1b[6n\x1b8';

/** How long a terminal may take to answer: a satellite serial-over-LAN link, not a person. */
const SIZE_ANSWER_MS = 400;

export interface SizeSource {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface CursorReports {
  once(event: 'cursor', listener: (at: { readonly row: number; readonly column: number }) => void): unknown;
  off(event: 'cursor', listener: (at: { readonly row: number; readonly column: number }) => void): unknown;
}

/** Asks the terminal for its size. Resolves to null when it does not answer in time. */
export function askSize(out: SizeSource, reports: CursorReports, waitMs: number = SIZE_ANSWER_MS): Promise<TerminalSize | null> {
  return new Promise((resolve) => {
    const answered = (at: { readonly row: number; readonly column: number }): void => {
      clearTimeout(timer);
      resolve({ columns: at.column, rows: at.row });
    };
    const timer = setTimeout(() => {
      reports.off('cursor', answered);
      resolve(null);
    }, waitMs);
    reports.once('cursor', answered);
    out.write(SIZE_QUERY);
  });
}

/** The size the terminal reports, else the one it answers, else 80x24. Never 0. */
export async function terminalSize(out: SizeSource, reports: CursorReports): Promise<TerminalSize> {
  if (out.columns && out.rows) return { columns: out.columns, rows: out.rows };
  return (await askSize(out, reports)) ?? FALLBACK_SIZE;
}
