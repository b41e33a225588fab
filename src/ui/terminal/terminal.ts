/** One terminal with everything set up: size known, raw, painted through a `Screen`, read through a `TtyInput`. */
import type { RenderOptions } from 'ink';
import type { TerminalProfile } from '#ui/profile.ts';
import { type RawInput, TtyInput } from '#ui/terminal/input.ts';
import { type RawOutput, Screen } from '#ui/terminal/screen.ts';
import { askSize, terminalSize } from '#ui/terminal/size.ts';

export interface Terminal {
  readonly screen: Screen;
  readonly input: TtyInput;
  readonly profile: TerminalProfile;
  /** Restores cursor, colours and cooked mode. Safe to call twice. */
  close(): void;
}

/**
 * Takes over a terminal. Ctrl-L repaints, and asks for the size again where the terminal reports none.
 * @param profile must be addressable; a dumb terminal is asked line by line instead
 * @param escapeWaitMs how long after Esc the rest of a key may come; more for lines that tear keys apart
 */
export async function openTerminal(
  rawInput: RawInput,
  rawOutput: RawOutput,
  profile: TerminalProfile,
  escapeWaitMs?: number,
): Promise<Terminal> {
  const input = new TtyInput(rawInput, escapeWaitMs);
  input.setRawMode(true);
  const size = await terminalSize(rawOutput, input);
  const screen = new Screen(rawOutput, { profile, size });
  const reportsSize = (): boolean => Boolean(rawOutput.columns && rawOutput.rows);
  input.on('repaint', () => {
    screen.repaint();
    if (reportsSize()) return;
    void askSize(rawOutput, input).then((answer) => {
      if (answer && (answer.columns !== screen.columns || answer.rows !== screen.rows)) screen.resize(answer);
    });
  });
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    screen.end();
    input.close();
  };
  return { screen, input, profile, close };
}

/** With these Ink hands each frame over whole, as the screen needs it, and leaves keys and console to us. */
export const inkOptions = ({ screen, input }: Terminal): RenderOptions => ({
  stdout: screen as unknown as NodeJS.WriteStream,
  stdin: input as unknown as NodeJS.ReadStream,
  debug: true,
  interactive: true,
  patchConsole: false,
  exitOnCtrlC: false,
});

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

/**
 * Restores terminals when the process is about to end, by itself or by a signal; the signal then has its usual effect.
 * Returns a function that stops guarding.
 * @param onInterrupt takes SIGINT instead: a terminal in line mode turns Ctrl-C into this signal, and it is a key then
 */
export function guardTerminals(terminals: readonly Pick<Terminal, 'close'>[], onInterrupt?: () => void): () => void {
  const closeAll = (): void => {
    for (const terminal of terminals) terminal.close();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGINT' && onInterrupt) {
      onInterrupt();
      return;
    }
    stop();
    closeAll();
    // Ink listens too and would wait for a loop that has nothing left to do; this ends with the signal, now.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    process.off('exit', closeAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  process.on('exit', closeAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return stop;
}
