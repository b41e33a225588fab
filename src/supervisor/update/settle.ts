/**
 * From a verified version on disk to a verdict, in an order that survives a crash at every step. The verdict is written
 * before the swap back: the other order tries a bad release again. See docs/decisions/0017-updates.md.
 */
import type { Health } from './health.ts';
import {
  forgetOld,
  type InstalledVersion,
  isBadRelease,
  type PendingUpdate,
  type UpdateState,
  withBad,
  withInstalled,
  withoutPending,
} from './state.ts';
import type { VersionStore } from './store.ts';
import { compareVersions } from './version.ts';

export interface SettlePorts {
  readonly store: VersionStore;
  /** Restarts the agent; null when it was started, else why not. */
  readonly restart: () => Promise<string | null>;
  readonly resetFailed: () => Promise<void>;
  readonly health: (version: string) => Promise<Health>;
  readonly runningVersion: () => Promise<string | null>;
  readonly now: () => string;
}

export type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'installed'; readonly version: string }
  | { readonly kind: 'rolled_back'; readonly version: string; readonly why: string };

/** Swaps to a version whose file is complete, checked and on the disk, and judges it. */
export async function activate(release: InstalledVersion, ports: SettlePorts): Promise<Verdict> {
  const { store } = ports;
  const from = await store.current();
  const pending: PendingUpdate = { to: release.version, sha256: release.sha256, from, boots: 0, since: ports.now() };
  const state: UpdateState = { ...withInstalled(await store.load(), release), pending };
  await store.save(state);
  await store.swapTo(release.version);
  const fault = await ports.restart();
  return fault === null ? judge(state, pending, ports) : rollBack(state, pending, `it could not be started: ${fault}`, ports);
}

async function judge(state: UpdateState, pending: PendingUpdate, ports: SettlePorts): Promise<Verdict> {
  const health = await ports.health(pending.to);
  if (!health.ok) return rollBack(state, pending, health.why, ports);
  const last = { version: pending.to, outcome: 'installed', why: 'it lived through its health window', at: ports.now() } as const;
  await finish(withoutPending(state, last), [pending.to, pending.from], ports);
  return { kind: 'installed', version: pending.to };
}

/** Clears what was pending, and removes the versions that no way leads to any more. */
async function finish(state: UpdateState, keep: readonly (string | null)[], { store }: SettlePorts): Promise<void> {
  await store.save({ ...state, installed: state.installed.filter((i) => keep.includes(i.version)) });
  await store.prune(keep);
}

/** Verdict, swap, restart, clear. Every step may be repeated. */
async function rollBack(state: UpdateState, pending: PendingUpdate, why: string, ports: SettlePorts): Promise<Verdict> {
  const { store } = ports;
  const at = ports.now();
  const judged = withBad(state, { version: pending.to, sha256: pending.sha256, reason: 'health', at });
  await store.save(judged);
  await store.swapTo(pending.from);
  await ports.resetFailed();
  const fault = await ports.restart();
  const words = fault === null ? why : `${why}; and the version before it could not be started: ${fault}`;
  await finish(withoutPending(judged, { version: pending.to, outcome: 'rolled_back', why: words, at }), [pending.from], ports);
  return { kind: 'rolled_back', version: pending.to, why: words };
}

/** Removes what a run that was ended in the middle left: bad versions, and ones that were never swapped in. */
async function tidy(state: UpdateState, store: VersionStore): Promise<void> {
  const good = state.installed.filter((i) => !isBadRelease(state, i)).map((i) => i.version);
  await store.prune([await store.current(), ...good]);
}

/** What an updater does that finds an update without a verdict: the one before it was ended in the middle. */
export async function settle(ports: SettlePorts): Promise<Verdict> {
  const { store } = ports;
  const state = await store.load();
  const { pending } = state;
  if (pending === undefined) {
    await tidy(state, ports.store);
    return { kind: 'none' };
  }
  if (isBadRelease(state, { version: pending.to, sha256: pending.sha256 })) {
    return rollBack(state, pending, 'it was judged bad and the machine went down before the way back was done', ports);
  }
  const current = await store.current();
  if (current === pending.to) {
    // Swapped, perhaps never started: the old process would answer with its own version and fail the new one.
    if ((await ports.runningVersion()) !== pending.to) await ports.restart();
    return judge(state, pending, ports);
  }
  await store.save(withoutPending(state));
  return { kind: 'none' };
}

/** What the boot step found, for the log. */
export type Recovery = 'nothing' | 'cleared' | 'counted' | 'rolled_back' | 'image_is_newer';

/** The current version was laid over an older image; the image that boots now brings a newer one, which must not be hidden. */
async function imageIsNewer(state: UpdateState, current: string | null, image: string): Promise<boolean> {
  if (current === null) return false;
  const over = state.installed.find((i) => i.version === current)?.over ?? null;
  return over !== image && (compareVersions(image, current) ?? 1) >= 0;
}

/**
 * Before the agent starts, run from the image and never from the updated tree. Starts nothing. A release that takes the
 * machine down is back after two boots. `image`: version of the image's own program, which is the one that runs this.
 */
export async function recover(store: VersionStore, image: string, now: string): Promise<Recovery> {
  const found = await store.load();
  const state = forgetOld(found, now);
  const keep = async (next: UpdateState): Promise<void> => {
    if (JSON.stringify(next) !== JSON.stringify(found)) await store.save(next);
  };
  const current = await store.current();
  if (await imageIsNewer(state, current, image)) {
    await keep(withoutPending(state));
    await store.swapTo(null);
    return 'image_is_newer';
  }
  const { pending } = state;
  if (pending === undefined) {
    await keep(state);
    return 'nothing';
  }
  const isBad = isBadRelease(state, { version: pending.to, sha256: pending.sha256 });
  if (current !== pending.to && !isBad) {
    await keep(withoutPending(state));
    return 'cleared';
  }
  if (isBad || (pending.boots >= 1 && pending.planned !== true)) {
    const judged = withBad(state, { version: pending.to, sha256: pending.sha256, reason: 'crash_loop', at: now });
    await keep(judged);
    await store.swapTo(pending.from);
    const why = 'the machine went down twice before the new version was judged';
    await store.save(withoutPending(judged, { version: pending.to, outcome: 'rolled_back', why, at: now }));
    return 'rolled_back';
  }
  const { planned, ...rest } = pending;
  await keep({ ...state, pending: planned === true ? { ...rest, forgiven: true } : { ...rest, boots: rest.boots + 1 } });
  return 'counted';
}

/** Called when the updater is told to end while the window runs: the machine is being shut down in good order. */
export async function notePlannedShutdown(store: VersionStore): Promise<void> {
  const state = await store.load();
  if (state.pending === undefined || state.pending.forgiven === true) return;
  await store.save({ ...state, pending: { ...state.pending, planned: true } });
}
