/** What a kind of appliance brings: a reader of its configuration, a renderer, and a daemon. One folder below this one each. */
import type { ApplianceKind } from '#model/pull.ts';

/** The message is one sentence for an operator. */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

export const good: Outcome = { ok: true };
export const bad = (message: string): Outcome => ({ ok: false, message });

export interface RenderedFile {
  /** Relative to the generation's folder. */
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

/** Where a configuration wants to listen; null: on every address. */
export interface ListenPlace {
  readonly address: string | null;
  readonly port: number;
}

/** A configuration that its kind's schema has passed. */
export interface Prepared {
  /** Pure. `mark` names the generation inside its files, so that a probe can tell which one runs. */
  readonly files: (mark: string) => readonly RenderedFile[];
  /** What a probe must find running: names of frontends, for instance. */
  readonly expected: readonly string[];
  readonly listens: readonly ListenPlace[];
  /** Texts that must never stand in a message. */
  readonly secrets: readonly string[];
  /** What deserves a warning although the configuration is right: material that is about to expire. */
  readonly notices: (nowMs: number) => readonly string[];
}

export type Preparation = { readonly ok: true; readonly prepared: Prepared } | { readonly ok: false; readonly message: string };

export interface DaemonState {
  readonly isActive: boolean;
  /** Null when there is none, or it is not known. */
  readonly mainPid: number | null;
  /** How often the service manager has started it again by itself; null where nothing counts that. */
  readonly restarts: number | null;
}

/** The daemon behind a kind, as the apply steps need it. Nothing here asks the panel or an upstream. */
export interface Daemon {
  /**
   * The daemon's own checker on a staged tree, judged by its exit status alone, and a look whether the places that are new can be
   * had: a daemon that finds one taken may let go of the others while it tries.
   */
  readonly check: (dir: string, newPlaces: readonly ListenPlace[]) => Promise<Outcome>;
  /** Makes it read `current` again; starts it when it does not run. */
  readonly reload: () => Promise<Outcome>;
  readonly state: () => Promise<DaemonState>;
  /** Does generation `mark` run, with everything that is expected of it? Starts no process. */
  readonly probe: (mark: string, expected: readonly string[]) => Promise<Outcome>;
  readonly version: () => Promise<string | null>;
  /** The main process that an agent before this one had started and left behind well, where no service manager keeps it. */
  readonly predecessorPid?: number | null;
}

export interface Kind {
  readonly kind: ApplianceKind;
  /** Of the daemon, for messages. */
  readonly unit: string;
  /** A valid configuration that serves nothing, part of the image. */
  readonly emptyDir: string;
  readonly prepare: (config: unknown) => Preparation;
}

/** The mark of the shipped configuration. */
export const EMPTY_MARK = 'empty';
