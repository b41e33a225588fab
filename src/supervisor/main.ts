/** `spatium supervise`: looks at this box, judges it, serves what it knows. */

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { RunFace } from '#model/host.ts';
import { PATHS } from '#model/limits.ts';
import { SECTION_NAMES, type SectionName } from '#model/status.ts';
import type { AnyCollector } from '#status/collector.ts';
import { LogRing } from '#status/log-ring.ts';
import { POLICY_FILE, parsePolicy } from '#status/policy.ts';
import { plainText } from '#status/sanitise.ts';
import { startSchedule } from '#status/schedule.ts';
import { type RunningServer, serveStatus } from '#status/server.ts';
import { type Clock, type SectionInfo, StatusStore } from '#status/store.ts';
import { complain, messageOf, wordsOrEnd } from '#system/complain.ts';
import { ensureDir, errnoOf, readTextIfExists, remove } from '#system/files.ts';
import { type HostView, hostView } from '#system/observe.ts';
import { nameProcess, signalled } from '#system/process.ts';
import { type Runner, run as runCommand } from '#system/run.ts';
import { checkSocketPlace, type SocketHolder } from '#system/sockets.ts';
import { actionWorks } from './actions/all.ts';
import { AppLog } from './applog/app-log.ts';
import { collectorsFor } from './collector-list.ts';
import { followJournal } from './collectors/journal.ts';
import { serveControl } from './control.ts';
import { awaitLab, openLab } from './kinds/lab.ts';
import { Cluster } from './kube/cluster.ts';
import { recoverAtBoot, startManaged } from './managed.ts';
import { loadMemory, saveMemory } from './memory.ts';
import { noteStart } from './starts.ts';
import { updateFacts } from './update/facts.ts';
import { markReady, readyFileFor, unmarkReady } from './update/ready.ts';

const USAGE = `usage: spatium supervise [--socket PATH] [--control PATH] [--root DIR]
       spatium supervise --lab DIR
       spatium supervise --recover [--root DIR]

  --socket PATH   status socket (default ${PATHS.statusSocket})
  --control PATH  control socket; off when only --socket is given (default ${PATHS.controlSocket})
  --root DIR      look at a file tree instead of this machine (for tests; no journal, no actions)
  --lab DIR       an appliance to try a panel with, all of it below DIR: its pull.json in DIR/etc/spatiumddi, its bootstrap
                  token in DIR/sys/class/dmi/id/product_serial, its own HAProxy, its socket DIR/status.sock
  --recover       at boot, before the daemon: lead it back to the last configuration that worked, and end

exit: 0 ended by a signal or replaced by another supervisor, recovered; 1 a socket cannot be served or was removed, or nothing
could be recovered (reason printed); 2 wrong call
`;

const systemClock: Clock = { now: () => new Date().toISOString(), monoMs: () => performance.now() };

const infoOf = (collectors: readonly AnyCollector[]): Partial<Record<SectionName, SectionInfo>> =>
  Object.fromEntries(collectors.map((c) => [c.name, { ttlMs: c.ttlMs, source: c.source }]));

/** How often it looks whether its sockets are still its own. */
const LOOK_MS = 2000;

/** A failure in words; who lacks the right hears the way out. */
function failureOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const isRefused = ['EACCES', 'EPERM'].includes(errnoOf(cause) ?? '') && process.getuid?.() !== 0;
  if (!isRefused) return messageOf(error);
  const place = cause === error && cause instanceof Error && 'path' in cause ? `${cause.path}: no permission` : messageOf(error);
  return `${place}; run as root, or give --socket PATH`;
}

interface Words {
  readonly socket?: string | undefined;
  readonly control?: string | undefined;
  readonly root?: string | undefined;
  readonly lab?: string | undefined;
  readonly recover?: boolean | undefined;
  readonly help?: boolean | undefined;
}

