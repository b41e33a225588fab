/** Terminals by device name, and the one this process was started on. */
import fs from 'node:fs';
import tty from 'node:tty';

export interface TtyStreams {
  readonly input: tty.ReadStream;
  readonly output: tty.WriteStream;
}

/** The terminal of standard input and output; null when either is none (a pipe, a file, a service). */
export function ownTerminal(): TtyStreams | null {
  return process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : null;
}

/**
 * Opens a terminal device, `/dev/ttyS0`. It does not become the controlling terminal, and a serial line without
 * carrier does not block. Throws the system's error when there is no such device, or when it is no terminal.
 */
export function openTty(device: string): TtyStreams {
  const flags = fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK;
  const fd = fs.openSync(device, flags);
  if (!tty.isatty(fd)) {
    fs.closeSync(fd);
    throw new Error(`${device} is no terminal`);
  }
  return { input: new tty.ReadStream(fd), output: new tty.WriteStream(fs.openSync(device, flags)) };
}
