/**
 * A box for the crash model: the real store in a temporary directory; a service, a clock and a power switch that are made
 * up. Power or the updater can go before, in the middle of, and after every write, and before every call of the service.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { HealthPorts, ServiceLook } from '#supervisor/update/health.ts';
import { HEALTH_LIMITS, watchHealth } from '#supervisor/update/health.ts';
import { activate, notePlannedShutdown, recover, type SettlePorts, settle } from '#supervisor/update/settle.ts';
import { isBadRelease } from '#supervisor/update/state.ts';
import { VersionStore } from '#supervisor/update/store.ts';
import { linkAtomic, remove, renameDurably, writeAtomic } from '#system/files.ts';

export type Behaviour = 'good' | 'exits' | 'hangs' | 'other_version' | 'crashes_later' | 'panics' | 'panics_later' | 'reboots';

/** The power, or the updater alone, is gone. */
class Gone extends Error {
  readonly what: 'power' | 'updater' | 'shutdown';

  constructor(what: 'power' | 'updater' | 'shutdown') {
    super(what);
    this.what = what;
  }
}

export interface Blow {
  /** Which step it hits, counted from the start of the run. */
  readonly step: number;
  readonly what: 'power' | 'updater';
}

export interface Case {
  readonly behaviour: Behaviour;
  /** Version installed before; null: the image's runs. */
  readonly before: '1.1.0' | null;
  readonly blows: readonly Blow[];
}

export const IMAGE = '1.0.0';
export const NEW = { version: '1.2.0', sha256: 'f'.repeat(64), over: IMAGE };

export class World {
  readonly #dir: string;
  readonly #case: Case;
  readonly store: VersionStore;
  #steps = 0;
  #nowMs = 0;
  #runs: { version: string; sinceMs: number; start: number } | null = null;
  #starts = 0;
  #hasFailed = false;
  boots = 0;
  panics = 0;
  /** Times the box went down, for whatever reason. */
  cuts = 0;

  constructor(dir: string, c: Case) {
    this.#dir = dir;
    this.#case = c;
    const step = this.#step.bind(this);
    const torn = (file: string): void => fs.writeFileSync(path.join(path.dirname(file), `.${path.basename(file)}.1.new`), '{"sch');
    this.store = new VersionStore(
      { agent: path.join(dir, 'agent'), state: path.join(dir, 'update.json') },
      {
        write: async (file, text) => {
          step(() => torn(file));
          await writeAtomic(file, text);
          step();
        },
        link: async (target, link) => {
          step();
          await linkAtomic(target, link);
          step();
        },
        remove: async (target) => {
          step();
          await remove(target);
          step();
        },
        rename: async (from, to) => {
          step();
          await renameDurably(from, to);
        },
      },
    );
  }

  get steps(): number {
    return this.#steps;
  }

  get running(): string | null {
    return this.#runs?.version ?? null;
  }

