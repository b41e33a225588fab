/** Standard input as bytes. */

/** A file that is open, but of which nothing useful came; the message is for the operator. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** A pipe that is silent for so long is given up: nobody may be there to end a run that waits. */
const SILENCE_MS = 60_000;

export interface StdinOptions {
  /** Of a pipe, not of a terminal, where somebody sits. */
  readonly silenceMs?: number;
}

/**
 * At most `maxBytes`; what follows is left unread.
 * Throws InputError when a pipe stays silent.
 */
export async function readStdin(maxBytes: number, { silenceMs = SILENCE_MS }: StdinOptions = {}): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const giveUp = (): void => {
    process.stdin.destroy(new InputError(`no data came on standard input within ${silenceMs / 1000} s`));
  };
  const timer = process.stdin.isTTY ? null : setTimeout(giveUp, silenceMs);
  try {
    for await (const chunk of process.stdin) {
      timer?.refresh();
      const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : new Uint8Array(chunk as Uint8Array);
      chunks.push(bytes.subarray(0, maxBytes - length));
      length += chunks.at(-1)?.length ?? 0;
      if (length >= maxBytes) break;
    }
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** True when somebody would have to type what is read. */
export const isInputTerminal = (): boolean => process.stdin.isTTY === true;
