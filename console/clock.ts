/** Times in the zone of the box. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known) return known;
  const options: Intl.DateTimeFormatOptions = {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  };
  let made: Intl.DateTimeFormat;
  try {
    made = new Intl.DateTimeFormat('en-GB', options);
  } catch {
    made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  }
  formats.set(timezone, made);
  return made;
}

export interface LocalTime {
  /** `2026-11-30` */
  readonly date: string;
  /** `15:55:53` */
  readonly time: string;
  /** `UTC`, `CET`, `GMT+5` */
  readonly zone: string;
}

/** The furthest a Date reaches. */
const LAST_MS = 8.64e15;

/** An unknown zone counts as UTC and says so. A moment that is none has a `?` for date and time. */
export function localTime(wallMs: number, timezone: string): LocalTime {
  if (!(Math.abs(wallMs) <= LAST_MS)) return { date: '?', time: '?', zone: '?' };
  const parts = Object.fromEntries(
    formatFor(timezone)
      .formatToParts(wallMs)
      .map((p) => [p.type, p.value]),
  );
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    time: `${parts['hour']}:${parts['minute']}:${parts['second']}`,
    zone: parts['timeZoneName'] ?? 'UTC',
  };
}

export const localTimeOf = (iso: string, timezone: string): LocalTime => localTime(Date.parse(iso), timezone);
