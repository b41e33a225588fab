/** Poll, apply and report for one appliance, put together. See docs/pull.md. */
import path from 'node:path';
import type { IdentityPort, PullSettings, StatusReport } from '#model/pull.ts';
import type { SectionData } from '#model/status.ts';
import { messageOf } from '#system/complain.ts';
import { Applier } from '../apply/applier.ts';
import type { StoreFiles } from '../apply/files.ts';
import { HEALTH, type HealthRule } from '../apply/health.ts';
import { markOf } from '../apply/records.ts';
import { recover } from '../apply/recover.ts';
import type { ApplyContext } from '../apply/steps.ts';
import { type ConfigStore, openStore } from '../apply/store.ts';
import type { Daemon, DaemonState, Kind, Prepared } from '../kinds/kind.ts';
import type { PullClock } from './clock.ts';
import { Poller } from './poller.ts';
import { buildReport, failedOf, stateOf } from './report.ts';
import { type KeptReport, Reporter } from './reporter.ts';

/** What only the machine knows. */
export interface MachineFacts {
  readonly bootId: () => Promise<string>;
  readonly uptimeS: () => Promise<number>;
  readonly isClockSynced: () => boolean | null;
  readonly update: () => Promise<StatusReport['update']>;
}

export interface ManagerParts {
  readonly settings: PullSettings;
  readonly kind: Kind;
  readonly daemon: Daemon;
  readonly identity: IdentityPort;
  /** Of the identity, while it is not active. */
  readonly words: () => { readonly code: string | null; readonly message: string };
  /** The pinned key of the panel, for people. */
  readonly pin: () => string | null;
  readonly facts: MachineFacts;
  readonly dir: string;
  readonly files: StoreFiles;
  readonly clock: PullClock;
  readonly agentVersion: string;
  readonly bootId: string;
  readonly health?: HealthRule;
  readonly log: (text: string) => void;
}

/** How often the running daemon is looked at. */
const LOOK_MS = 15_000;
/** One bad look is noise. */
const BAD_LOOKS = 2;
const VERSION_LOOKS = 40;

export class Manager {
  readonly #parts: ManagerParts;
  readonly #store: ConfigStore;
  readonly #applier: Applier;
  readonly #poller: Poller;
  readonly #reporter: Reporter;
  #daemonVersion: string | null = null;
  #looks = 0;
  #badLooks = 0;
  #trouble: string | null = null;
  #looking: Promise<void> = Promise.resolve();
  #cancelLook: () => void = () => undefined;
  #isStopped = false;
  #runningPlan: { readonly sha256: string; readonly prepared: Prepared | null } | null = null;

