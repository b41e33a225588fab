/** What is remembered of updates, `update.json`. Pure: parsing, ageing, small changes. See docs/decisions/0017-updates.md. */
import { isRecord, parseJson } from '#model/json.ts';

export interface PendingUpdate {
  /** Version on its way in, and its hash. */
  readonly to: string;
  readonly sha256: string;
  /** Version to go back to; null: the image's own. */
  readonly from: string | null;
  /** Boots since the swap that no verdict followed. */
  readonly boots: number;
  readonly since: string;
  /** The machine was shut down in good order during the window: the next boot does not count. */
  readonly planned?: boolean;
  /** A planned shutdown was forgiven once; a release that asks for one at each start must not live on it. */
  readonly forgiven?: boolean;
}

/** Why a release is not tried again. */
export type BadReason = 'health' | 'crash_loop' | 'self_check';

export interface BadRelease {
  readonly version: string;
  readonly sha256: string;
  readonly reason: BadReason;
  readonly at: string;
}

/** A version on disk. */
export interface InstalledVersion {
  readonly version: string;
  readonly sha256: string;
  /** Version of the image it was installed over: a newer image replaces it. */
  readonly over: string | null;
}

export type Outcome = 'installed' | 'rolled_back' | 'refused' | 'failed';

export interface LastUpdate {
  readonly version: string;
  readonly outcome: Outcome;
  /** One sentence. */
  readonly why: string;
  readonly at: string;
}

export interface UpdateState {
  readonly schema: 1;
  readonly pending?: PendingUpdate;
  readonly bad: readonly BadRelease[];
  readonly installed: readonly InstalledVersion[];
  readonly last?: LastUpdate;
}

export const EMPTY_STATE: UpdateState = { schema: 1, bad: [], installed: [] };

const MAX_BAD = 20;
const DAY_MS = 86_400_000;
/** Two power cuts look like a crash loop, and a self-check fails by what the box holds that day. Bad health stays. */
const FORGET_AFTER_MS: Readonly<Record<BadReason, number | null>> = { crash_loop: 7 * DAY_MS, self_check: 7 * DAY_MS, health: null };

const isString = (v: unknown): v is string => typeof v === 'string';
const isStringOrNull = (v: unknown): v is string | null => v === null || isString(v);

const isPending = (v: unknown): boolean =>
  isRecord(v) &&
  isString(v['to']) &&
  isString(v['sha256']) &&
  isStringOrNull(v['from']) &&
  Number.isInteger(v['boots']) &&
  isString(v['since']);
const isBad = (v: unknown): boolean =>
  isRecord(v) && isString(v['version']) && isString(v['sha256']) && isString(v['at']) && String(v['reason']) in FORGET_AFTER_MS;
const isInstalled = (v: unknown): boolean => isRecord(v) && isString(v['version']) && isString(v['sha256']) && isStringOrNull(v['over']);
const isLast = (v: unknown): boolean =>
  isRecord(v) && isString(v['version']) && isString(v['outcome']) && isString(v['why']) && isString(v['at']);

/** null for a text that is no state: the caller puts the file aside. */
export function parseState(text: string): UpdateState | null {
  const v = parseJson(text);
  if (!isRecord(v) || v['schema'] !== 1) return null;
  const { pending, bad, installed, last } = v;
  const isWhole =
    (pending === undefined || isPending(pending)) &&
    Array.isArray(bad) &&
    bad.every(isBad) &&
    Array.isArray(installed) &&
    installed.every(isInstalled) &&
    (last === undefined || isLast(last));
  return isWhole ? (v as unknown as UpdateState) : null;
}

export const isBadRelease = (state: UpdateState, release: { readonly version: string; readonly sha256: string }): boolean =>
  state.bad.some((b) => b.version === release.version && b.sha256 === release.sha256);

/** Drops bad entries whose time is over. One dated after `now`, by a clock that was wrong, counts from now. */
export function forgetOld(state: UpdateState, now: string): UpdateState {
  const nowMs = Date.parse(now);
  const bad = state.bad
    .map((b) => (Date.parse(b.at) > nowMs ? { ...b, at: now } : b))
    .filter((b) => {
      const limitMs = FORGET_AFTER_MS[b.reason];
      return limitMs === null || !(nowMs - Date.parse(b.at) >= limitMs);
    });
  return JSON.stringify(bad) === JSON.stringify(state.bad) ? state : { ...state, bad };
}

/** The state with one release more that is not tried again; the newest entries are kept. */
export const withBad = (state: UpdateState, entry: BadRelease): UpdateState =>
  isBadRelease(state, entry) ? state : { ...state, bad: [...state.bad, entry].slice(-MAX_BAD) };

export function withoutPending(state: UpdateState, last?: LastUpdate): UpdateState {
  const { pending: _, ...rest } = state;
  return last === undefined ? rest : { ...rest, last };
}

export const withInstalled = (state: UpdateState, entry: InstalledVersion): UpdateState => ({
  ...state,
  installed: [...state.installed.filter((i) => i.version !== entry.version), entry],
});