/** The words, or what is wrong with them. */
function parseWords(argv: readonly string[]): Words | string {
  try {
    const options = {
      socket: { type: 'string' },
      control: { type: 'string' },
      root: { type: 'string' },
      lab: { type: 'string' },
      recover: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    const { values } = parseArgs({ args: [...argv], options });
    const empty = Object.entries(values).find(([, value]) => value === '');
    return empty ? `--${empty[0]} wants a value` : values;
  } catch (error) {
    return plainText(messageOf(error));
  }
}

const runNothing: Runner = async (argv) => ({ kind: 'not_started', errno: 'EPERM', argv, stdout: '', stderr: '', tail: [], durationMs: 0 });

/** The store, with the memory of this boot; alarms keep their since-when over a restart. */
async function openStore(clock: Clock, collectors: readonly AnyCollector[], socket: string, bootId: string): Promise<StatusStore> {
  const file = path.join(path.dirname(socket), 'verdict.json');
  const store = new StatusStore(clock, infoOf(collectors), await loadMemory(file, bootId, clock.monoMs()));
  let saving = Promise.resolve();
  store.onChange((change) => {
    if (!change.verdictChanged) return;
    // Losing it costs a since-when and nothing else, so a failure is not an error of the supervisor.
    saving = saving.then(() => saveMemory(file, bootId, store.memory)).catch(() => undefined);
  });
  return store;
}

/**
 * Resolves when clients find another server, or none, at one of the sockets. To end is right for a service too: systemd
 * starts it again, it takes the place back, and the one that was started by hand ends in its turn.
 */
async function unseated(servers: readonly RunningServer[], stop: AbortSignal): Promise<Exclude<SocketHolder, 'self'>> {
  for (;;) {
    await pause(LOOK_MS, undefined, { signal: stop });
    // Where it cannot look it stays.
    const holders = await Promise.all(servers.map((s) => s.holder().catch(() => 'self')));
    if (holders.includes('other')) return 'other';
    if (holders.includes('nobody')) return 'nobody';
  }
}

/** Both places are looked at before either is taken, so that a wrong call does not push a running supervisor off its socket. */
async function checkPlaces(socket: string, controlSocket: string | null, isDefault: boolean): Promise<void> {
  // The folder in /run is ours; any other is somebody's to make.
  if (isDefault) await ensureDir(path.dirname(socket));
  await checkSocketPlace(socket);
  if (controlSocket === null) return;
  await checkSocketPlace(controlSocket);
  if (path.resolve(socket) === path.resolve(controlSocket)) throw new Error(`${socket}: --socket and --control need two different paths`);
}

/** Says it in the log of the socket and, for the journal, on standard error. */
const teller =
  (log: LogRing, clock: Clock, sev: 'info' | 'warn') =>
  (text: string): void => {
    log.add({ at: clock.now(), src: 'supervisor', unit: 'supervisor', sev, text });
    process.stderr.write(`${text}\n`);
  };

/** What all logs have in common. */
interface Logged {
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly log: LogRing;
}

/** The journal of this machine, and what the product's pods say. Gives what ends both. */
function followLogs({ view, clock, cluster, log, isThisMachine }: Logged & { view: HostView; isThisMachine: boolean }): () => void {
  const node = async (): Promise<string> => (await view.word('/proc/sys/kernel/hostname')) ?? '';
  const app = new AppLog({ cluster, ring: log, node, now: () => clock.now(), monoMs: () => clock.monoMs() });
  void app.start();
  const journal = isThisMachine ? followJournal(log, () => clock.now()) : null;
  return () => {
    app.stop();
    journal?.stop();
  };
}

function startControl(socket: string, { clock, cluster, log, store }: Logged & { store: StatusStore }): Promise<RunningServer> {
  const audit = teller(log, clock, 'warn');
  const policy = async () => parsePolicy(await readTextIfExists(POLICY_FILE));
  const status = () => ({ sections: store.sections(SECTION_NAMES), verdict: store.verdict });
  const works = actionWorks({ run: runCommand, cluster, log, status, now: () => clock.now(), note: audit });
  return serveControl({ socket, policy, ports: { run: runCommand, remove }, works, monoMs: clock.monoMs, audit });
}

/** Where the sockets go. Whoever names a place for the status only gets no control socket. */
function placesOf(words: Words) {
  const labDir = words.lab === undefined ? null : path.resolve(words.lab);
  const isElsewhere = words.socket !== undefined || labDir !== null;
  return {
    labDir,
    isElsewhere,
    socket: words.socket ?? (labDir === null ? PATHS.statusSocket : path.join(labDir, 'status.sock')),
    controlSocket: words.control ?? (isElsewhere ? null : PATHS.controlSocket),
  };
}

/** Starts everything; what has been started is in `stops` even when a later part fails. */
async function serve(words: Words, version: string, stops: (() => unknown)[]): Promise<RunningServer[]> {
  const clock = systemClock;
  const root = path.resolve(words.root ?? '/');
  const isThisMachine = root === '/';
  const { labDir, isElsewhere, socket, controlSocket } = placesOf(words);
  if (labDir !== null) await awaitLab(labDir, (text) => process.stderr.write(`${text}\n`));
  await checkPlaces(socket, controlSocket, !isElsewhere);
  await unmarkReady(readyFileFor(socket));
  const view = hostView(root);
  const log = new LogRing();
  const instance = randomUUID();
  const cluster = new Cluster(view);
  void cluster.start();
  stops.push(() => cluster.stop());
  stops.push(followLogs({ view, clock, cluster, log, isThisMachine }));
  let late: ReadonlyMap<SectionName, number> = new Map();
  const bootId = (await view.word('/proc/sys/kernel/random/boot_id')) ?? 'unknown';
  let store: StatusStore | null = null;
  const lab = labDir === null ? null : await openLab(labDir);
  stops.push(() => lab?.stop());
  const managed = startManaged({
    // A file tree has nobody to be managed by.
    root: labDir ?? (isThisMachine ? root : null),
    ...(lab === null ? {} : { kinds: lab.kinds }),
    version,
    bootId,
    run: runCommand,
    isClockSynced: () => store?.sections(['time']).time?.data?.synced ?? null,
    update: () => updateFacts(version),
    log: teller(log, clock, 'info'),
  });
  stops.push(() => managed.stop());
  const collectors = collectorsFor({
    view,
    root,
    clock,
    cluster,
    instance,
    version,
    late: () => Object.fromEntries(late),
    restarts24h: await noteStart(path.join(path.dirname(socket), 'starts.json'), bootId, clock.now()),
    run: isThisMachine ? runCommand : runNothing,
    pull: managed.source,
  });
  const known = await openStore(clock, collectors, socket, bootId);
  store = known;
  const schedule = startSchedule(collectors, known, clock);
  stops.push(() => schedule.stop());
  late = schedule.late;
  const status = await serveStatus({ socket, store: known, log, clock, server: `spatium ${version}`, instance });
  stops.push(() => status.close());
  const servers = [status];
  if (controlSocket !== null && isThisMachine) {
    const control = await startControl(controlSocket, { clock, cluster, log, store: known });
    stops.push(() => control.close());
    servers.push(control);
  }
  if (isThisMachine) void managed.loaded.then(() => markReady(version, readyFileFor(socket)));
  process.stderr.write(`serving ${socket}\n`);
  return servers;
}

/** Exit status of `--recover`. */
async function recoverOnce(root: string, version: string, program: string): Promise<number> {
  try {
    for (const line of (await recoverAtBoot(path.resolve(root), version)) ?? []) process.stderr.write(`${line}\n`);
    return 0;
  } catch (error) {
    complain(`${program}: ${failureOf(error)}\n`);
    return 1;
  }
}

export const run: RunFace = async (argv, host) => {
  const values = wordsOrEnd(parseWords(argv), host.program, USAGE);
  if (typeof values === 'number') return values;
  if (values.recover) return recoverOnce(values.root ?? '/', host.version, host.program);
  const stops: (() => unknown)[] = [];
  // Before anything is started: a signal in between would end this process and leave the daemon of a lab behind.
  const ended = signalled();
  await nameProcess('spatium-supervisor');
  try {
    const servers = await serve(values, host.version, stops);
    const ending = new AbortController();
    const lost = unseated(servers, ending.signal);
    // Its wait is broken off when a signal comes first.
    lost.catch(() => undefined);
    stops.push(() => ending.abort());
    const end = await Promise.race([ended, lost]);
    if (end === 'nobody') throw new Error('its socket was removed, so that nobody can reach it');
    if (end === 'other') complain(`${host.program}: replaced by another supervisor\n`);
    return 0;
  } catch (error) {
    complain(`${host.program}: ${failureOf(error)}\n`);
    return 1;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};
