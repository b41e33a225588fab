/**
 * A box that can lose power before any operation on its disk or its daemon. The store and the steps are the real ones, on a real
 * directory; only the daemon is a model, and power is what the test takes away.
 */

import fs from 'node:fs';
import path from 'node:path';
import type { StoredConfig } from '#model/pull.ts';
import { Applier } from '#supervisor/apply/applier.ts';
import { type StoreFiles, storeFiles } from '#supervisor/apply/files.ts';
import { HEALTH } from '#supervisor/apply/health.ts';
import { markOf } from '#supervisor/apply/records.ts';
import type { ConfigStore } from '#supervisor/apply/store.ts';
import { bad, type Daemon, EMPTY_MARK, good, type Kind, type Outcome } from '#supervisor/kinds/kind.ts';
import { sha256Of } from '#supervisor/pull/envelope.ts';

export type Nature = 'good' | 'fails check' | 'unhealthy' | 'fails reload' | 'panics' | 'dies late';

/** Thrown by every operation from the moment the power is gone. */
export class PowerCut extends Error {}

/** A configuration whose only content is what it does to the daemon. */
export function stored(version: number, nature: Nature): StoredConfig {
  const body = JSON.stringify({ schema: 1, kind: 'lb', device_id: 'd1', version, config: { nature } });
  return { etag: `"v${version}"`, sha256: sha256Of(body), received_at: '2026-11-30T00:00:00.000Z', body, envelope: JSON.parse(body) };
}

export const modelKind = (emptyDir: string): Kind => ({
  kind: 'lb',
  unit: 'model.service',
  emptyDir,
  prepare: (config) => ({
    ok: true,
    prepared: {
      files: (mark) => [
        { name: 'nature', text: (config as { nature: string }).nature, mode: 0o600 },
        { name: 'sub/mark', text: mark, mode: 0o600 },
      ],
      expected: [],
      listens: [],
      secrets: [],
      notices: () => [],
    },
  }),
});

export class World {
  readonly dir: string;
  readonly emptyDir: string;
  /** Operations until the power goes; Infinity: it stays. */
  fuse = Number.POSITIVE_INFINITY;
  isDead = false;
  operations = 0;
  panics = 0;
  boots = 0;
  nowMs = 1_700_000_000_000;
  #runs: { readonly nature: Nature; readonly mark: string; readonly sinceMs: number } | null = null;
  #pid = 1;
  #hasTriedBad = false;
  #wasTakenBack = false;
  /** Looks at a moment when the daemon was asked to serve and had nothing to serve with. */
  readonly faults: string[] = [];

  constructor(dir: string) {
    this.dir = path.join(dir, 'config');
    this.emptyDir = path.join(dir, 'empty');
    fs.mkdirSync(path.join(this.emptyDir, 'sub'), { recursive: true });
    fs.writeFileSync(path.join(this.emptyDir, 'nature'), 'good');
    fs.writeFileSync(path.join(this.emptyDir, 'sub/mark'), EMPTY_MARK);
  }

  get runs(): string | null {
    return this.#runs?.mark ?? null;
  }

  /** Every operation passes here. */
  #step(): void {
    if (this.isDead) throw new PowerCut();
    this.operations += 1;
    this.fuse -= 1;
    if (this.fuse < 0) this.die();
  }

  die(): never {
    this.isDead = true;
    throw new PowerCut();
  }

  files(): StoreFiles {
    const guard =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        this.#step();
        return work(...args);
      };
    return {
      read: guard(storeFiles.read),
      write: async (file, text, mode) => {
        try {
          this.#step();
        } catch (error) {
          // Cut in the middle of the write: what it had made so far stays.
          const half = path.join(path.dirname(file), `.${path.basename(file)}.1.0123456789ab.new`);
          if (fs.existsSync(path.dirname(file))) fs.writeFileSync(half, text.slice(0, text.length / 2));
          throw error;
        }
        await storeFiles.write(file, text, mode);
      },
      link: guard(storeFiles.link),
      readLink: guard(storeFiles.readLink),
      rename: guard(storeFiles.rename),
      remove: guard(storeFiles.remove),
      list: guard(storeFiles.list),
      makeDir: guard(storeFiles.makeDir),
      sweep: guard(storeFiles.sweep),
    };
  }

  #load(folder: string): { nature: Nature; mark: string } | null {
    try {
      const nature = fs.readFileSync(path.join(folder, 'nature'), 'utf8') as Nature;
      return { nature, mark: fs.readFileSync(path.join(folder, 'sub/mark'), 'utf8') };
    } catch {
      return null;
    }
  }

  /** The daemon reads `current`, as at boot and at a reload. */
  start(): Outcome {
    const found = this.#load(path.join(this.dir, 'current'));
    if (found === null) {
      this.faults.push('the daemon found no configuration');
      return bad('no configuration');
    }
    if (found.nature !== 'good') {
      if (this.#wasTakenBack) this.faults.push('what had been taken back was tried again before its time');
      this.#hasTriedBad = true;
    } else if (this.#hasTriedBad) {
      this.#wasTakenBack = true;
    }
    if (found.nature === 'panics') {
      this.panics += 1;
      this.die();
    }
    // As HAProxy does it: what cannot start leaves the old one at work.
    if (found.nature === 'fails reload') return this.#runs === null ? bad('does not start') : good;
    this.#runs = { ...found, sinceMs: this.nowMs };
    return good;
  }

  daemon(): Daemon {
    const at = async <T>(work: () => T): Promise<T> => {
      this.#step();
      return work();
    };
    return {
      check: (dir) => at(() => (this.#load(dir)?.nature === 'fails check' ? bad('refused') : good)),
      reload: () => at(() => this.start()),
      state: () =>
        at(() => {
          const { nature, sinceMs } = this.#runs ?? { nature: 'good', sinceMs: 0 };
          if (nature === 'dies late' && this.nowMs - sinceMs >= 14_000) this.#pid += 1;
          return { isActive: this.#runs !== null, mainPid: this.#pid, restarts: 0 };
        }),
      probe: (mark) => at(() => (this.#runs?.mark === mark && this.#runs.nature !== 'unhealthy' ? good : bad('not well'))),
      version: async () => '1',
    };
  }

  /** Power again: nothing of memory is left, the disk is as it was. */
  boot(): void {
    this.isDead = false;
    this.boots += 1;
    this.#runs = null;
    // Only who led the way back itself has to know what was wrong.
    this.#hasTriedBad = false;
    this.#pid += 100;
  }

  readonly pause = {
    monoMs: () => this.nowMs,
    sleep: async (ms: number) => {
      this.nowMs += ms;
    },
  };

  /** The folder that `current` leads to holds a whole configuration. */
  currentMark(): string | null {
    return this.#load(path.join(this.dir, 'current'))?.mark ?? null;
  }

  /** A word for `mark`: the version, or `empty`. */
  nameOf(configs: readonly StoredConfig[], mark: string | null): string {
    if (mark === null) return 'nothing';
    const found = configs.find((c) => markOf(c.sha256) === mark);
    return found ? String(found.envelope.version) : mark;
  }
}

/** The agent's applier at work in that world, until it rests. */
export async function applyStored(world: World, store: ConfigStore): Promise<void> {
  const context = {
    store,
    kind: modelKind(world.emptyDir),
    daemon: world.daemon(),
    pause: world.pause,
    wallMs: () => world.nowMs,
    agentVersion: '1',
    bootId: `boot ${world.boots}`,
    health: HEALTH,
  };
  const applier = new Applier(context, { onChange: () => undefined, log: () => undefined, after: () => () => undefined });
  applier.kick();
  await applier.settled();
}
