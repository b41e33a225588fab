/** `spatium update`: run by the timer, at boot, and by hand. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Host, RunFace } from '#model/host.ts';
import { PATHS } from '#model/limits.ts';
import { complain, messageOf } from '#system/complain.ts';
import { spaceOf } from '#system/files.ts';
import { run as runCommand } from '#system/run.ts';
import { storedAgent } from '../identity/stored-trust.ts';
import { failureOf } from '../panel/faults.ts';
import { byteSource } from './byte-source.ts';
import { DOWNLOAD_LIMITS } from './download.ts';
import { GoingDown, HEALTH_LIMITS, watchHealth } from './health.ts';
import { isLocked, isOurs, LOCK } from './lock.ts';
import { panelManifest } from './panel-manifest.ts';
import { readReady, readyFileFor } from './ready.ts';
import { updateText } from './report.ts';
import { EXIT, runUpdate, type UpdatePorts } from './run.ts';
import { selfCheck, storedFiles } from './self-check.ts';
import { runningVersion, systemdService } from './service.ts';
import { notePlannedShutdown, recover, type SettlePorts, settle } from './settle.ts';
import { DEFAULT_CHANNEL, isApplying, KEY_DIR, pullSettings, releaseKeys } from './sources.ts';
import { VersionStore } from './store.ts';
import { awaitVerdict } from './wait.ts';

const SETTLE_UNIT = 'spatium-update-settle.service';
const IMAGE_PROGRAM = '/usr/bin/spatium';

const USAGE = `usage: spatium update run|settle|wait|recover|self-check
       spatium update status [--format text|json]

  run         look at the published release and install it when it is a newer one; needs root and the lock:
              systemctl start spatium-update.service
  settle      judge an update that was interrupted, and nothing else; needs root and the lock
  wait        before a restart of the machine: until an update that is being judged has its verdict
  recover     before the agent starts, at boot: take back a version that took the machine down twice
  self-check  can this program read what is stored on this box?
  status      what runs, what starts next, what is pending and what is not tried again

exit: 0 done or nothing to do, 1 refused, taken back or failed (reason printed), 2 wrong call, 75 not now
`;

/** Nothing is wrong, and nothing can be done now. */
class NotYet extends Error {}

const note = (text: string): void => complain(`${text}\n`);
const store = (): VersionStore => new VersionStore({ agent: PATHS.agentVersions, state: PATHS.updateState });

/** What the image's own program says of itself. */
async function imageVersion(): Promise<string | null> {
  const result = await runCommand([IMAGE_PROGRAM, '--version'], { timeoutMs: 60_000 });
  return /^spatium (\S+)\s*$/.exec(result.stdout)?.[1] ?? null;
}

function settlePorts(signal: AbortSignal): SettlePorts {
  const service = systemdService(runCommand);
  const sleep = (ms: number): Promise<void> => pause(ms, undefined, { signal });
  const health = {
    service,
    runningVersion: () => runningVersion(PATHS.statusSocket),
    ready: () => readReady(readyFileFor(PATHS.statusSocket)),
    monoMs: () => performance.now(),
    sleep,
  };
  return {
    store: store(),
    restart: service.restart,
    resetFailed: service.resetFailed,
    health: (version) => watchHealth(version, health, HEALTH_LIMITS),
    runningVersion: health.runningVersion,
    now: () => new Date().toISOString(),
  };
}

async function updatePorts(signal: AbortSignal, host: Host): Promise<UpdatePorts | null> {
  const settings = await pullSettings();
  if (settings === null) return null;
  const { panel, channel = DEFAULT_CHANNEL } = settings;
  const userAgent = `spatium/${host.version}`;
  const agent = await storedAgent(settings);
  if (agent === undefined) throw new NotYet('this box has no identity yet, so there is no panel to believe');
  const source = panelManifest({ panel, channel, userAgent, agent });
  return {
    settle: settlePorts(signal),
    probe: { run: runCommand, sleep: (ms) => pause(ms) },
    download: {
      get: byteSource({ agentFor: source.agentFor, userAgent, headersMs: 30_000 }),
      sleep: (ms, stop) => pause(ms, undefined, { signal: stop }),
      limits: DOWNLOAD_LIMITS,
      note,
    },
    askManifest: () => source.ask(signal),
    keys: await releaseKeys(KEY_DIR, note),
    channel,
    panel,
    imageProgram: IMAGE_PROGRAM,
    imageVersion,
    isApplying: () => isApplying(),
    freeBytes: async () => (await spaceOf(PATHS.agentVersions)).availableBytes,
    note,
  };
}

