/** Time zones, judged from the list that ships with the program, never from the machine that lints. */
import type { Case, Fault, Reading } from './case.ts';
import { nearest } from './nearest.ts';
import type { Show } from './show.ts';
import { RENAMED_ZONES, ZONE_NAMES } from './zones.gen.ts';

interface Zones {
  readonly today: ReadonlySet<string>;
  readonly renamed: ReadonlyMap<string, string>;
}

let loaded: Zones | null = null;

/** Split once, at the first question. */
function zones(): Zones {
  loaded ??= {
    today: new Set(ZONE_NAMES.trim().split(' ')),
    renamed: new Map(
      RENAMED_ZONES.trim()
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    ),
  };
  return loaded;
}

/** Names for a picker, today's only, sorted. */
export const zoneNames = (): readonly string[] => [...zones().today];

/** Names that a zone of today had before. */
export function formerNames(name: string): readonly string[] {
  return [...zones().renamed].filter(([, now]) => now === name).map(([old]) => old);
}

/** Abbreviations people write, with the zone they mostly mean. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
  MDT: 'America/Denver',
  CDT: 'America/Chicago',
  CST: 'America/Chicago',
  EDT: 'America/New_York',
  BST: 'Europe/London',
  CEST: 'Europe/Berlin',
  EEST: 'Europe/Athens',
  JST: 'Asia/Tokyo',
  IST: 'Asia/Kolkata',
  AEST: 'Australia/Sydney',
  AEDT: 'Australia/Sydney',
  NZST: 'Pacific/Auckland',
  Z: 'UTC',
};

function suggestion(text: string): string | null {
  const { today, renamed } = zones();
  const offset = /^(?:UTC|GMT|Etc\/UTC)?([+-])0?([0-9]{1,2})(?::?00)?$/i.exec(text);
  if (offset) {
    const name = `Etc/GMT${offset[1] === '+' ? '-' : '+'}${Number(offset[2])}`;
    if (today.has(name)) return name;
  }
  const abbreviation = ABBREVIATIONS[text.toUpperCase()];
  if (abbreviation !== undefined) return abbreviation;
  const plain = text
    .replace(/^\/(usr\/share|etc)\/zoneinfo\//, '')
    .replace(/^(posix|right)\//, '')
    .replace(/\s+/g, '_')
    .toLowerCase();
  const names = [...today];
  const same = names.find((name) => name.toLowerCase() === plain);
  if (same) return same;
  const old = [...renamed].find(([name]) => name.toLowerCase() === plain);
  if (old) return old[1];
  const city = names.find((name) => name.toLowerCase().endsWith(`/${plain}`));
  return city ?? nearest(plain, names);
}

/** The zone by its name of today, and what is wrong or odd about what was written. */
export function readTimezone(text: string, show: Show): Reading<string> {
  const { today, renamed } = zones();
  if (today.has(text)) {
    const sign = /^Etc\/GMT([+-])([1-9][0-9]?)$/.exec(text);
    if (!sign) return { value: text, faults: [] };
    const hours = `UTC${sign[1] === '+' ? '-' : '+'}${sign[2]}`;
    const message = `${text} is ${hours}: the sign of these zones is turned round, ${sign[1] === '+' ? 'plus lies behind (west of)' : 'minus lies ahead (east of)'} UTC`;
    return { value: text, faults: [{ rule: 'timezone.sign', message }] };
  }
  const now = renamed.get(text);
  if (now !== undefined)
    return { value: now, faults: [{ rule: 'timezone.renamed', message: `was renamed; today's name is ${now}`, fix: `write ${now}` }] };
  return { value: null, faults: [unknownZone(text, show)] };
}

function unknownZone(text: string, show: Show): Fault {
  const region = text.replace(/\/+$/, '');
  if ([...zones().today].some((name) => name.startsWith(`${region}/`)))
    return { rule: 'timezone.unknown', message: `${show(region)} is a region, not a time zone`, fix: `write ${region}/ and a city` };
  const meant = suggestion(text);
  return {
    rule: 'timezone.unknown',
    message: 'is not an IANA time zone name',
    fix: meant === null ? 'write a name such as Europe/Berlin or UTC' : `did you mean ${meant}?`,
  };
}

/** A zone of the list that ships with the program: `timezone.*`. */
export function judgeTimezone(c: Case): void {
  const text = c.answers.timezone;
  if (text !== undefined) for (const fault of readTimezone(text, c.show).faults) c.report('timezone', fault);
}
