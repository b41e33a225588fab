/** Which program am I? Decides by the name it was called by, or by the first word, and loads that face only. */
import type { Host, RunFace } from '#model/host.ts';
import { resolveCall, usage } from './calls.ts';
import { loadFace } from './load-face.ts';

declare const SPATIUM_VERSION: string | undefined;
const VERSION = typeof SPATIUM_VERSION === 'string' ? SPATIUM_VERSION : '0.0.0-dev';

/** Control characters of a message spelled out: it may quote a file. */
const shown = (text: string): string =>
  text.replace(/[^\n\x20-\x7e\u00a0-\uffff]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);

/**
 * Standard output that takes no more. Its reader has left (`| head`): nothing is said; a command that is done keeps its
 * exit code, one still at work ends with 141, as by SIGPIPE. Anything else, a full disk: one line, and 74 (EX_IOERR).
 */
function endOfOutput(error: NodeJS.ErrnoException): void {
  // A terminal that is gone sends SIGHUP, and each face knows what that means.
  if (process.stdout.isTTY) return;
  if (error.code === 'EPIPE') setImmediate(() => process.exit(process.exitCode ?? 141));
  else {
    process.stderr.write(`spatium: cannot write to standard output: ${shown(error.message)}\n`);
    process.exit(74);
  }
}

/** Making the two streams costs a short run a tenth of its time, so the linter, which writes without them, is spared. */
function watchStreams(): void {
  process.stdout.on('error', endOfOutput);
  // Nobody is left to tell, and the exit code still says how it went.
  process.stderr.on('error', () => undefined);
}

const isWriteError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && error.syscall === 'write' && 'code' in error && error.code !== 'EPIPE';

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const call = resolveCall(process.argv0, args);
  if (call?.entry.face !== 'lint') watchStreams();
  // After any command and sub-command, as the only option.
  const options = args.filter((word) => word.startsWith('-'));
  const asksVersion = args[0] === '-V' || args[0] === '--version' || (options.length === 1 && args.at(-1) === '--version');
  if (asksVersion) {
    process.stdout.write(`${call?.program ?? 'spatium'} ${VERSION}\n`);
    return 0;
  }
  if (!call) {
    const wantsHelp = args[0] === '--help' || args[0] === '-h' || args[0] === 'help';
    if (!wantsHelp && args[0] !== undefined) process.stderr.write(`spatium: unknown command "${args[0].replace(/[^\x20-\x7e]/g, '?')}"\n`);
    (wantsHelp ? process.stdout : process.stderr).write(usage());
    return wantsHelp ? 0 : 2;
  }
  const host: Host = { program: call.program, version: VERSION, load: loadFace };
  const face = (await loadFace(call.entry.face)) as { run: RunFace };
  return face.run(call.argv, host);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (isWriteError(error)) return endOfOutput(error);
    const text = error instanceof Error ? (process.env['SPATIUM_DEBUG'] ? error.stack : error.message) : String(error);
    process.stderr.write(`spatium: ${shown(text ?? '')}\n`);
    process.exitCode = 70;
  },
);
