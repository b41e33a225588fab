/** An installation that nobody watches: lines instead of screens, and an end in every case. */
import type { EngineEvent } from '#model/plan.ts';

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
