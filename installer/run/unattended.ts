/** An installation that nobody watches: lines instead of screens, and an end in every case. */
import { samePlan } from '#installer/plan/same-plan.ts';
import type { EngineEvent, Plan } from '#model/plan.ts';
import type { Unfinished } from './unfinished.ts';

const PROGRESS_EVERY = 0.05;

/** Turns engine events into the few lines that a serial log should hold. Pure but for its own memory. */
export function lineReporter(): (event: EngineEvent) => readonly string[] {
  let reported = 0;
  let title = '';
  return (event) => {
    switch (event.type) {
      case 'step':
        title = event.title;
        return event.state === 'started' ? [`${percent(reported)} ${event.title}`] : [];
      case 'progress': {
        if (event.fraction - reported < PROGRESS_EVERY) return [];
        reported = event.fraction;
        return [`${percent(reported)} ${title}${rate(event)}`];
      }
      case 'log':
        return [];
      case 'failed':
        return failureLines(event);
      case 'finished':
        return [
          ...event.checks.filter((check) => !check.ok).map((check) => `CHECK FAILED: ${check.name}: ${check.detail}`),
          ...event.warnings.map((warning) => `WARN: ${warning}`),
          `${percent(1)} installed; ${event.checks.filter((check) => check.ok).length} of ${event.checks.length} checks passed`,
        ];
    }
  };
}

const percent = (fraction: number): string => `[${String(Math.floor(fraction * 100)).padStart(3)}%]`;

function rate(event: Extract<EngineEvent, { type: 'progress' }>): string {
  const speed = event.bytesPerSecond === null ? '' : `, ${(event.bytesPerSecond / 1e6).toFixed(0)} MB/s`;
  return event.secondsLeft === null ? speed : `${speed}, ${Math.ceil(event.secondsLeft)} s left`;
}

function failureLines(event: Extract<EngineEvent, { type: 'failed' }>): readonly string[] {
  return [
    `FAILED at "${event.id}": ${event.message}`,
    ...(event.command === null ? [] : [`command: ${event.command}`]),
    ...event.output.slice(-20).map((line) => `  ${line}`),
    event.nothingWritten
      ? 'Nothing was written to any disk.'
      : 'The target disk is incomplete and will not boot. Start the medium again to retry.',
  ];
}

/** What an unattended run does about installations that were cut short on this machine's disks. */
export type UnfinishedDecision =
  | { readonly kind: 'new'; readonly lines: readonly string[] }
  | { readonly kind: 'continue'; readonly unfinished: Unfinished; readonly lines: readonly string[] }
  | { readonly kind: 'halt'; readonly reasons: readonly string[] };

/**
 * It goes on with one that these very answers began. Any other on the same disk is started over, which the answers have
 * allowed with confirm_wipe; its data is not whole, so it is never kept.
 * @param plan made from the answer file; judged, so that confirm_wipe is true
 */
export function decideUnfinished(begun: readonly Unfinished[], plan: Plan): UnfinishedDecision {
  const paths = plan.disks.map(({ disk }) => disk.path);
  const there = begun.find(({ view }) => view.disks.some((path) => paths.includes(path)));
  if (there === undefined) return { kind: 'new', lines: [] };
  const { view } = there;
  const what = `An installation on ${view.disks.join(' and ')} was cut short at "${view.stoppedAt}" (${view.done.length} of ${view.total} steps done, ${view.lastAt})`;
  if (view.refusal === null && samePlan(there.plan, plan))
    return { kind: 'continue', unfinished: there, lines: [`${what}; it goes on, since it was begun with the same answers.`] };
  if (plan.settings.keepVar && !view.keepsData)
    return {
      kind: 'halt',
      reasons: [
        `${what}, so the data on it is not whole and cannot be kept.`,
        'Leave keep_var out to erase the disk, or name the disk that holds the data.',
      ],
    };
  const why = view.refusal ?? 'it was begun with other answers';
  return { kind: 'new', lines: [`${what}; it is started over, as confirm_wipe allows: ${why}.`] };
}

const RULE = '='.repeat(70);

/** What every console shows when a run ends without an installation. */
export const haltLines = (reasons: readonly string[], source: string | null): readonly string[] => [
  RULE,
  'SpatiumDDI installer: HALTED',
  ...(source === null ? [] : [`answers: ${source}`]),
  ...reasons,
  'Mend the answer file or the machine and start the medium again.',
  'To install by hand, start the medium without the answer file.',
  RULE,
];
