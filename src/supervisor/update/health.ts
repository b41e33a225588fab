/**
 * Does the new version live? Everything asked is on this box: a panel that is down must neither roll a release back nor
 * bless it. See docs/decisions/0017-updates.md.
 */
import { startedAnew } from '../starts.ts';

export interface ServiceLook {
  readonly isActive: boolean;
  /** Changes with every start: invocation and main process. */
  readonly identity: string;
  readonly mainPid: number | null;
  /** How often the service manager started it again by itself. */
  readonly restarts: number;
  /** As the service manager says it, for people: `failed (exit-code)`. */
  readonly words: string;
}

export interface ServicePort {
  /** Null when it was started; otherwise why not, in words. */
  readonly restart: () => Promise<string | null>;
  /** Forgets that it failed too often: a crash loop has used up its starts. */
  readonly resetFailed: () => Promise<void>;
  /** Null when the service manager cannot be asked. */
  readonly look: () => Promise<ServiceLook | null>;
  /** The whole machine is being shut down. */
  readonly isGoingDown: () => Promise<boolean>;
}

/** Services end because the machine does: that is no fault of theirs, and the verdict waits for the next boot. */
export class GoingDown extends Error {}

/** What the agent wrote once it had loaded identity and configuration from the disk. */
export interface ReadyMark {
  readonly version: string;
  readonly pid: number;
}

export interface HealthPorts {
  readonly service: ServicePort;
  /** What answers on the status socket says of itself; null when nothing does. */
  readonly runningVersion: () => Promise<string | null>;
  readonly ready: () => Promise<ReadyMark | null>;
  readonly monoMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface HealthLimits {
  /** How long it must live without a flaw. */
  readonly windowMs: number;
  /** How long a service that does not stay up, or answers wrongly, has until it is well. */
  readonly startMs: number;
  /** How long one that runs and says nothing yet has. */
  readonly slowMs: number;
  readonly everyMs: number;
  /** How long a busy machine may be silent once it was well. */
  readonly silentMs: number;
}

/**
 * Bad health is never forgotten, so a machine that is only slow must not look like it: on one with two processors and a load of 8 the
 * agent took 48 s to its first answer, and a minute until it had loaded everything.
 */
export const HEALTH_LIMITS: HealthLimits = { windowMs: 60_000, startMs: 45_000, slowMs: 180_000, everyMs: 2000, silentMs: 30_000 };

export type Health = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** `fault`: over at once. `missing`: not there yet, or a moment too busy to answer. */
type Sample = { readonly kind: 'good' | 'missing' | 'fault'; readonly why: string; readonly identity: string | null };

async function judgeLook(look: ServiceLook | null, version: string, ports: HealthPorts, identity: string | null): Promise<Sample> {
  if (look === null) return { kind: 'missing', why: 'the service manager does not answer', identity: null };
  if (identity !== null && look.identity !== identity)
    return { kind: 'fault', why: `the service was started again within the window, ${look.words}`, identity };
  if (!look.isActive) return { kind: 'missing', why: `the service is ${look.words}`, identity: null };
  const running = await ports.runningVersion();
  if (running === null) return { kind: 'missing', why: 'nothing answers on the status socket', identity: look.identity };
  if (running !== version) return { kind: 'fault', why: `version ${running} answers instead of ${version}`, identity: look.identity };
  const ready = await ports.ready();
  if (ready === null || ready.version !== version || (look.mainPid !== null && ready.pid !== look.mainPid))
    return { kind: 'missing', why: 'it has not loaded its identity and configuration', identity: look.identity };
  return { kind: 'good', why: '', identity: look.identity };
}

/**
 * Watches a service that was just started. Resolves at the first flaw, or when the window has passed without one.
 * @throws GoingDown when what looks like a flaw is the shutdown of the machine
 */
export async function watchHealth(version: string, ports: HealthPorts, limits: HealthLimits): Promise<Health> {
  const health = await watch(version, ports, limits);
  if (!health.ok && (await ports.service.isGoingDown())) throw new GoingDown('the machine is being shut down');
  return health;
}

/** Seconds of a limit, for a sentence. */
const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

async function watch(version: string, ports: HealthPorts, limits: HealthLimits): Promise<Health> {
  const beganMs = ports.monoMs();
  let goodSinceMs: number | null = null;
  let lastGoodMs = beganMs;
  let identity: string | null = null;
  let restartsBefore: number | null = null;
  let anew: string | null = null;
  for (;;) {
    const look = await ports.service.look();
    const now: Sample = await judgeLook(look, version, ports, goodSinceMs === null ? null : identity);
    const nowMs = ports.monoMs();
    if (look !== null) {
      restartsBefore ??= look.restarts;
      anew = startedAnew(restartsBefore, look.restarts);
    }
    if (now.kind === 'good') {
      lastGoodMs = nowMs;
      identity = now.identity;
      goodSinceMs ??= nowMs;
      if (nowMs - goodSinceMs >= limits.windowMs) return { ok: true };
    } else if (goodSinceMs === null) {
      // A service manager that does not answer says nothing about the service.
      const isDown = look !== null && (!look.isActive || anew !== null);
      const limitMs = isDown || now.kind === 'fault' ? limits.startMs : limits.slowMs;
      // Between two starts of a crash loop a service looks like one that is slow to start.
      const why = anew === null ? now.why : `${anew}, and never answered; ${now.why}`;
      if (nowMs - beganMs >= limitMs) return { ok: false, why: `after ${seconds(limitMs)}: ${why}` };
    } else if (now.kind === 'fault') return { ok: false, why: now.why };
    else if (nowMs - lastGoodMs >= limits.silentMs) return { ok: false, why: `for ${seconds(limits.silentMs)}: ${now.why}` };
    await ports.sleep(limits.everyMs);
  }
}
