/** The words `spatium-console` understands. */
import { parseArgs } from 'node:util';
import { PATHS } from '#model/limits.ts';

export const USAGE = `usage: spatium-console [--tty DEV] [--socket PATH] [--ascii] [--mono]

  --tty DEV      draw on this terminal (default: the one it is started from)
  --socket PATH  status socket of the supervisor (default ${PATHS.statusSocket})
  --control PATH control socket (default: control.sock beside the status socket)
  --ascii        draw with ASCII characters only
  --mono         draw without colours

exit: 0 ended, 2 wrong call

F-keys are shown at the bottom; Ctrl-L draws the screen again. Ctrl-C leaves, unless --tty is given.
`;

export interface ConsoleOptions {
  readonly tty: string | null;
  readonly socket: string;
  readonly control: string;
  readonly ascii: boolean;
  readonly mono: boolean;
  readonly help: boolean;
}

const TTY_NAME = /^\/?[A-Za-z0-9][A-Za-z0-9/._-]*$/;

/** Throws an Error with a sentence for people when the words make no sense. */
export function parseOptions(argv: readonly string[]): ConsoleOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      tty: { type: 'string' },
      socket: { type: 'string' },
      control: { type: 'string' },
      ascii: { type: 'boolean' },
      mono: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const tty = values.tty ?? null;
  if (tty !== null && !TTY_NAME.test(tty)) throw new Error(`--tty wants a terminal such as ttyS0 or /dev/tty1, not "${tty}"`);
  const socket = values.socket ?? PATHS.statusSocket;
  return {
    tty: tty === null || tty.startsWith('/') ? tty : `/dev/${tty}`,
    socket,
    control: values.control ?? `${socket.slice(0, socket.lastIndexOf('/') + 1)}control.sock`,
    ascii: values.ascii ?? false,
    mono: values.mono ?? false,
    help: values.help ?? false,
  };
}
