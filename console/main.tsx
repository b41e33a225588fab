/** `spatium-console`: the dashboard on this terminal, or on the one named. */
import { complain, messageOf } from '#system/complain.ts';
import '#ui/terminal/ink-environment.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunFace } from '#model/host.ts';
import { PATHS } from '#model/limits.ts';
import { followAction } from '#status/control-client.ts';
import { parseStat } from '#status/local/process-stat.ts';
import { POLICY_FILE, parsePolicy } from '#status/policy.ts';
import type { Clock } from '#status/store.ts';
import { readLink, readTextIfExists, remove } from '#system/files.ts';
import { administrators, checkPassword, passwordObstacle } from '#system/password.ts';
import { PAGE_BYTES, readProcTexts, TICKS_PER_S } from '#system/proc-table.ts';
import { nameProcess } from '#system/process.ts';
import { run as runCommand } from '#system/run.ts';
import { findTool } from '#system/tools.ts';
import { loginOn, type OpenTty, openTty, programOn, quietKernel } from '#system/tty.ts';
import { detectProfile, type TerminalProfile } from '#ui/profile.ts';
import { openTerminal } from '#ui/terminal/terminal.ts';
import { offerList, planHere, powerObstacle, runHere } from './actions.ts';
import { escapeWaitMs, lineOf } from './line.ts';
import type { Offers } from './menus.ts';
import { type ConsoleOptions, parseOptions, USAGE } from './options.ts';
import { PasswordGate } from './password-gate.ts';
import { printStatus } from './plain.ts';
import type { ProcessSample } from './processes.ts';
import { type RunningSession, type SessionEnd, type SessionPorts, startSession } from './session.tsx';
import type { Intent } from './ui-state.ts';

const REOPEN_MIN_MS = 500;
const REOPEN_MAX_MS = 10_000;
/** A session this long was a good one; the next failure starts small again. */
const GOOD_SESSION_MS = 5_000;

const WRONG_USAGE = 2;
const NETWORK_EDITOR = 'nmtui';
/** A person who left must not leave root's network editor to the next one. */
const EDITOR_IDLE_MS = 10 * 60_000;

const clock: Clock = { now: () => new Date().toISOString(), monoMs: () => performance.now() };
const readPolicy = async () => parsePolicy(await readTextIfExists(POLICY_FILE));

const isAppliance = async (): Promise<boolean> => (await readTextIfExists(PATHS.release).catch(() => null)) !== null;

/** Only a terminal that was opened by its name can be handed on; the one the console was started from belongs to a shell. */
const handOver = (options: ConsoleOptions): string | null => (options.tty === null ? 'only with --tty' : null);

async function offersOf(options: ConsoleOptions): Promise<Offers> {
  const offered = await offerList(options.control);
  const editWhy = handOver(options) ?? ((await findTool(NETWORK_EDITOR)) === null ? `${NETWORK_EDITOR} is not installed` : null);
  return { loginWhy: handOver(options), powerWhy: powerObstacle(offered, await isAppliance()), editWhy, offered };
}

async function sampleProcesses(): Promise<ProcessSample> {
  const texts = await readProcTexts();
  const list = texts.map(({ stat, user }) => parseStat(stat, user, PAGE_BYTES)).filter((p) => p !== null);
  return { atMs: clock.monoMs(), ticksPerS: TICKS_PER_S, list };
}

/** Members of the group of administrators, or why no password can be checked. */
const adminsHere = async (): Promise<readonly string[] | string> => (await passwordObstacle()) ?? (await administrators());

function portsFor(options: ConsoleOptions, refreshSize: () => void): SessionPorts {
  const target = { socket: options.control, tty: options.tty ?? 'standard input' };
  const local = { run: runCommand, remove };
  // The supervisor writes its own line; without one this is the only trace. Not onto the screen that is drawn on.
  const audit = (text: string): void => {
    if (options.tty !== null) complain(`${text} on ${target.tty}\n`);
  };
  return {
    clock,
    socket: options.socket,
    refreshSize,
    offers: () => offersOf(options),
    processes: sampleProcesses,
    isShared: options.tty !== null,
    isFast: lineOf(options.tty) === 'screen',
    monoMs: clock.monoMs,
    plan: (action, args) => planHere(target, local, action, args, isAppliance),
    runPlan: (order, admin, onEvent) => {
      audit(`${order.plan.name} confirmed${admin === null ? '' : ` by ${admin}`}`);
      runHere({ ...target, admin }, local, order, onEvent);
    },
    followPod: (ns, pod, onEvent) => followAction(target, 'pod.logs', { ns, pod }, onEvent),
    admins: adminsHere,
    checkPassword: (user, password) => checkPassword(runCommand, user, password),
    audit,
  };
}

/** The session that runs now, for signals. */
interface Running {
  session: RunningSession | null;
  stopping: boolean;
  /** What the next session begins with. */
  first: Intent | null;
  readonly stop: AbortController;
  readonly gate: PasswordGate;
}

async function runOn(tty: OpenTty, profile: TerminalProfile, options: ConsoleOptions, running: Running): Promise<SessionEnd> {
  const line = lineOf(options.tty ?? (await readLink('/proc/self/fd/0').catch(() => null)));
  const terminal = await openTerminal(tty.input, tty.output, profile, escapeWaitMs(line));
  const { first, gate } = running;
  running.first = null;
  const start = { terminal, policy: await readPolicy(), offers: await offersOf(options), first, gate };
  const session = startSession(
    start,
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

/** Another program gets the terminal, until it ends or nobody uses it; then the screen is drawn again. */
async function giveTo(end: 'login' | 'edit_network', path: string, running: Running): Promise<void> {
  const term = process.env['TERM'] ?? 'vt220';
  if (end === 'login') return loginOn(path, term, running.stop.signal);
  await programOn(path, [NETWORK_EDITOR], term, EDITOR_IDLE_MS, running.stop.signal);
  // What was edited lasts until the next boot, unless it is kept.
  running.first = { kind: 'plan', action: 'network.adopt', args: {} };
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
      if (end === 'login' || end === 'edit_network') await giveTo(end, path, running);
    } catch (error) {
      const text = `spatium-console: ${path}: ${messageOf(error)}\n`;
      // A line that stays away is said once, not every ten seconds.
      if (text !== said) complain(text);
      said = text;
    }
    if (end === 'login' || end === 'edit_network' || running.stopping) continue;
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
    complain(`${host.program}: ${messageOf(error)}\n${USAGE}`);
    return WRONG_USAGE;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const running: Running = {
    session: null,
    stopping: false,
    first: null,
    stop: new AbortController(),
    gate: new PasswordGate(clock.monoMs),
  };
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
  await nameProcess('spatium-console');
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
    // A terminal that went away is as good as Ctrl-C.
    process.stdout.on('error', stop);
    const { signal } = running.stop;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    printing.stop();
    return 0;
  }
  if (options.tty === null) await runHereOnce(profile, options, running);
  else await keepOn(options.tty, { ...profile, addressable: true }, options, running);
  return 0;
};
