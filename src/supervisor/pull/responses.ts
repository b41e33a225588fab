/**
 * What an answer of the panel means, as a table. Whatever it says, the running configuration and the identity stay.
 * See docs/panel-api.md.
 */
import type { PanelFault } from '#model/pull.ts';

/** How long until the next request: see `backoff.ts`. */
export type Pace =
  /** The interval of the panel. */
  | 'normal'
  /** Growing with the failures in a row. */
  | 'backoff'
  /** What waiting shortly will not mend: the longest backoff at once. */
  | 'cap'
  /** The panel says that this device is gone: once more soon, then hourly. */
  | 'gone';

export type Meaning = 'new' | 'unassigned' | 'unchanged' | 'failure';

export interface Row {
  readonly meaning: Meaning;
  readonly pace: Pace;
  /** Retry-After counts here. */
  readonly honoursRetryAfter: boolean;
  /** The tag is not sent again until a body has come with one. */
  readonly forgetsTag: boolean;
  /** Stable, for people and scripts; null when all is well. */
  readonly code: string | null;
  readonly message: string | null;
}

const success = (meaning: Meaning): Row => ({
  meaning,
  pace: 'normal',
  honoursRetryAfter: false,
  forgetsTag: false,
  code: null,
  message: null,
});

const failure = (pace: Pace, code: string, message: string, more: Partial<Row> = {}): Row => ({
  ...success('failure'),
  pace,
  code,
  message,
  ...more,
});

const busy = (status: number): Row =>
  failure('backoff', `POL-${status}`, `the panel is busy or broken (it answers ${status})`, { honoursRetryAfter: true });
const wrong = (status: number): Row =>
  failure('cap', `POL-${status}`, `the panel does not understand the request (it answers ${status}): versions do not fit`);

const STATUSES: Readonly<Record<number, Row>> = {
  200: success('new'),
  204: success('unassigned'),
  304: success('unchanged'),
  401: failure('backoff', 'POL-401', 'the panel does not accept the credential of this device'),
  403: failure('backoff', 'POL-403', 'the panel knows this device and does not allow it: not approved, or suspended'),
  404: failure('backoff', 'POL-404', 'the panel does not know this device or this address'),
  408: busy(408),
  410: failure('gone', 'POL-410', 'the panel says that this device is retired'),
  425: busy(425),
  429: busy(429),
};

/** The row of an HTTP status. Redirects are never followed: the credential goes to one host only. */
export function rowOfStatus(status: number): Row {
  const row = STATUSES[status];
  if (row) return row;
  if (status >= 300 && status < 400) {
    return failure('backoff', `POL-${status}`, 'the panel sends us elsewhere (redirected); the credential is not sent there');
  }
  return status >= 500 ? busy(status) : wrong(status);
}

const FAULTS: Readonly<Record<PanelFault, Row>> = {
  unreachable: failure('backoff', 'POL-UNREACHABLE', 'the panel cannot be reached'),
  timeout: failure('backoff', 'POL-TIMEOUT', 'the panel does not answer in time'),
  cut: failure('backoff', 'POL-CUT', 'the answer of the panel broke off', { forgetsTag: true }),
  too_large: failure('backoff', 'POL-SIZE', 'the answer of the panel is over 1 MiB', { forgetsTag: true }),
  tls_clock: failure('backoff', 'POL-CLOCK', 'the certificate of the panel is not valid yet: is the clock of this box right?'),
  tls_expired: failure('backoff', 'POL-EXPIRED', 'the certificate of the panel has expired, or the clock of this box is wrong'),
  tls_pin: failure('cap', 'POL-PIN', 'the key of the panel is not the pinned one: a wrong server, or the panel has a new key'),
  tls_name: failure('cap', 'POL-NAME', 'the certificate of the panel is made for another name'),
  tls_issuer: failure('cap', 'POL-ISSUER', 'the certificate of the panel is not signed by one that is trusted'),
  tls_other: failure('backoff', 'POL-TLS', 'no secure connection to the panel'),
};

export const rowOfFault = (fault: PanelFault): Row => FAULTS[fault];

/** A 304 although no tag was sent. */
export const UNASKED_304: Row = failure('backoff', 'POL-304', 'the panel says "unchanged" to a request that had no tag', {
  forgetsTag: true,
});

/** A 200 whose body is no JSON of a panel: truncation, or the sign-in page of a network. */
export const garbled = (why: string): Row =>
  failure('backoff', 'POL-BODY', `the answer is not one of a panel: ${why}`, { forgetsTag: true });