/** Runs with the lock of the caller and until SIGTERM, which at a shutdown in good order comes in the health window. */
async function locked(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  if (!(await isOurs(runCommand))) {
    note(`the lock ${LOCK} is not held by the caller; use: systemctl start spatium-update.service`);
    return EXIT.failed;
  }
  const ending = new AbortController();
  const onTerm = (): void => ending.abort();
  process.once('SIGTERM', onTerm);
  try {
    return await work(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted && !(error instanceof GoingDown)) throw error;
    await notePlannedShutdown(store());
    note('told to end; the next boot or the next run goes on');
    return EXIT.later;
  } finally {
    process.off('SIGTERM', onTerm);
  }
}

const waitPorts = () => ({
  isPending: async () => (await store().peek()).pending !== undefined,
  isJudging: () => isLocked(runCommand),
  startJudging: async () => void (await runCommand(['systemctl', 'start', '--no-block', SETTLE_UNIT], { timeoutMs: 10_000 })),
  sleep: (ms: number) => pause(ms),
  monoMs: () => performance.now(),
});

async function status(format: string): Promise<number> {
  const versions = store();
  const facts = {
    running: await runningVersion(PATHS.statusSocket),
    current: await versions.current(),
    image: await imageVersion(),
    state: await versions.peek(),
  };
  process.stdout.write(format === 'json' ? `${JSON.stringify(facts, null, 2)}\n` : updateText(facts));
  return EXIT.done;
}

async function check(): Promise<number> {
  const faults = await selfCheck(storedFiles({ config: PATHS.pullConfig, identity: PATHS.pullIdentity, state: PATHS.updateState }));
  for (const fault of faults) note(fault);
  return faults.length === 0 ? EXIT.done : EXIT.failed;
}

async function act({ word, format }: UpdateCall, host: Host): Promise<number> {
  switch (word) {
    case 'run':
      return locked(async (signal) => {
        const ports = await updatePorts(signal, host).catch((error: unknown) => {
          if (error instanceof TypeError) throw error;
          throw error instanceof NotYet ? error : new NotYet(failureOf(error, { nowMs: Date.now(), builtAtMs: 0 }).message);
        });
        if (ports !== null) return runUpdate(ports, signal);
        note(`nothing is pulled here: ${PATHS.pullSettings} names no panel`);
        return EXIT.done;
      });
    case 'settle':
      return locked(async (signal) => {
        const verdict = await settle(settlePorts(signal));
        if (verdict.kind === 'rolled_back') note(`version ${verdict.version} was taken back: ${verdict.why}`);
        return verdict.kind === 'rolled_back' ? EXIT.failed : EXIT.done;
      });
    case 'wait':
      return (await awaitVerdict({ ...waitPorts(), note })) ? EXIT.done : EXIT.later;
    case 'recover':
      note(`update: ${(await recover(store(), host.version, new Date().toISOString())).replaceAll('_', ' ')}`);
      return EXIT.done;
    case 'self-check':
      return check();
    case 'status':
      return status(format);
    case 'help':
      process.stdout.write(USAGE);
      return EXIT.done;
  }
}

const WORDS = ['run', 'settle', 'wait', 'recover', 'self-check', 'status'] as const;

export interface UpdateCall {
  readonly word: (typeof WORDS)[number] | 'help';
  readonly format: string;
}

/** The words of a call, or what is wrong with them. */
export function readUpdateCall(argv: readonly string[]): UpdateCall | string {
  try {
    const options = { format: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    if (values.help === true) return { word: 'help', format: 'text' };
    const word = WORDS.find((w) => w === positionals[0]);
    if (word === undefined || positionals.length > 1) return `wanted one of ${WORDS.join(', ')}`;
    const { format = 'text' } = values;
    if (values.format !== undefined && (word !== 'status' || !['text', 'json'].includes(format)))
      return '--format text|json goes with status';
    return { word, format };
  } catch (error) {
    return messageOf(error);
  }
}

export const run: RunFace = async (argv, host) => {
  const call = readUpdateCall(argv);
  if (typeof call === 'string') {
    complain(`${host.program}: ${call}\n${USAGE}`);
    return 2;
  }
  try {
    return await act(call, host);
  } catch (error) {
    complain(`${host.program}: ${messageOf(error)}\n`);
    return error instanceof NotYet ? EXIT.later : EXIT.failed;
  }
};
