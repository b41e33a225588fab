/** `spatium-console`: the dashboard on this terminal, or on the one named. */
import { complain } from '#system/complain.ts';
import '#ui/terminal/ink-environment.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunFace } from '#model/host.ts';
import { PATHS } from '#model/limits.ts';
import { POLICY_FILE, parsePolicy } from '#status/policy.ts';
import type { Clock } from '#status/store.ts';
import { readTextIfExists, remove } from '#system/files.ts';
import { run as runCommand } from '#system/run.ts';
import { loginOn, type OpenTty, openTty, quietKernel } from '#system/tty.ts';
import { detectProfile, type TerminalProfile } from '#ui/profile.ts';
import { openTerminal } from '#ui/terminal/terminal.ts';
import { planHere, powerObstacle, runHere } from './actions.ts';
import type { Offers } from './menus.ts';
import { type ConsoleOptions, parseOptions, USAGE } from './options.ts';
import { printStatus } from './plain.ts';
import { type RunningSession, type SessionEnd, type SessionPorts, startSession } from './session.tsx';

/** Serial-over-LAN may tear a key apart; half a key must never be taken for another one. */
const KEY_WAIT_MS = 600;
const REOPEN_MIN_MS = 500;
const REOPEN_MAX_MS = 10_000;
/** A session this long was a good one; the next failure starts small again. */
const GOOD_SESSION_MS = 5_000;

const WRONG_USAGE = 2;

const clock: Clock = { now: () => new Date().toISOString(), monoMs: () => performance.now() };
const readPolicy = async () => parsePolicy(await readTextIfExists(POLICY_FILE));

const isAppliance = async (): Promise<boolean> => (await readTextIfExists(PATHS.release).catch(() => null)) !== null;

/** A login needs a terminal that can be handed to it; the one the console was started from belongs to a shell. */
const offersOf = async (options: ConsoleOptions): Promise<Offers> => ({
  loginWhy: options.tty === null ? 'only with --tty' : null,
  powerWhy: await powerObstacle(options.control, isAppliance),
});

function portsFor(options: ConsoleOptions, refreshSize: () => void): SessionPorts {
  const target = { socket: options.control, tty: options.tty ?? 'standard input' };
  return {
    clock,
    socket: options.socket,
    policy: readPolicy,
    refreshSize,
    offers: () => offersOf(options),
    isShared: options.tty !== null,
    plan: (action) => planHere(target, action, isAppliance),
    runPlan: (plan, onEvent) => {
      // The supervisor writes its own line; without one this is the only trace. Not onto the screen that is drawn on.
      if (options.tty !== null) complain(`${plan.name} confirmed on ${target.tty}\n`);
      runHere(target, { run: runCommand, remove }, plan, onEvent);
    },
  };
}

/** The session that runs now, for signals. */
interface Running {
  session: RunningSession | null;
  stopping: boolean;
  readonly stop: AbortController;
}

async function runOn(tty: OpenTty, profile: TerminalProfile, options: ConsoleOptions, running: Running): Promise<SessionEnd> {
  const terminal = await openTerminal(tty.input, tty.output, profile, KEY_WAIT_MS);
  const session = startSession(
    terminal,
    await readPolicy(),
    await offersOf(options),
    portsFor(options, () => tty.refreshSize()),
  );
  running.session = session;
  const hangup = (): void => session.end('hangup');
  tty.input.on('error', hangup);
  tty.output.on('error', hangup);
  tty.input.on('end', hangup);
  if (running.stopping) session.end('stopped');
  const end = await session.ended;
  running.session = null;
  return end;
}

/** On a named terminal it stays for ever: a line that goes away is waited for, a login is taken back. */
async function keepOn(path: string, profile: TerminalProfile, options: ConsoleOptions, running: Running): Promise<void> {
  let waitMs = REOPEN_MIN_MS;
  let said = '';
  const loud = await quietKernel();
  while (!running.stopping) {
    const startedMs = clock.monoMs();
    let end: SessionEnd = 'hangup';
    try {
      const tty = openTty(path);
      // Errors after the session has ended have nobody else to go to.
      tty.input.on('error', () => undefined);
      tty.output.on('error', () => undefined);
      end = await runOn(tty, profile, options, running);
      tty.close();
      if (end === 'login') await loginOn(path, process.env['TERM'] ?? 'vt220', running.stop.signal);
    } catch (error) {
      const text = `spatium-console: ${path}: ${error instanceof Error ? error.message : String(error)}\n`;
      // A line that stays away is said once, not every ten seconds.
      if (text !== said) complain(text);
      said = text;
    }
    if (end === 'login' || running.stopping) continue;
    if (clock.monoMs() - startedMs > GOOD_SESSION_MS) waitMs = REOPEN_MIN_MS;
    await pause(waitMs, undefined, { signal: running.stop.signal }).catch(() => undefined);
    waitMs = Math.min(REOPEN_MAX_MS, waitMs * 2);
  }
  await loud();
}

/** On the terminal it was started from it ends with Ctrl-C, and when that terminal goes away. */
async function runHereOnce(profile: TerminalProfile, options: ConsoleOptions, running: Running): Promise<void> {
  const tty: OpenTty = { input: process.stdin, output: process.stdout, refreshSize: () => undefined, close: () => undefined };
  process.stdin.on('data', (data) => {
    if (String(data).includes('\x03')) running.session?.end('stopped');
  });
  await runOn(tty, profile, options, running);
  process.stdin.pause();
}

export const run: RunFace = async (argv, host) => {
  let options: ConsoleOptions;
  try {
    options = parseOptions(argv);
  } catch (error) {
    complain(`${host.program}: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return WRONG_USAGE;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const running: Running = { session: null, stopping: false, stop: new AbortController() };
  const stop = (): void => {
    running.stopping = true;
    running.stop.abort();
    running.session?.end('stopped');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => {
    if (options.tty === null) stop();
  });
  const profile = detectProfile(process.env, {
    ...(options.ascii ? { glyphs: 'ascii' as const } : {}),
    ...(options.mono ? { colour: 'mono' as const } : {}),
  });
  if (options.tty === null && !process.stdin.isTTY) {
    complain(`${host.program}: this is not a terminal; give one with --tty, or use spatium status\n${USAGE}`);
    return WRONG_USAGE;
  }
  if (!profile.addressable && options.tty === null) {
    const printing = printStatus(options.socket, clock, (text) => process.stdout.write(text));
    await new Promise<void>((resolve) => {
      process.once('SIGINT', () => resolve());
      process.once('SIGTERM', () => resolve());
    });
    printing.stop();
    return 0;
  }
  if (options.tty === null) await runHereOnce(profile, options, running);
  else await keepOn(options.tty, { ...profile, addressable: true }, options, running);
  return 0;
};
