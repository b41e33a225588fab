/** How long until the next attempt to enrol. Pure; random numbers come in. See docs/panel-api.md. */
import { backoffMs, DEFAULT_INTERVAL_MS, MAX_BACKOFF_MS } from '../pull/backoff.ts';
import { retryAfterMs } from '../pull/retry-after.ts';

/** `soon`: growing backoff. `cap`: the longest backoff at once. `stop`: not again with this token. */
export type Pace = 'soon' | 'cap' | 'hourly' | 'stop';

const HOUR_MS = 3_600_000;
/** How often it looks for a new token or code. A serial number stays for a boot; a code comes when somebody types it. */
export const LOOK_MS = 5000;
const JITTER = 0.2;

function ownDelayMs(pace: Pace, failures: number, random: () => number): number {
  switch (pace) {
    case 'soon':
      return backoffMs(failures, DEFAULT_INTERVAL_MS, random);
    case 'cap':
      return MAX_BACKOFF_MS * (0.5 + 0.5 * random());
    case 'hourly':
      return HOUR_MS * (1 + JITTER * random());
    case 'stop':
      return LOOK_MS;
  }
}

/** The larger of our own delay and the one that the panel asks for, which all machines got alike and is spread too. */
export function enrolDelayMs(pace: Pace, failures: number, retryAfter: string | undefined, wallMs: number, random: () => number): number {
  const asked = (retryAfterMs(retryAfter, wallMs) ?? 0) * (1 + JITTER * random());
  return Math.max(asked, ownDelayMs(pace, failures, random));
}
