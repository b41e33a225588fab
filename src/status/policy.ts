/** Which actions a console may offer: a file in the image, read by the supervisor and the console alike. */
import { isRecord, parseJson } from '#model/json.ts';

export const POLICY_FILE = '/etc/spatiumddi/console-policy.json';

/** None of these gives a shell; `login` of the policy does. */
const ACTION_NAMES = [
  'power.reboot',
  'power.poweroff',
  'power.cancel',
  'k3s.restart',
  'slot.trial',
  'slot.commit',
  'slot.rollback',
  'pod.logs',
  'pod.restart',
  'network.edit',
  'network.adopt',
  'pair.set',
  'diag.bundle',
  'firewall.revert',
  'etcd.snapshot',
  'etcd.restore',
] as const;
export type ActionName = (typeof ACTION_NAMES)[number];

export interface Policy {
  /** A login prompt on the console. */
  readonly login: boolean;
  readonly actions: readonly ActionName[];
  /** Actions that change or stop something want the password of an administrator first. */
  readonly password: boolean;
  /** Said on the screen when the file could not be used. */
  readonly problem: string | null;
}

export const OPEN_POLICY: Policy = { login: true, actions: ACTION_NAMES, password: true, problem: null };

const closed = (problem: string): Policy => ({ login: false, actions: [], password: true, problem });

/**
 * `{"login": false, "password": true, "actions": ["power.reboot"]}`; a missing key allows what it names and keeps the
 * password, a missing file is the same for all three. A file that cannot be understood allows nothing: a locked image must
 * not open because of a typing error.
 */
export function parsePolicy(text: string | null): Policy {
  if (text === null) return OPEN_POLICY;
  const v = parseJson(text);
  if (v === undefined) return closed('the policy file is not JSON');
  if (!isRecord(v)) return closed('the policy file is not an object');
  const { login = true, actions = ACTION_NAMES, password = true, ...rest } = v;
  const other = Object.keys(rest)[0];
  if (other !== undefined) return closed(`the policy file has an unknown key "${other}"`);
  if (typeof login !== 'boolean') return closed('login in the policy file is not true or false');
  if (typeof password !== 'boolean') return closed('password in the policy file is not true or false');
  if (!Array.isArray(actions)) return closed('actions in the policy file is not a list');
  const unknown = actions.find((a) => !ACTION_NAMES.includes(a as ActionName));
  if (unknown !== undefined) return closed(`the policy file names an unknown action "${String(unknown)}"`);
  return { login, actions: ACTION_NAMES.filter((a) => actions.includes(a)), password, problem: null };
}
