/** One line of the product's own logs: is it worth a row of the screen, and what does it say? Pure. */
import type { LogLine } from '#model/status.ts';
import { severityOf } from '#status/log-severity.ts';
import { plainText } from '#status/sanitise.ts';

/** Probes and scrapes, several a second on a quiet box. */
const PROBES = /\/health\/(ready|live)\b|\/healthz\b|kube-probe|"?GET \/metrics\b/;
/** Planners that say what they are about to do, and agents that report that they are there. */
const ROUTINE = /\bScheduler: Sending due task\b|\bTask \S+ received\b|\bPOST \S*\/(heartbeat|poll)\b/;
const TROUBLE = /\b(failed|error|refused|not ready|timed out|unhealthy)\b/i;
/** Celery: what a task gave back. */
const RESULT = /\bTask \S+ succeeded in [\d.]+s: (.*)$/;
/** `[2026-11-30 15:55:50,123: INFO/ForkPoolWorker-2] `: its time and level come again before the text. */
const CELERY = /^\[[\d-]+ [\d:,]+: ([A-Z]+)\/[^\]]+\] /;
const TASK_ID = /\[[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\]/g;
const NOTHING = new Set(['0', '0.0', 'None', '[]', '{}', "''", '""', "'ok'", "'idle'", "'disabled'", "'skipped'"]);

/** A result that says that nothing was to be done. One that is not understood is of interest. */
function isNoOp(result: string): boolean {
  const text = result.trim();
  if (NOTHING.has(text)) return true;
  const inner = /^\{([^{}[\]]*)\}$/.exec(text)?.[1];
  if (inner === undefined || inner.trim() === '') return false;
  return inner.split(',').every((pair) => NOTHING.has(pair.slice(pair.indexOf(':') + 1).trim()));
}

export interface AppLine {
  /** RFC 3339 UTC; null when the line carries no time. */
  readonly at: string | null;
  readonly sev: LogLine['sev'];
  readonly text: string;
}

/** Time of a line as the API writes it before the text with `timestamps=true`, nanoseconds cut. */
function timeOf(line: string): { readonly at: string | null; readonly rest: string } {
  const m = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) ?/.exec(line);
  const ms = m ? Date.parse(`${m[1]}${(m[2] ?? '').slice(0, 4)}${m[3]}`) : Number.NaN;
  return m && Number.isFinite(ms) ? { at: new Date(ms).toISOString(), rest: line.slice(m[0].length) } : { at: null, rest: line };
}

/** null: nothing that a person would miss. Whatever speaks of trouble is kept. */
export function readAppLine(raw: string): AppLine | null {
  const { at, rest } = timeOf(raw);
  const said = plainText(rest);
  const celery = CELERY.exec(said);
  const text = said.replace(CELERY, '').replace(TASK_ID, '').trim();
  const sev = severityOf(null, celery ? `${celery[1]} ${text}` : said);
  if (text === '') return null;
  const result = RESULT.exec(text)?.[1];
  if (result !== undefined && isNoOp(result)) return null;
  const isRoutine = PROBES.test(text) || ROUTINE.test(text);
  if (isRoutine && sev !== 'err' && sev !== 'warn' && !TROUBLE.test(text)) return null;
  return { at, sev, text };
}
