/**
 * Does the new version live? Everything asked is on this box: a panel that is down must neither roll a release back nor
 * bless it. Source: A8.5.
 */
export interface ServiceLook {
  readonly isActive: boolean;
  /** Changes with every start: invocation and main process. */
  readonly identity: string;
  readonly mainPid: number | null;
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
  /** How long it may take until it first answers. */
  readonly startMs: number;
  readonly everyMs: number;
  /** Questions in a row that a busy machine may leave unanswered. */
  readonly mayMiss: number;
}

export const HEALTH_LIMITS: HealthLimits = { windowMs: 60_000, startMs: 45_000, everyMs: 2000, mayMiss: 4 };

export type Health = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** `fault`: over at once. `missing`: not there yet, or a moment too busy to answer. */
type Sample = { readonly kind: 'good' | 'missing' | 'fault'; readonly why: string; readonly identity: string | null };

async function sample(version: string, ports: HealthPorts, identity: string | null): Promise<Sample> {
  const look = await ports.service.look();
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

async function watch(version: string, ports: HealthPorts, limits: HealthLimits): Promise<Health> {
  const beganMs = ports.monoMs();
  let goodSinceMs: number | null = null;
  let identity: string | null = null;
  let missed = 0;
  const starts = new Set<string>();
  for (;;) {
    const now: Sample = await sample(version, ports, goodSinceMs === null ? null : identity);
    const nowMs = ports.monoMs();
    if (now.identity !== null) starts.add(now.identity);
    if (now.kind === 'fault' && (goodSinceMs !== null || nowMs - beganMs >= limits.startMs)) return { ok: false, why: now.why };
    if (now.kind === 'good') {
      missed = 0;
      identity = now.identity;
      goodSinceMs ??= nowMs;
      if (nowMs - goodSinceMs >= limits.windowMs) return { ok: true };
    } else if (goodSinceMs === null) {
      const why = starts.size > 1 ? 'it ends again and again without ever having answered' : now.why;
      if (nowMs - beganMs >= limits.startMs) return { ok: false, why: `after ${Math.round(limits.startMs / 1000)} s: ${why}` };
    } else {
      missed += 1;
      if (missed > limits.mayMiss) return { ok: false, why: now.why };
    }
    await ports.sleep(limits.everyMs);
  }
}