  #step(before?: () => void): void {
    this.#steps += 1;
    const blow = this.#case.blows.find((b) => b.step === this.#steps);
    if (blow === undefined) return;
    before?.();
    throw new Gone(blow.what);
  }

  #behaviour(version: string): Behaviour {
    return version === NEW.version ? this.#case.behaviour : 'good';
  }

  /** What systemd does at a start of the unit: the current version if its file is there, else the image's. */
  async #start(): Promise<void> {
    const link = path.join(this.#dir, 'agent/current/spatium');
    const version = fs.existsSync(link) ? path.basename(path.dirname(fs.realpathSync(link))) : IMAGE;
    this.#starts += 1;
    this.#runs = { version, sinceMs: this.#nowMs, start: this.#starts };
    if (this.#behaviour(version) === 'panics') this.#panic();
  }

  #panic(): never {
    this.panics += 1;
    throw new Gone('power');
  }

  #look(): ServiceLook {
    const run = this.#runs;
    if (run === null) return { isActive: false, identity: '', mainPid: null, restarts: 0, words: 'inactive' };
    const livedMs = this.#nowMs - run.sinceMs;
    const behaviour = this.#behaviour(run.version);
    if (behaviour === 'panics_later' && livedMs > 20_000) this.#panic();
    if (behaviour === 'reboots' && livedMs > 20_000) throw new Gone('shutdown');
    const restarts = behaviour === 'exits' ? Math.floor(livedMs / 100) : behaviour === 'crashes_later' ? Math.floor(livedMs / 30_000) : 0;
    const words = behaviour === 'exits' ? 'activating (auto-restart)' : 'active (running)';
    const mainPid = run.start * 1000 + restarts;
    return { isActive: behaviour !== 'exits', identity: `${run.start}.${restarts}`, mainPid, restarts, words };
  }

  #answer(): string | null {
    const run = this.#runs;
    if (run === null) return null;
    const behaviour = this.#behaviour(run.version);
    if (behaviour === 'exits' || behaviour === 'hangs') return null;
    return behaviour === 'other_version' ? '9.9.9' : run.version;
  }

  #ports(): SettlePorts {
    const health: HealthPorts = {
      service: {
        restart: async () => null,
        resetFailed: async () => undefined,
        isGoingDown: async () => false,
        look: async () => {
          this.#step();
          return this.#look();
        },
      },
      runningVersion: async () => this.#answer(),
      ready: async () => {
        const look = this.#look();
        return this.#runs === null || look.mainPid === null ? null : { version: this.#runs.version, pid: look.mainPid };
      },
      monoMs: () => this.#nowMs,
      sleep: async (ms) => {
        this.#nowMs += ms;
      },
    };
    return {
      store: this.store,
      restart: async () => {
        this.#step();
        await this.#start();
        return null;
      },
      resetFailed: async () => this.#step(),
      health: async (version) => {
        const seen = await watchHealth(version, health, { ...HEALTH_LIMITS, everyMs: 5000 });
        this.#hasFailed ||= !seen.ok;
        return seen;
      },
      runningVersion: async () => this.#answer(),
      now: () => new Date(this.#nowMs).toISOString(),
    };
  }

  /** The timer fires: settle first, then install what is published when it is neither there nor bad. True: nothing was left to do. */
  async #updater(): Promise<boolean> {
    const ports = this.#ports();
    const settled = await settle(ports);
    if (settled.kind !== 'none') return false;
    const state = await this.store.load();
    const current = (await this.store.current()) ?? IMAGE;
    if (current === NEW.version || isBadRelease(state, NEW)) return true;
    if (this.#hasFailed) throw new Error('a release that was seen to fail is swapped in again');
    fs.mkdirSync(path.dirname(this.store.programOf(NEW.version)), { recursive: true });
    fs.writeFileSync(this.store.programOf(NEW.version), 'new');
    await activate(NEW, ports);
    return false;
  }

  /** Runs until an updater has nothing to do. Throws when that takes more boots or runs than any good outcome can. */
  async live(): Promise<void> {
    let mustBoot = true;
    for (let round = 0; round < 14; round += 1) {
      try {
        if (mustBoot) {
          this.boots += 1;
          this.#runs = null;
          await recover(this.store, IMAGE, new Date(this.#nowMs).toISOString());
          await this.#start();
          mustBoot = false;
        }
        if (await this.#updater()) return;
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
        if (error.what === 'shutdown') await this.#shutDown();
        // The boot step is ended by nothing but the power.
        mustBoot = mustBoot || error.what !== 'updater';
        if (mustBoot) this.cuts += 1;
      }
      this.#nowMs += 3_600_000;
    }
    throw new Error('it never comes to rest');
  }

  async #shutDown(): Promise<void> {
    try {
      await notePlannedShutdown(this.store);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  }

  /** The version that was there before, installed over the image. */
  async prepare(): Promise<void> {
    await this.store.prepare();
    const { before } = this.#case;
    if (before === null) return;
    fs.mkdirSync(path.dirname(this.store.programOf(before)), { recursive: true });
    fs.writeFileSync(this.store.programOf(before), 'before');
    await linkAtomic(`versions/${before}`, path.join(this.#dir, 'agent/current'));
    const state = { schema: 1, bad: [], installed: [{ version: before, sha256: 'e'.repeat(64), over: IMAGE }] };
    await writeAtomic(path.join(this.#dir, 'update.json'), JSON.stringify(state));
  }
}
