/** Text to standard output and standard error, written at once. Node's own streams cost a short run a fifth of its time. */
import fs from 'node:fs';
import { errnoOf } from './files.ts';

/** Whoever reads the output may stop early (`| head`); the exit code still tells the verdict. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function write(fd: 1 | 2, text: string): void {
  const bytes = new TextEncoder().encode(text);
  let done = 0;
  while (done < bytes.length) {
    try {
      done += fs.writeSync(fd, bytes, done);
    } catch (error) {
      if (errnoOf(error) === 'EPIPE') return;
      if (errnoOf(error) !== 'EAGAIN') throw error;
      // A pipe that somebody made non-blocking is full: the stream waits for its reader.
      const stream = fd === 1 ? process.stdout : process.stderr;
      if (stream.listenerCount('error') === 0) stream.on('error', ignoreClosedPipe);
      stream.write(bytes.subarray(done));
      return;
    }
  }
}

export const writeOut = (text: string): void => write(1, text);
export const writeError = (text: string): void => write(2, text);

/** Major number of /dev/null and its like on Linux. */
const MEMORY_DEVICES = 1;

/** True when standard error is a terminal. Its stream is made only when nothing cheaper tells. */
export function isErrorTerminal(): boolean {
  try {
    const stat = fs.fstatSync(2);
    if (!stat.isCharacterDevice() || stat.rdev >> 8 === MEMORY_DEVICES) return false;
    return /^\/dev\/(pts\/[0-9]+|tty[A-Za-z0-9]*|console)$/.test(fs.readlinkSync('/proc/self/fd/2')) || process.stderr.isTTY === true;
  } catch {
    return false;
  }
}
