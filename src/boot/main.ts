/** What runs on the installed system at boot, and the tools for it. */

import type { RunFace } from '#model/host.ts';
import { complain, messageOf } from '#system/complain.ts';
import { ensureDir } from '#system/files.ts';
import { Log } from '#system/log.ts';
import { run as runCommand } from '#system/run.ts';
import { espSyncCommand } from './esp-sync-command.ts';
import { NETWORK_USAGE, networkCommand, readNetworkCall } from './network-command.ts';
import { renderEtc } from './render.ts';
import { readSlotCall, SLOT_USAGE, slotCommand } from './slot-command.ts';
import { renderSshKeys } from './ssh-keys.ts';
import type { Target } from './target.ts';

const LOG_DIR = '/var/log/spatiumddi';

const RENDER_USAGE = `usage: spatium render [--only etc|ssh] [--root DIR]

Writes host name, machine id, network profile, role and SSH host keys from the STATE partition into /etc.
Runs at every boot; running it again changes nothing. Needs root.

  --only etc   all but making SSH host keys (the early boot step)
  --only ssh   SSH host keys, made now if there are none
  --root DIR   the system below DIR instead of the running one

exit: 0 rendered, 1 a part failed with its reason printed and the others done, 2 wrong call
`;

interface RenderOptions {
  readonly only: 'etc' | 'ssh' | null;
  readonly root: string;
}

function readRenderOptions(argv: readonly string[]): RenderOptions | string {
  let only: RenderOptions['only'] = null;
  let root = '/';
  for (let i = 0; i < argv.length; i += 2) {
    const value = argv[i + 1];
    if (argv[i] === '--only' && (value === 'etc' || value === 'ssh')) only = value;
    else if (argv[i] === '--root' && value !== undefined && value !== '') root = value;
    else return `spatium render: ${JSON.stringify(argv[i])} is not an option, or its value is wrong`;
  }
  return { only, root };
}

async function render(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(RENDER_USAGE);
    return 0;
  }
  const options = readRenderOptions(argv);
  if (typeof options === 'string') {
    complain(`${options}\n${RENDER_USAGE}`);
    return 2;
  }
  let log: Log | null = null;
  if (options.root === '/') {
    await ensureDir(LOG_DIR);
    log = new Log({ path: `${LOG_DIR}/etc-render.log` });
  }
  const note = (text: string): void => {
    log?.write(text);
    complain(`${text}\n`);
  };
  const target: Target = { root: options.root, run: runCommand, note };
  const failures = options.only === 'ssh' ? [] : [...(await renderEtc(target))];
  if (options.only !== 'etc') {
    await renderSshKeys(target, true).catch((error: unknown) => {
      failures.push(`SSH host keys: ${messageOf(error)}`);
    });
  }
  for (const failure of failures) note(`failed: ${failure}`);
  return failures.length === 0 ? 0 : 1;
}

const USAGE = `usage: spatium render [OPTION...]
       spatium network check|adopt [OPTION...]
       spatium esp-sync [--check]
       spatium slot status|set-next-boot|set-default|commit|rollback|prepare|render [SLOT]
       spatium slot apply IMAGE --sha256 HEX

--help after each tells more.
`;

async function network(words: readonly string[], isLink: boolean): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(NETWORK_USAGE);
    return 0;
  }
  const call = readNetworkCall(words, isLink);
  if (call === null) {
    complain(NETWORK_USAGE);
    return 2;
  }
  const note = (text: string): void => {
    complain(`${text}\n`);
  };
  const { text, code } = await networkCommand({ root: '/', run: runCommand, note }, call);
  process.stdout.write(text);
  return code;
}

async function slot(words: readonly string[], program: string): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(SLOT_USAGE);
    return 0;
  }
  const call = readSlotCall(words);
  if (typeof call === 'string') {
    complain(`${program}: ${call}\n${SLOT_USAGE}`);
    return 2;
  }
  const note = (text: string): void => {
    complain(`${text}\n`);
  };
  const { text, code } = await slotCommand({ root: '/', run: runCommand, note }, call, process.getuid?.() === 0);
  process.stdout.write(text);
  return code;
}

export const run: RunFace = async (argv, host) => {
  const [word, ...rest] = argv;
  try {
    if (word === 'render') return await render(rest);
    if (word === 'esp-sync') return await espSyncCommand(rest, host.program);
    if (word === 'slot') return await slot(rest, host.program);
    if (word === 'network') return await network(rest, host.program === 'spatium-network-adopt');
  } catch (error) {
    complain(`${host.program}: ${messageOf(error)}\n`);
    return 1;
  }
  complain(USAGE);
  return 2;
};
