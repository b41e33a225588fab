/** Puts the pull model to work on this machine: settings, identity, store, loops. Without `pull.json` nothing of it runs. */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import type { PullSettings, StatusReport } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import { ensureDir, readTextIfExists } from '#system/files.ts';
import { acquireLock, type Lock } from '#system/lock.ts';
import type { Runner } from '#system/run.ts';
import { storeFiles } from './apply/files.ts';
import { recover } from './apply/recover.ts';
import { openStore } from './apply/store.ts';
import type { PullSource } from './collectors/pull.ts';
import { openIdentity } from './identity/open.ts';
import { pairingOf } from './identity/pairing-view.ts';
import { KIND_NAMES, type KindParts, kindParts } from './kinds/index.ts';
import { type PullClock, realClock } from './pull/clock.ts';
import { Manager, openRecovered } from './pull/manager.ts';
import { readSettings, type SettingsReading } from './pull/settings.ts';

export interface ManagedParts {
  /** `/` but in tests; null: there is nothing to manage. */
  readonly root: string | null;
  readonly version: string;
  readonly bootId: string;
  readonly run: Runner;
  /** Null: not known. */
  readonly isClockSynced: () => boolean | null;
  readonly update: () => Promise<StatusReport['update']>;
  readonly log: (text: string) => void;
  /** Real time but in tests. */
  readonly clock?: PullClock;
  /** The kinds of this program but in tests. */
  readonly kinds?: (kind: PullSettings['kind']) => KindParts | null;
}

export interface Managed {
  /** What the `pull` section is made from. */
  readonly source: () => PullSource;
  /**
   * Identity and configuration were read from the disk, or there is nothing to read. Never when this program cannot read them:
   * an updater that waits for it then takes the program back.
   */
  readonly loaded: Promise<void>;
  /** Ends after what is being applied has its verdict. */
  readonly stop: () => Promise<void>;
}

/** How often it looks whether there is something to manage now, or whether what was in the way is gone. */
const LOOK_AGAIN_MS = 10_000;
const LOCK = '.lock';

const settingsAt = async (root: string): Promise<SettingsReading> =>
  readSettings(
    await readTextIfExists(path.join(root, PATHS.pullSettings)),
    await readTextIfExists(path.join(root, PATHS.pullSettingsLocal)),
  );

const noSuchKind = (kind: string): string => `pull.json: this image is no "${kind}" appliance; it can be: ${KIND_NAMES.join(', ')}`;

async function uptimeS(root: string): Promise<number> {
  const text = (await readTextIfExists(path.join(root, '/proc/uptime'))) ?? '';
  const seconds = Number(text.split(' ')[0]);
  return text !== '' && Number.isFinite(seconds) ? Math.floor(seconds) : Math.floor(process.uptime());
}

/** Everything that runs once the settings are known; gives what stops it. @throws when disk or identity cannot be read. */
async function begin(parts: ManagedParts, root: string, settings: PullSettings, { kind, daemon: daemonOf }: KindParts) {
  const { version, run, log, clock = realClock } = parts;
  const dir = path.join(root, PATHS.pullConfig);
  await ensureDir(dir, 0o700);
  const lock: Lock = await acquireLock(path.join(dir, LOCK));
  try {
    const daemon = daemonOf(run);
    const common = { kind, daemon, dir, files: storeFiles, agentVersion: version, bootId: parts.bootId, log };
    const store = await openRecovered({ ...common, wallMs: clock.wallMs });
    const forgetOther = (deviceId: string): Promise<void> => store.forgetFetchedOfOther(deviceId);
    const identity = await openIdentity({ settings, version, log, root, forgetOther });
    const facts = {
      bootId: async () => parts.bootId,
      uptimeS: () => uptimeS(root),
      isClockSynced: parts.isClockSynced,
      update: parts.update,
    };
    const pin = (): string | null => identity.stored().active?.pins[0] ?? null;
    const manager = new Manager({ ...common, settings, identity, words: () => identity.words(), pin, facts, clock }, store);
    identity.start();
    manager.start();
    return {
      section: () => manager.section(),
      pairing: (hasCode: boolean) => pairingOf(identity, hasCode),
      stop: async (): Promise<void> => {
        await manager.stop();
        await identity.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Starts at once and in the background; a failure is told in the section and tried again. */
export function startManaged(parts: ManagedParts): Managed {
  let source: PullSource = { kind: 'none' };
  let stopLoops: (() => Promise<void>) | null = null;
  let cancel: () => void = () => undefined;
  let isStopped = false;
  let setLoaded: () => void = () => undefined;
  const loaded = new Promise<void>((resolve) => {
    setLoaded = resolve;
  });

  const wrong = (message: string): void => {
    if (source.kind !== 'wrong' || source.message !== message) parts.log(message);
    source = { kind: 'wrong', message };
  };

  const look = async (): Promise<void> => {
    const { root } = parts;
    if (root === null) return setLoaded();
    const reading = await settingsAt(root);
    // Settings that are wrong are so for every version of this program.
    if (reading.kind !== 'settings') setLoaded();
    if (reading.kind === 'none') source = { kind: 'none' };
    if (reading.kind === 'wrong') wrong(reading.message);
    if (reading.kind !== 'settings') return;
    const kind = (parts.kinds ?? kindParts)(reading.settings.kind);
    if (kind === null) return wrong(noSuchKind(reading.settings.kind));
    const { section, pairing, stop } = await begin(parts, root, reading.settings, kind);
    stopLoops = stop;
    source = { kind: 'running', section, pairing };
    setLoaded();
  };

  const attempt = async (): Promise<void> => {
    await look().catch((error: unknown) => wrong(`the panel's configuration cannot be handled: ${messageOf(error)}`));
    if (stopLoops === null && !isStopped && parts.root !== null) {
      cancel = realClock.after(LOOK_AGAIN_MS, () => {
        running = attempt();
      });
    }
  };
  let running = attempt();

  return {
    source: () => source,
    loaded,
    stop: async () => {
      isStopped = true;
      cancel();
      await running;
      await stopLoops?.();
    },
  };
}

/**
 * At boot, before the daemon: `current` leads to a configuration that has worked, whatever happened before. No network, no panel,
 * no identity. Gives what was done; null when this box has no panel. @throws with one sentence when it cannot be done.
 */
export async function recoverAtBoot(root: string, version: string): Promise<readonly string[] | null> {
  const reading = await settingsAt(root);
  if (reading.kind === 'none') return null;
  if (reading.kind === 'wrong') throw new Error(reading.message);
  const parts = kindParts(reading.settings.kind);
  if (parts === null) throw new Error(noSuchKind(reading.settings.kind));
  const dir = path.join(root, PATHS.pullConfig);
  await ensureDir(dir, 0o700);
  const lock = await acquireLock(path.join(dir, LOCK));
  try {
    const store = await openStore({ dir, emptyDir: parts.kind.emptyDir }, storeFiles, parts.kind.kind);
    const { done } = await recover(store, parts.kind, { agent: version, daemon: null }, Date.now());
    return done;
  } finally {
    await lock.release();
  }
}
