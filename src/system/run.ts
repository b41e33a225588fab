/**
 * The only way this program starts another one: an argument list, never a shell; a time limit, always;
 * the C locale, so that output can be read; secrets on standard input, never as an argument.
 */
import { Secret } from '#model/secret.ts';

/** Directories searched for tools. Fixed, because the program must work with an empty PATH. */
export const TOOL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const DEFAULT_TIMEOUT_MS = 30_000;
const KILL_GRACE_MS = 2_000;
/** A process that a command left behind may hold its outputs open for ever; the command has ended all the same. */
const HELD_MS = 2_000;
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
const TAIL_LINES = 40;

export interface RunOptions {
  /** Default 30 s. After it the command gets SIGTERM, and SIGKILL 2 s later. */
  readonly timeoutMs?: number;
  /** Written to standard input, which is then closed. Without it standard input is empty. */
  readonly stdin?: string | Secret;
  readonly cwd?: string;
  /** Added to the small fixed environment (PATH, LC_ALL=C, HOME, TERM=dumb); nothing else is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called for each line as it comes; also for what ends in a carriage return, as progress figures do. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Ends the command early; the result is then `signaled`. */
  readonly signal?: AbortSignal;
  /** Bytes of each output kept; more is read and dropped. Default 8 MiB. */
  readonly maxBytes?: number;
}

interface RunOutput {
  readonly argv: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  /** The last lines of both outputs, in the order they came, for people. */
  readonly tail: readonly string[];
  readonly durationMs: number;
}

/** How a command ended. `not_started` holds the reason as an errno name, `ENOENT` when there is no such tool. */
export type RunResult = RunOutput &
  (
    | { readonly kind: 'exited'; readonly code: number }
    | { readonly kind: 'signaled'; readonly signal: string }
    | { readonly kind: 'timeout'; readonly timeoutMs: number }
    | { readonly kind: 'not_started'; readonly errno: string }
  );

/** What code that starts commands is given, so that a test can hand in its own. */
export type Runner = (argv: readonly string[], options?: RunOptions) => Promise<RunResult>;

export const succeeded = (result: RunResult): boolean => result.kind === 'exited' && result.code === 0;

/** One short clause: `exit status 2`, `ended by SIGKILL`, `no answer within 30 s`, `not installed`. */
export function describeEnd(result: RunResult): string {
  switch (result.kind) {
    case 'exited':
      return `exit status ${result.code}`;
    case 'signaled':
      return `ended by ${result.signal}`;
    case 'timeout':
      return `no end within ${Math.round(result.timeoutMs / 1000)} s`;
    case 'not_started':
      return result.errno === 'ENOENT' ? 'not installed' : `could not be started (${result.errno})`;
  }
}

/** Mount's hint at the kernel's log says nothing by itself. */
const EMPTY_HINT = /^\s*dmesg\(1\)/;

/** Why a command failed, for people: the last line that it said, else how it ended. */
export const whyFailed = (result: RunResult): string =>
  result.tail
    .filter((line) => line.trim() !== '' && !EMPTY_HINT.test(line))
    .at(-1)
    ?.trim()
    .replace(/\.$/, '') ?? describeEnd(result);

/** Thrown by `runOk` for every end but exit status 0. */
export class CommandError extends Error {
  readonly result: RunResult;

  constructor(result: RunResult) {
    super(`${result.argv[0]}: ${describeEnd(result)}`);
    this.name = 'CommandError';
    this.result = result;
  }
}

/** Splits a byte stream at \n, \r and backspaces (progress figures), keeping what is incomplete until the next piece. */
function lineSplitter(emit: (line: string) => void): { push(text: string): void; end(): void } {
  let rest = '';
  return {
    push(text) {
      const parts = (rest + text).split(/\r\n|\n|\r|\u0008+/);
      rest = parts.pop() ?? '';
      // A tool that prints without line ends must not make this grow for ever.
      if (rest.length > 65_536) rest = rest.slice(-65_536);
      for (const line of parts) if (line !== '') emit(line);
    },
    end() {
      if (rest !== '') emit(rest);
      rest = '';
    },
  };
}

function environment(extra: RunOptions['env']): Record<string, string> {
  return { PATH: TOOL_PATH, LC_ALL: 'C', HOME: '/root', TERM: 'dumb', ...extra };
}

/** Collects one output: text up to `maxBytes`, whole lines to `emit`. */
function collector(maxBytes: number, emit: (line: string) => void) {
  const decoder = new TextDecoder();
  const lines = lineSplitter(emit);
  let text = '';
  return {
    data(chunk: Uint8Array) {
      const piece = decoder.decode(chunk, { stream: true });
      if (text.length < maxBytes) text += piece.slice(0, maxBytes - text.length);
      lines.push(piece);
    },
    end: () => lines.end(),
    text: () => text,
  };
}

/**
 * Runs a command to its end. Never throws for what the command does: read `kind` of the result.
 * `argv[0]` is a name looked up in TOOL_PATH, or a path.
 */
export const run: Runner = async (argv, options = {}) => {
  const { execa } = await import('execa');
  const [file, ...args] = argv;
  if (file === undefined) throw new Error('run: empty argument list');
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const tail: string[] = [];
  const line = (stream: 'stdout' | 'stderr') => (text: string) => {
    tail.push(text);
    if (tail.length > TAIL_LINES) tail.shift();
    options.onLine?.(text, stream);
  };
  const out = collector(maxBytes, line('stdout'));
  const err = collector(maxBytes, line('stderr'));
  const input = options.stdin instanceof Secret ? options.stdin.reveal() : options.stdin;
  const startedMs = performance.now();
  const child = execa(file, args, {
    env: environment(options.env),
    extendEnv: false,
    reject: false,
    buffer: false,
    encoding: 'buffer',
    stripFinalNewline: false,
    timeout: timeoutMs,
    forceKillAfterDelay: KILL_GRACE_MS,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  child.stdout?.on('data', out.data);
  child.stderr?.on('data', err.data);
  let held: NodeJS.Timeout | undefined;
  child.nodeChildProcess.once('exit', () => {
    held = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, HELD_MS);
  });
  const end = await child;
  clearTimeout(held);
  out.end();
  err.end();
  const output = { argv, stdout: out.text(), stderr: err.text(), tail, durationMs: performance.now() - startedMs };
  if (end.timedOut) return { ...output, kind: 'timeout', timeoutMs };
  if (end.signal !== undefined) return { ...output, kind: 'signaled', signal: end.signal };
  if (end.isCanceled) return { ...output, kind: 'signaled', signal: 'SIGTERM' };
  if (end.exitCode !== undefined) return { ...output, kind: 'exited', code: end.exitCode };
  return { ...output, kind: 'not_started', errno: end.code ?? 'UNKNOWN' };
};

/** Runs a command that must succeed and gives its standard output. Throws CommandError otherwise. */
export async function runOk(argv: readonly string[], options?: RunOptions, runner: Runner = run): Promise<string> {
  const result = await runner(argv, options);
  if (!succeeded(result)) throw new CommandError(result);
  return result.stdout;
}
