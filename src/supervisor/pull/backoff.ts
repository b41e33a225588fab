/** How long to wait before the next request. Pure; random numbers come in. See docs/panel-api.md. */
import type { Pace } from './responses.ts';

export const DEFAULT_INTERVAL_MS = 5000;
const MIN_INTERVAL_MS = 2000;
const MAX_INTERVAL_MS = 300_000;
const JITTER = 0.2;
export const MAX_BACKOFF_MS = 300_000;
const MAX_EXPONENT = 20;
const GONE_CONFIRM_MS = 60_000;
const GONE_MS = 3_600_000;
/** A longer timer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 2;
/** After an outage of this many failures the status report waits, so that a fleet does not come back in one burst. */
const OUTAGE_FAILURES = 3;
const AFTER_OUTAGE_MS = 30_000;

/** 0 up to and without 1. */
export type Random = () => number;

const between = (low: number, high: number, random: Random): number => low + (high - low) * random();
export const timerMs = (ms: number): number => Math.min(MAX_TIMER_MS, Math.max(0, Math.round(ms)));

/** `poll_seconds` of the panel as milliseconds, 2 s to 300 s. */
export const intervalMs = (pollSeconds: number | undefined): number =>
  pollSeconds === undefined || !Number.isFinite(pollSeconds)
    ? DEFAULT_INTERVAL_MS
    : Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, pollSeconds * 1000));

/** Before the first request of a process, so that a host that starts all its guests at once does not start them in step. */
export const firstDelayMs = (interval: number, random: Random): number => timerMs(between(0, interval, random));

/** Failure number `failures` in a row, from 1. The draw comes after the cap; before it, jitter vanishes at the cap. */
export function backoffMs(failures: number, base: number, random: Random): number {
  const ceil = Math.min(MAX_BACKOFF_MS, base * 2 ** Math.min(MAX_EXPONENT, Math.max(1, failures)));
  return timerMs(between(Math.min(base / 2, ceil), ceil, random));
}

/** One success does not end an outage: the count is halved. */
export const failuresAfter = (failures: number, isSuccess: boolean): number =>
  isSuccess ? Math.floor(failures / 2) : Math.min(Number.MAX_SAFE_INTEGER, failures + 1);

export const reportDelayAfterOutageMs = (failuresBefore: number, random: Random): number =>
  failuresBefore < OUTAGE_FAILURES ? 0 : timerMs(between(0, AFTER_OUTAGE_MS, random));

export interface Wait {
  readonly pace: Pace;
  /** Failures in a row, this one included. */
  readonly failures: number;
  /** Answers "gone" in a row, this one included. */
  readonly goneCount: number;
  readonly intervalMs: number;
  /** What the panel asked for, already read and clamped. */
  readonly retryAfterMs: number | null;
}

function ownDelayMs(wait: Wait, random: Random): number {
  switch (wait.pace) {
    case 'normal':
      return between(wait.intervalMs * (1 - JITTER), wait.intervalMs * (1 + JITTER), random);
    case 'backoff':
      return backoffMs(wait.failures, wait.intervalMs, random);
    case 'cap':
      return between(MAX_BACKOFF_MS / 2, MAX_BACKOFF_MS, random);
    case 'gone': {
      const ms = wait.goneCount < 2 ? GONE_CONFIRM_MS : GONE_MS;
      return between(ms, ms * (1 + JITTER), random);
    }
  }
}

/** The larger of our own delay and the one that the panel asked for, which every client got alike and is spread too. */
export function delayMs(wait: Wait, random: Random): number {
  const asked = wait.retryAfterMs === null ? 0 : between(wait.retryAfterMs, wait.retryAfterMs * (1 + JITTER), random);
  return timerMs(Math.max(asked, ownDelayMs(wait, random)));
}
