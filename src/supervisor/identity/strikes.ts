/** When an identity counts as refused. Nothing is ever deleted for it. Pure. See docs/decisions/0013-identity.md. */
import type { Source } from './document.ts';

const STRIKES = 3;
const SPREAD_MS = 300_000;
const GONE = 2;
const GONE_SPREAD_MS = 60_000;
/** Refusals on purpose in a row, told by their header. */
const REVOCATIONS = 2;

export interface Standing {
  /** Refusals without an accepted request between. */
  readonly strikes: number;
  readonly firstStrikeMs: number;
  /** 410 in a row. */
  readonly gone: number;
  readonly firstGoneMs: number;
  readonly revocations: number;
  /** Word of the last header, and when it came. */
  readonly revocation: string | null;
  readonly verdict: 'accepted' | 'revoked' | 'retired';
}

export const CLEAN: Standing = {
  strikes: 0,
  firstStrikeMs: 0,
  gone: 0,
  firstGoneMs: 0,
  revocations: 0,
  revocation: null,
  verdict: 'accepted',
};

const isAccepted = (status: number): boolean => (status >= 200 && status < 300) || status === 304;

function struck(s: Standing, source: Source, nowMs: number): Standing {
  // A paired box is revoked by the header only: a 404 of a proxy once took a whole fleet down.
  if (source === 'code' || s.verdict !== 'accepted') return s.gone === 0 || s.verdict === 'retired' ? s : { ...s, gone: 0 };
  const firstStrikeMs = s.strikes === 0 ? nowMs : s.firstStrikeMs;
  const strikes = s.strikes + 1;
  const isRevoked = strikes >= STRIKES && nowMs - firstStrikeMs >= SPREAD_MS;
  return { ...s, strikes, firstStrikeMs, gone: 0, verdict: isRevoked ? 'revoked' : s.verdict };
}

function gone(s: Standing, nowMs: number): Standing {
  if (s.verdict === 'retired') return s;
  const firstGoneMs = s.gone === 0 ? nowMs : s.firstGoneMs;
  const count = s.gone + 1;
  return { ...s, gone: count, firstGoneMs, verdict: count >= GONE && nowMs - firstGoneMs >= GONE_SPREAD_MS ? 'retired' : s.verdict };
}

/** Standing after an answer to an authenticated request; the same object when nothing changes. `nowMs` never runs backwards. */
export function standingAfter(s: Standing, source: Source, status: number, nowMs: number): Standing {
  if (isAccepted(status)) return CLEAN;
  if (status === 410) return gone(s, nowMs);
  if (status === 401 || status === 403 || status === 404) return struck(s, source, nowMs);
  // Busy or broken says nothing about us.
  return s;
}

/** The same for the header of a refusal on purpose; null: the answer had none. Paired boxes only. */
export function standingAfterHeader(s: Standing, revocation: string | null): Standing {
  if (revocation === null) return s.revocations === 0 ? s : { ...s, revocations: 0 };
  // Said already; how often makes no difference, and every change is a write.
  if (s.verdict === 'revoked' && s.revocation === revocation && s.revocations >= REVOCATIONS) return s;
  const revocations = s.revocations + 1;
  return { ...s, revocations, revocation, verdict: revocations >= REVOCATIONS ? 'revoked' : s.verdict };
}
