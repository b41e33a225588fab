/** Which program am I? Decides by the name it was called by, or by the first word, and loads that face only. */
import type { Host, RunFace } from '#model/host.ts';
import { resolveCall, usage } from './calls.ts';
import { loadFace } from './load-face.ts';

declare const SPATIUM_VERSION: string | undefined;
const VERSION = typeof SPATIUM_VERSION === 'string' ? SPATIUM_VERSION : '0.0.0-dev';

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const call = resolveCall(process.argv0, args);
  const asksVersion = args[0] === '--version' || args[0] === '-V' || (args.length === 2 && args[1] === '--version');
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
    process.stderr.write(
      `spatium: ${error instanceof Error ? (process.env['SPATIUM_DEBUG'] ? error.stack : error.message) : String(error)}\n`,
    );
    process.exitCode = 70;
  },
);
