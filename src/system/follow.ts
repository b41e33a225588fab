/** A process that is meant to run for ever and talks in lines. */
import { spawn } from 'node:child_process';
import { TOOL_PATH } from './run.ts';

export interface FollowOptions {
  readonly onLine: (line: string) => void;
  /** How it ended, in a few words; `not installed` when there is no such tool. */
  readonly onEnd: (why: string) => void;
  /** Longest line kept, characters; the rest of a longer one is dropped. */
  readonly maxLineChars?: number;
}

/** Starts it with an empty standard input. `stop` ends it; `onEnd` is called once, also then. */
export function follow(argv: readonly string[], options: FollowOptions): { stop(): void; readonly pid: number | undefined } {
  const [file, ...args] = argv;
  if (file === undefined) throw new Error('follow: empty argument list');
  const maxChars = options.maxLineChars ?? 64 * 1024;
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: TOOL_PATH, LC_ALL: 'C', HOME: '/root', TERM: 'dumb' },
  });
  let ended = false;
  const end = (why: string): void => {
    if (ended) return;
    ended = true;
    options.onEnd(why);
  };
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, maxChars);
    for (const line of lines) if (line !== '') options.onLine(line);
  });
  child.on('error', (e: NodeJS.ErrnoException) => end(e.code === 'ENOENT' ? 'not installed' : e.message));
  child.on('exit', (code, signal) => end(signal ? `ended by ${signal}` : `exit status ${code}`));
  return { stop: () => child.kill('SIGTERM'), pid: child.pid };
}
