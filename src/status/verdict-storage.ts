/** Verdict rules about disks, arrays, paths, and what a box starts from. */
import type { Candidate, Rule, RuleInput } from './verdict-rule.ts';

/** A disk that was full is full until this much below the limit, so that one file more or less changes nothing. */
const FULL_MARGIN_PCT = 2;

/** Without a file to make, nothing can be written either. */
const NO_FILES_PCT = 99;

const percent = (v: number): string => `${Math.floor(v)}%`;

function disks({ view }: RuleInput): Candidate[] {
  return (view.disks?.data?.mounts ?? []).flatMap((d): Candidate[] => {
    const base = { subject: d.mount, section: 'disks', hint: 'F7' } as const;
    const out: Candidate[] = [];
    // A slot may be mounted read-only on purpose; after a write error it never is.
    if (d.ro && (d.role === 'var' || d.role === 'state' || (d.role === 'root' && (d.errors_count ?? 0) > 0)))
      out.push({ ...base, code: 'disk.readonly', level: 'CRITICAL', text: `${d.mount} is read-only` });
    const files = d.inodes_used_pct;
    // A server that calls a disk critical for its files does not mean that it is full.
    const isForFiles = d.severity === 'critical' && (files ?? 0) >= d.crit_pct && d.used_pct !== null && d.used_pct < d.crit_pct;
    const hasNoFiles = files !== null && (files >= NO_FILES_PCT || isForFiles);
    const isFull = d.severity === 'critical' && !isForFiles;
    if (d.used_pct !== null && (isFull || (d.role !== 'removable' && d.used_pct >= d.crit_pct - FULL_MARGIN_PCT)))
      out.push({ ...base, code: 'disk.full', level: 'CRITICAL', text: `disk ${d.mount} ${percent(d.used_pct)} full`, onlyHeld: !isFull });
    if (!d.ro && (d.errors_count ?? 0) > 0)
      out.push({ ...base, code: 'disk.errors', level: 'DEGRADED', text: `file system of ${d.mount} has errors` });
    if (d.severity === 'unknown') out.push({ ...base, code: 'disk.unknown', level: 'UNKNOWN', text: `disk ${d.mount} cannot be read` });
    if (files !== null && files >= d.crit_pct - FULL_MARGIN_PCT) {
      const text = `${d.mount} has used ${percent(files)} of its files`;
      out.push({ ...base, code: 'disk.inodes', level: hasNoFiles ? 'CRITICAL' : 'DEGRADED', text, onlyHeld: files < d.crit_pct });
    }
    return out;
  });
}

function arrays({ view }: RuleInput): Candidate[] {
  return (view.storage?.data?.arrays ?? []).flatMap((a): Candidate[] => {
    if (a.severity === 'ok' || a.finding === null) return [];
    const code = a.state === 'failed' ? 'md.failed' : a.state === 'unknown' ? 'md.unknown' : 'md.degraded';
    const level = a.severity === 'critical' ? 'CRITICAL' : 'DEGRADED';
    return [{ code, level, subject: a.name, text: a.finding, section: 'storage', hint: 'F7' }];
  });
}

function multipath({ view }: RuleInput): Candidate[] {
  return (view.storage?.data?.multipath ?? []).flatMap((m): Candidate[] => {
    if (m.severity === 'neutral' || m.finding === null) return [];
    const critical = m.severity === 'critical';
    return [
      {
        code: critical ? 'mpath.no_path' : 'mpath.paths',
        level: critical ? 'CRITICAL' : 'DEGRADED',
        subject: m.name,
        text: m.finding,
        section: 'storage',
        hint: 'F7',
      },
    ];
  });
}

/** After the loss of the first disk the second boot partition starts the box, with the menu that is on it. */
function secondEsp({ view }: RuleInput): Candidate[] {
  const esp = view.storage?.data?.second_esp;
  const base = { level: 'DEGRADED', subject: null, section: 'storage', hint: 'F7' } as const;
  if (esp?.present === false) return [{ ...base, code: 'esp.absent', text: 'second boot partition is not there' }];
  if (esp?.in_sync !== false) return [];
  return [{ ...base, code: 'esp.drift', text: 'second boot partition is not in step with the first' }];
}

export const STORAGE_RULES: readonly Rule[] = [disks, arrays, multipath, secondEsp];
