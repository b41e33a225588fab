/** How bad a line of a log is, by its level and by its own words. */
import type { LogLine } from '#model/status.ts';

/** klog, logfmt, JSON, Go, systemd, Python, access logs. Words count in capitals only: "no error" is none. */
const ERRORS =
  /^[EF]\d{4} \d\d:\d\d:\d\d|\blevel=(error|fatal|critical|panic)\b|"level":\s*"(error|fatal|critical|panic|emergency)"|^panic:|\bFailed with result\b|\b(ERROR|CRITICAL|FATAL|PANIC|EMERG|ALERT)\b|^Error: |^Traceback \(most recent|" 5\d\d\b/;
const WARNINGS = /^W\d{4} \d\d:\d\d:\d\d|\blevel=warn(ing)?\b|"level":\s*"warn(ing)?"|\bWARN(ING)?\b/;

/** syslog levels; a line that says worse than its level is believed. */
export function severityOf(priority: string | null, text: string): LogLine['sev'] {
  const level = priority === null ? 6 : Number(priority);
  const own: LogLine['sev'] = level <= 3 ? 'err' : level === 4 ? 'warn' : level >= 7 ? 'debug' : 'info';
  if (own === 'err' || ERRORS.test(text)) return 'err';
  return own === 'warn' || WARNINGS.test(text) ? 'warn' : own;
}
