/** Keys with a fixed set of values, and every boolean. */
import type { AfterInstall, Answers, Role } from '#model/answers.ts';
import type { Case, Reading } from './case.ts';
import { AFTER_INSTALL_VALUES, KEYS, ROLE_VALUES } from './keys.ts';
import { nearest } from './nearest.ts';
import { readBoolean } from './read-scalars.ts';

/** One spelling each, so that two spellings of a word do not tie. */
const ROLE_WORDS = Object.keys(ROLE_VALUES).filter((word) => !word.includes('_'));

/** Both spellings of both roles, whatever their case. */
export function readRole(text: string): Reading<Role> {
  const role = ROLE_VALUES[text.toLowerCase()];
  if (role !== undefined) return { value: role, faults: [] };
  const meant = nearest(text.replace(/[\s_]+/g, '-'), ROLE_WORDS);
  return {
    value: null,
    faults: [
      {
        rule: 'role.unknown',
        message: 'is not a role: control-plane (first-node) or appliance (add-node)',
        fix: meant === null ? 'write control-plane or appliance' : `did you mean ${meant}?`,
      },
    ],
  };
}

/** What the machine does when the installation is over. */
export function readAfterInstall(text: string): Reading<AfterInstall> {
  const word = text.toLowerCase();
  if (word in AFTER_INSTALL_VALUES) return { value: word as AfterInstall, faults: [] };
  return {
    value: null,
    faults: [{ rule: 'after-install.unknown', message: 'must be reboot or poweroff', fix: 'write reboot or poweroff' }],
  };
}

const BOOLEANS = KEYS.filter((key) => key.type === 'boolean').map((key) => key.path as BooleanKey);

export type BooleanKey = 'unattended' | 'confirm_wipe' | 'keep_var' | 'set_root_password' | 'ssh_disable_password';

/** The boolean of a key, or its default (false for all of them) where it is absent or faulty. */
export const isSet = (answers: Answers, key: BooleanKey): boolean => {
  const text = answers[key];
  return text !== undefined && readBoolean(text).value === true;
};

/** Role, what follows the installation, and every boolean: `role.*`, `after-install.*`, `boolean.*`. */
export function judgeChoices(c: Case): void {
  const { role, after_install: after } = c.answers;
  if (role !== undefined) for (const fault of readRole(role).faults) c.report('role', fault);
  if (after !== undefined) for (const fault of readAfterInstall(after).faults) c.report('after_install', fault);
  for (const key of BOOLEANS) {
    const text = c.answers[key];
    if (text !== undefined) for (const fault of readBoolean(text).faults) c.report(key, fault);
  }
}
