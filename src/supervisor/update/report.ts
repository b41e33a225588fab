/** The state of updates for people, for scripts and for the report to the panel. */
import type { StatusReport } from '#model/pull.ts';
import { printableLine } from '#system/log.ts';
import type { UpdateState } from './state.ts';

export interface UpdateFacts {
  /** Null when no supervisor answers. */
  readonly running: string | null;
  /** Null when the image's own program is the one that starts. */
  readonly current: string | null;
  readonly image: string | null;
  readonly state: UpdateState;
}

/** The part of the status report that the panel gets. `running` is the version of the process that reports. */
export function updateReport(running: string, state: UpdateState): NonNullable<StatusReport['update']> {
  const { pending, last } = state;
  const bad = state.bad.map((b) => `${b.version} ${b.reason}`);
  if (pending !== undefined) return { running, target: pending.to, phase: 'health', bad };
  return last === undefined ? { running, bad } : { running, target: last.version, phase: last.outcome, bad };
}

const row = (name: string, value: string): string => `${name.padEnd(10)} ${printableLine(value)}\n`;

/** Lines for a terminal. */
export function updateText({ running, current, image, state }: UpdateFacts): string {
  const { pending, last, bad } = state;
  const lines = [
    row('running', running ?? 'nothing answers on the status socket'),
    row('starts', current ?? `${image ?? 'unknown'} (the image's own)`),
    row('image', image ?? 'unknown'),
  ];
  if (pending !== undefined) {
    const boots = pending.boots === 0 ? '' : `, ${pending.boots} boot${pending.boots === 1 ? '' : 's'} since`;
    lines.push(row('pending', `${pending.to}, no verdict yet${boots}; the way back is ${pending.from ?? 'the image'}`));
  }
  if (last !== undefined) lines.push(row('last', `${last.version} ${last.outcome.replace('_', ' ')} at ${last.at}: ${last.why}`));
  for (const b of bad) lines.push(row('bad', `${b.version} (${b.reason}) since ${b.at}, sha256 ${b.sha256.slice(0, 12)}`));
  return lines.join('');
}
