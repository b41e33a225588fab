/** From answers and a machine to a plan: judged, settled, and the disk looked up. The only way a plan comes about. */
import { makePlan } from '#installer/plan/make-plan.ts';
import type { Answers, Settings } from '#model/answers.ts';
import { type Finding, hasErrors, isError } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import type { Plan } from '#model/plan.ts';
import { exportAnswers } from '#preseed/export.ts';
import { bestById, describeDisk, findDisk, identityOf, stableNameOf } from '#rules/disks.ts';
import { judge } from '#rules/judge.ts';
import { settle } from '#rules/settle.ts';

export interface PrepareContext {
  readonly uuids: () => string;
  readonly extraKernelWords: readonly string[];
  /** The medium is of a locked image. */
  readonly isLocked?: boolean;
}

export type Prepared =
  | { readonly kind: 'plan'; readonly plan: Plan; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Judges as strictly as the engine's door will. Errors refuse; warnings come along with the plan. */
export function preparePlan(answers: Answers, machine: Machine, context: PrepareContext): Prepared {
  const findings = judge(answers, machine, 'install');
  if (hasErrors(findings)) return { kind: 'refused', findings };
  return { kind: 'plan', plan: planFor(settle(answers), machine, context), findings };
}

/**
 * A disk is named by its stable name whatever the answers call it, so that the same disk typed or written gives the same plan.
 * @param settings judged: their disks are in the machine
 */
export function planFor(settings: Settings, machine: Machine, context: PrepareContext): Plan {
  const target = findDisk(machine, settings.targetDisk);
  if (!target) throw new Error(`${settings.targetDisk} was judged fit but is not in the machine`);
  const mirror = settings.mirrorDisk === null ? null : findDisk(machine, settings.mirrorDisk);
  const named: Settings = { ...settings, targetDisk: stableNameOf(target), mirrorDisk: mirror && stableNameOf(mirror) };
  return makePlan({
    settings: named,
    machine,
    target: identityOf(machine, target.kname),
    mirror: mirror && identityOf(machine, mirror.kname),
    holds: [target, ...(mirror === null ? [] : [mirror])].map(({ kname }) => {
      const { blank, recorded, summary } = describeDisk(machine, kname).contents;
      return recorded ? (blank ? 'nothing' : summary) : null;
    }),
    uuids: context.uuids,
    extraKernelWords: context.extraKernelWords,
    isLocked: context.isLocked === true,
    exportedAnswers: exportAnswers(named, { targetById: bestById(target), mirrorById: mirror && bestById(mirror) }),
  });
}

/** `path: message (fix)`; a message that names the path itself is not given it twice. */
export const findingText = ({ path, message, fix }: Pick<Finding, 'path' | 'message' | 'fix'>): string =>
  `${path === '' || message.startsWith(`${path} `) ? '' : `${path}: `}${message}${fix ? ` (${fix})` : ''}`;

/** `ERROR: path: message (fix)`, errors first. */
export const findingLines = (findings: readonly Finding[]): readonly string[] =>
  [...findings].sort((a, b) => Number(isError(b)) - Number(isError(a))).map((f) => `${isError(f) ? 'ERROR' : 'WARN'}: ${findingText(f)}`);
