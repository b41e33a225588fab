/** The journal, kernel lines included, through one `journalctl` that runs as long as the supervisor does. */
import { parseJson } from '#model/json.ts';
import type { LogRing, NewLogLine } from '#status/log-ring.ts';
import { severityOf } from '#status/log-severity.ts';
import { plainText } from '#status/sanitise.ts';
import { follow } from '#system/follow.ts';

const RESTART_MIN_MS = 2000;
const RESTART_MAX_MS = 60_000;
/** Lines of before our start that a console sees at once. */
const BACKLOG_LINES = 200;

/** journalctl prints a field that is not UTF-8 as a list of bytes. */
function fieldText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((b) => typeof b === 'number')) return Buffer.from(value as number[]).toString('utf8');
  return null;
}

const shortUnit = (unit: string): string => unit.replace(/\.(service|scope|socket|timer|mount)$/, '');

/** One line of `journalctl -o json`; null when it is not one. */
export function parseJournalLine(line: string): NewLogLine | null {
  const v = parseJson(line);
  if (typeof v !== 'object' || v === null) return null;
  const r = v as Record<string, unknown>;
  const message = fieldText(r['MESSAGE']);
  const usec = Number(r['__REALTIME_TIMESTAMP']);
  if (message === null || !Number.isFinite(usec)) return null;
  const isKernel = r['_TRANSPORT'] === 'kernel';
  const text = plainText(message.split('\n')[0] ?? '').trimEnd();
  if (text === '') return null;
  const unit = fieldText(r['UNIT']) ?? fieldText(r['_SYSTEMD_UNIT']) ?? fieldText(r['SYSLOG_IDENTIFIER']);
  return {
    at: new Date(usec / 1000).toISOString(),
    src: isKernel ? 'kernel' : 'journal',
    unit: isKernel ? 'kernel' : unit === null ? null : plainText(shortUnit(unit)),
    sev: severityOf(fieldText(r['PRIORITY']), text),
    text,
  };
}

/** Feeds the ring until stopped. A journalctl that ends is started again, ever more slowly; a missing one is said once. */
export function followJournal(ring: LogRing, now: () => string): { stop(): void } {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let child: { stop(): void } | null = null;
  let delayMs = RESTART_MIN_MS;
  let backlog = BACKLOG_LINES;
  const say = (text: string): void => ring.add({ at: now(), src: 'supervisor', unit: 'supervisor', sev: 'warn', text });
  const start = (): void => {
    const fields = '--output-fields=MESSAGE,PRIORITY,UNIT,_SYSTEMD_UNIT,SYSLOG_IDENTIFIER,_TRANSPORT';
    child = follow(['journalctl', '--follow', '--output=json', fields, `--lines=${backlog}`, '--boot'], {
      onLine: (line) => {
        delayMs = RESTART_MIN_MS;
        backlog = 0;
        const entry = parseJournalLine(line);
        if (entry) ring.add(entry);
      },
      onEnd: (why) => {
        child = null;
        if (stopped) return;
        say(`the journal cannot be followed: journalctl ${why}`);
        if (why === 'not installed') return;
        timer = setTimeout(start, delayMs);
        delayMs = Math.min(RESTART_MAX_MS, delayMs * 2);
      },
    });
  };
  start();
  return {
    stop: () => {
      stopped = true;
      if (timer) clearTimeout(timer);
      child?.stop();
    },
  };
}
