/** The words `spatium-console` understands. */
import { parseArgs } from 'node:util';
import { PATHS } from '#model/limits.ts';
import { POLICY_FILE } from '#status/policy.ts';

export const USAGE = `usage: spatium-console [--tty DEV] [--socket PATH] [--control PATH] [--ascii] [--mono]

  --tty DEV       draw on this terminal and stay (default: the one it is started from)
  --socket PATH   status socket of the supervisor (default ${PATHS.statusSocket})
  --control PATH  control socket, for actions (default: control.sock beside the status socket)
  --ascii         draw with ASCII characters only
  --mono          draw without colours; NO_COLOR does the same

TERM and the locale say what the terminal can show. A terminal that tells no size is asked for it.
Without a supervisor it shows what this machine tells by itself, and keeps looking for one. To try both:

  spatium supervise --socket /tmp/status.sock --control /tmp/control.sock &
  spatium-console --socket /tmp/status.sock

Keys that do something now are shown at the bottom, all of them behind F10. Ctrl-L draws the screen again and asks for its
size. Ctrl-C leaves, unless --tty is given. Actions are confirmed, No by default; ${POLICY_FILE} says which
there are and whether they want the password of an administrator.

exit: 0 ended, 2 wrong call
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
