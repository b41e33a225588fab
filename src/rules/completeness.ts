/** What a file leaves open, and whether anybody has to be there. */
import type { Answers } from '#model/answers.ts';
import type { Case } from './case.ts';
import { isSet, readRole } from './choices.ts';

const hasText = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';

function openPaths(answers: Answers, isDefaulted: boolean): string[] {
  const role = answers.role === undefined ? null : readRole(answers.role.trim()).value;
  const hasPassword = answers.admin_password !== undefined || answers.admin_password_hash !== undefined;
  const hasDisk = hasText(answers.target_disk);
  const missing: [string, boolean][] = [
    ['role', !hasText(answers.role)],
    ['target_disk', !hasDisk],
    ['confirm_wipe', hasDisk && !isSet(answers, 'confirm_wipe')],
    ['hostname', !hasText(answers.hostname)],
    ['admin_password', !hasPassword],
    ['network', answers.network === undefined],
    ['timezone', !isDefaulted && !hasText(answers.timezone)],
    ['control_plane_url', role === 'appliance' && !hasText(answers.control_plane_url)],
    ['pairing_code', role === 'appliance' && !hasText(answers.pairing_code?.reveal())],
  ];
  return missing.filter(([, isOpen]) => isOpen).map(([path]) => path);
}

/** Paths that the console will ask for, in the order of its screens; none when nothing may prompt. */
export function missingAnswers(answers: Answers): string[] {
  return isSet(answers, 'unattended') ? [] : openPaths(answers, false);
}

/** Paths without an answer and without a documented default: what stops a run that may not prompt. */
const unansweredPaths = (answers: Answers): string[] => openPaths(answers, true);

/**
 * True when nobody has to be there: `unattended: true`, or every asked answer given.
 * Says nothing about whether the answers are valid: ask `judge` for that.
 */
export const isFullyUnattended = (answers: Answers): boolean => isSet(answers, 'unattended') || openPaths(answers, false).length === 0;

/** Mode `install`, or `unattended: true` in a file: what is missing is an error, `answer.*`. */
export function judgeComplete(c: Case): void {
  const isFlagged = isSet(c.answers, 'unattended');
  if (c.mode === 'field' || !(c.mode === 'install' || isFlagged)) return;
  const near = isFlagged ? 'unattended' : '';
  for (const path of unansweredPaths(c.answers)) {
    const isWritten = c.isWritten(path);
    if (path === 'confirm_wipe')
      c.report(
        path,
        {
          rule: 'answer.wipe-unconfirmed',
          message: 'must be true: nothing may prompt, and target_disk names a disk to be erased',
          fix: 'write confirm_wipe: true',
        },
        near,
      );
    else if (!isWritten)
      c.report(path, { rule: 'answer.missing', message: `${path} is missing, and nothing may prompt for it`, fix: `add ${path}` }, near);
  }
}
