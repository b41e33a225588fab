/**
 * May these answers stand? The one way to judge them, for every face of the program. Each judge names its rules by their ids:
 * severity and meaning stand in catalogue.ts, the reasons in reasons.ts.
 */
import type { Answers, Mode } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import { judgeAccount } from './account.ts';
import { openCase } from './case.ts';
import { judgeChoices } from './choices.ts';
import { judgeComplete } from './completeness.ts';
import { judgeControlPlane } from './control-plane.ts';
import { judgeHostname } from './hostname.ts';
import { judgeK3s } from './k3s.ts';
import { judgeKept } from './kept.ts';
import { judgeKeymap } from './keymap.ts';
import { judgeMachine } from './machine.ts';
import { judgeNetwork } from './network.ts';
import { judgeNtp } from './ntp.ts';
import { judgePassword } from './password.ts';
import { judgePasswordHash } from './password-hash.ts';
import { judgeSshKeys } from './ssh-keys.ts';
import { judgeTarget } from './target.ts';
import { judgeTimezone } from './timezone.ts';
import { judgeUnused } from './unused.ts';

const SUBJECTS = [
  judgeMachine,
  judgeChoices,
  judgeTarget,
  judgeKept,
  judgeHostname,
  judgeAccount,
  judgePassword,
  judgePasswordHash,
  judgeSshKeys,
  judgeTimezone,
  judgeNtp,
  judgeKeymap,
  judgeNetwork,
  judgeK3s,
  judgeControlPlane,
  judgeUnused,
  judgeComplete,
];

/**
 * Every finding about the answers, errors and warnings, in one pass.
 * @param machine what the disks and ports are checked against; null: nothing is said about them
 * @param mode who asks: decides what a missing answer means
 */
export function judge(answers: Answers, machine: Machine | null, mode: Mode): Finding[] {
  const { case: c, findings } = openCase(answers, machine, mode);
  for (const subject of SUBJECTS) subject(c);
  return findings;
}