  constructor(parts: ManagerParts, store: ConfigStore) {
    const { clock, identity, kind, agentVersion, log } = parts;
    this.#parts = parts;
    this.#store = store;
    const pause = { monoMs: clock.monoMs, sleep: (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve)) };
    const context: ApplyContext = {
      store,
      kind,
      daemon: parts.daemon,
      pause,
      wallMs: clock.wallMs,
      agentVersion,
      bootId: parts.bootId,
      health: parts.health ?? HEALTH,
    };
    this.#applier = new Applier(context, { onChange: () => this.#reporter.touch(), log, after: clock.after });
    this.#poller = new Poller({
      identity,
      store,
      kind,
      agentVersion,
      clock,
      onStored: () => this.#applier.kick(),
      onRefused: log,
      onPolled: (delay) => this.#reporter.touch(delay),
    });
    this.#reporter = new Reporter({
      identity,
      path: `/v1/${kind.kind}/status`,
      clock,
      log,
      build: () => this.#report(),
      load: () => this.#loadReport(),
      save: (kept) => this.#saveReport(kept),
    });
  }

  start(): void {
    this.#applier.kick();
    this.#poller.start();
    this.#reporter.start();
    this.#look();
  }

  /** Ends after what is being applied has its verdict. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook();
    await Promise.all([this.#poller.stop(), this.#reporter.stop(), this.#applier.stop(), this.#looking]);
  }

  /** What the running configuration was made from; worked out once for each. */
  #runningConfig(): Prepared | null {
    const { applied } = this.#store;
    if (applied === null) return null;
    if (this.#runningPlan?.sha256 !== applied.sha256) {
      const preparation = this.#parts.kind.prepare(applied.envelope.config);
      this.#runningPlan = { sha256: applied.sha256, prepared: preparation.ok ? preparation.prepared : null };
    }
    return this.#runningPlan.prepared;
  }

  #look(): void {
    this.#looking = this.#lookOnce()
      .catch((error: unknown) => this.#parts.log(`looking at the daemon: ${messageOf(error)}`))
      .finally(() => {
        if (!this.#isStopped) this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => this.#look());
      });
  }

  async #lookOnce(): Promise<void> {
    const { daemon, kind } = this.#parts;
    if (this.#looks % VERSION_LOOKS === 0) this.#daemonVersion = await daemon.version();
    this.#looks += 1;
    if (this.#applier.applying !== null) return;
    const { applied } = this.#store;
    const seen = await daemon.probe(
      applied === null ? (await this.#store.home()).mark : markOf(applied.sha256),
      this.#runningConfig()?.expected ?? [],
    );
    this.#badLooks = seen.ok || this.#applier.applying !== null ? 0 : this.#badLooks + 1;
    const trouble = !seen.ok && this.#badLooks >= BAD_LOOKS ? `${kind.unit}: ${seen.message}` : null;
    if (trouble !== this.#trouble) {
      this.#trouble = trouble;
      this.#parts.log(trouble ?? `${kind.unit} is well again`);
    }
    this.#reporter.touch();
  }

  #warnings(): readonly string[] {
    const notices = this.#runningConfig()?.notices(this.#parts.clock.wallMs()) ?? [];
    const reused = this.#poller.facts().isVersionReused ? ['version_reused: the number of the version stayed and its content changed'] : [];
    return [...reused, ...(this.#trouble === null ? [] : [this.#trouble]), ...notices];
  }

  async #report(): Promise<Omit<StatusReport, 'seq'>> {
    const { facts, agentVersion } = this.#parts;
    return buildReport({
      bootId: await facts.bootId(),
      agentVersion,
      daemonVersion: this.#daemonVersion,
      uptimeS: await facts.uptimeS(),
      isClockSynced: facts.isClockSynced(),
      store: this.#store,
      isApplying: this.#applier.applying !== null,
      isUnassigned: this.#poller.facts().isUnassigned,
      update: await facts.update(),
      warnings: this.#warnings(),
    });
  }

  async #loadReport(): Promise<KeptReport | null> {
    const text = await this.#parts.files.read(path.join(this.#parts.dir, 'report.json'), 1024 * 1024);
    if (text === null) return null;
    const kept = JSON.parse(text) as Partial<KeptReport>;
    return typeof kept.report?.seq === 'number' && typeof kept.report.boot_id === 'string' ? (kept as KeptReport) : null;
  }

  #saveReport(kept: KeptReport): Promise<void> {
    return this.#parts.files.write(path.join(this.#parts.dir, 'report.json'), `${JSON.stringify(kept)}\n`, 0o600);
  }

  /** The `pull` section of the status socket. */
  async section(): Promise<SectionData['pull']> {
    const { settings, identity, words, pin, facts } = this.#parts;
    const store = this.#store;
    const poll = this.#poller.facts();
    const failed = failedOf(store);
    const isActive = identity.credential() !== null;
    const told = isActive && poll.code !== null ? { code: poll.code, message: poll.message } : words();
    const update = await facts.update();
    return {
      kind: settings.kind,
      panel: settings.panel,
      identity: identity.state(),
      code: told.code,
      message: told.code === null ? null : told.message,
      device_id: identity.deviceId(),
      pin: pin(),
      last_contact_at: poll.lastContactAt,
      last_status: poll.lastStatus,
      consecutive_failures: poll.failures,
      next_poll_at: poll.nextPollAt,
      fetched_version: store.fetched?.envelope.version ?? null,
      applied_version: store.applied?.envelope.version ?? null,
      applied_at: store.appliedAt,
      state: stateOf({ store, isApplying: this.#applier.applying !== null, isUnassigned: poll.isUnassigned }),
      failed: failed === null ? null : { ...failed, retry_at: failed.retry_at ?? null },
      update: update === undefined ? null : { ...update, target: update.target ?? null, phase: update.phase ?? null, checked_at: null },
    };
  }
}

export interface StoreParts {
  readonly kind: Kind;
  readonly daemon: Daemon;
  readonly dir: string;
  readonly files: StoreFiles;
  readonly agentVersion: string;
  readonly bootId: string;
  readonly wallMs: () => number;
  readonly log: (text: string) => void;
}

/** Where the agent itself runs the daemon, the one that the agent before it had is what was there before. */
async function stateBefore(daemon: Daemon): Promise<DaemonState> {
  const state = await daemon.state();
  return daemon.predecessorPid === undefined || daemon.predecessorPid === null ? state : { ...state, mainPid: daemon.predecessorPid };
}

/** Reads the disk and sets right what a crash left; the daemon may run meanwhile. @throws when the disk cannot be used. */
export async function openRecovered({ kind, daemon, dir, files, agentVersion, bootId, wallMs, log }: StoreParts): Promise<ConfigStore> {
  const store = await openStore({ dir, emptyDir: kind.emptyDir }, files, kind.kind);
  const versions = { agent: agentVersion, daemon: await daemon.version() };
  const { done, hasMoved } = await recover(store, kind, versions, wallMs(), { bootId, daemon: await stateBefore(daemon) });
  for (const text of done) log(text);
  // The daemon runs already when only the agent was started anew.
  if (hasMoved) {
    const reloaded = await daemon.reload();
    if (!reloaded.ok) log(reloaded.message);
  }
  return store;
}
