/** `spatium pair`: gives this box a pairing code. */
import { parseArgs } from 'node:util';
import type { Target } from '#boot/target.ts';
import type { RunFace } from '#model/host.ts';
import { Secret } from '#model/secret.ts';
import { readControlPlaneUrl, readPairingCode } from '#rules/control-plane.ts';
import { askHidden } from '#system/ask.ts';
import { complain, messageOf, wordsOrEnd } from '#system/complain.ts';
import { errnoOf } from '#system/files.ts';
import { run as runCommand } from '#system/run.ts';
import { AGENT_LABEL, pairPlace, resetIdentity, setPairing } from './identity/pair.ts';

const USAGE = `usage: spatium pair [--url URL] [--reset] [--root DIR]

Sets or replaces the pairing code of this appliance. The 8 digits are asked for, or read from standard input;
they are never an argument, since every user of a machine can read those. Needs root.

  --url URL   the panel or control plane, when it is another one than now; http:// is asked once for its https://
  --reset     first forget who this box is
  --root DIR  the system below DIR instead of the running one

exit: 0 set, 1 not set (reason printed), 2 wrong call
`;

const UNIT = 'spatium-supervisor.service';

interface Words {
  readonly url?: string | undefined;
  readonly reset?: boolean | undefined;
  readonly root?: string | undefined;
  readonly help?: boolean | undefined;
}

function parseWords(argv: readonly string[]): Words | string {
  try {
    const options = { url: { type: 'string' }, reset: { type: 'boolean' }, root: { type: 'string' }, help: { type: 'boolean' } } as const;
    const { values } = parseArgs({ args: [...argv], options });
    return values.root === '' ? '--root wants a value' : values;
  } catch (error) {
    return messageOf(error);
  }
}

/** A reading without its warnings; @throws Error with the first fault when there is no value */
function readingOf(what: string, reading: ReturnType<typeof readPairingCode>): string {
  if (reading.value !== null) return reading.value;
  const fault = reading.faults[0];
  throw new Error(`${what} ${fault?.message ?? 'is not valid'}${fault?.fix === undefined ? '' : `; ${fault.fix}`}`);
}

async function pair(words: Words, note: (text: string) => void): Promise<void> {
  const target: Target = { root: words.root ?? '/', run: runCommand, note };
  const place = await pairPlace(target);
  if (typeof place === 'string') throw new Error(place);
  const wanted = words.url ?? place.url;
  if (wanted === null) throw new Error('no panel is known here; give --url https://HOST');
  const address = words.url === undefined ? wanted : readingOf('--url', readControlPlaneUrl(words.url));
  const typed = await askHidden('Pairing code: ');
  if (typed === null) throw new Error('given up; nothing was changed');
  // The code itself is in no message.
  const code = new Secret(readingOf('the pairing code', readPairingCode(typed)));
  const { url, isNewUrl } = await setPairing(place, code, address);
  // Only now: an address that is refused must not cost the identity.
  const wasSomebody = words.reset === true && (await resetIdentity(target));
  if (wasSomebody) note('the old identity is forgotten');
  note(`the code is set; approve this box at ${url}`);
  if (target.root === '/') await restart(place.isPulling, isNewUrl || wasSomebody, note);
}

/** A running supervisor sees a new code by itself, but has read the address at its start; the agent in k3s reads all at its start. */
async function restart(isPulling: boolean, isOther: boolean, note: (text: string) => void): Promise<void> {
  if (isPulling && !isOther) return;
  const argv = isPulling
    ? ['systemctl', 'try-restart', UNIT]
    : ['k3s', 'kubectl', '-n', 'spatium', 'delete', 'pod', '-l', AGENT_LABEL, '--wait=false'];
  const result = await runCommand(argv, { timeoutMs: 60_000 });
  if (result.kind !== 'exited' || result.code !== 0)
    note(`it could not be restarted, so the new settings count at its next start; do: ${argv.join(' ')}`);
}

export const run: RunFace = async (argv, host) => {
  const words = wordsOrEnd(parseWords(argv), host.program, USAGE);
  if (typeof words === 'number') return words;
  try {
    await pair(words, (text) => complain(`${text}\n`));
    return 0;
  } catch (error) {
    const isRefused = ['EACCES', 'EPERM'].includes(errnoOf(error) ?? '');
    complain(`${host.program}: ${messageOf(error)}${isRefused ? '; run as root' : ''}\n`);
    return 1;
  }
};
