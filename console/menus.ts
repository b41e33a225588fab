/** What the menus offer, given policy and state. What exists but cannot be done now says why. */
import { ACTIONS, type ActionSpec } from '#status/action-catalogue.ts';
import type { Policy } from '#status/policy.ts';
import type { MenuItem } from './screen-state.ts';

/** What cannot be done from this terminal or on this machine at all, and why; null when it can. */
export interface Offers {
  readonly loginWhy: string | null;
  readonly powerWhy: string | null;
}

export interface MenuFacts extends Offers {
  readonly policy: Policy;
  readonly live: boolean;
  readonly pending: boolean;
  /** false: known to be absent here. */
  readonly hasK3s: boolean;
  readonly hasSlots: boolean;
}

function obstacle({ name }: ActionSpec, f: MenuFacts): string | null {
  if (name.startsWith('power.') && f.powerWhy !== null) return f.powerWhy;
  if (name === 'power.cancel') return f.pending ? null : 'nothing is pending';
  if (name.startsWith('power.')) return null;
  if (!f.live) return 'needs the supervisor';
  if (name.startsWith('k3s.') && !f.hasK3s) return 'k3s is not installed';
  return name.startsWith('slot.') && !f.hasSlots ? 'there are no slots here' : null;
}

const itemOf = (spec: ActionSpec, f: MenuFacts): MenuItem => ({ id: spec.name, title: spec.title, key: null, why: obstacle(spec, f) });

const allowed = (f: MenuFacts, power: boolean): MenuItem[] =>
  ACTIONS.filter((a) => f.policy.actions.includes(a.name) && a.name.startsWith('power.') === power).map((a) => itemOf(a, f));

export const powerMenu = (f: MenuFacts): MenuItem[] => allowed(f, true);

export function mainMenu(f: MenuFacts): MenuItem[] {
  const page = (id: string, title: string, key: string | null, why: string | null = null): MenuItem => ({ id, title, key, why });
  return [
    page('health', 'Health: every reason', 'F7'),
    page('monitor', 'Monitor: load over time', 'F2'),
    ...(f.hasK3s ? [page('pods', 'Pods: all of them', 'F3')] : []),
    page('log', 'Log: scroll, filter, pause', 'F6'),
    ...(f.policy.login ? [page('login', 'Login', 'F1', f.loginWhy)] : []),
    ...(powerMenu(f).length > 0 ? [page('power', 'Power', 'F5', f.powerWhy)] : []),
    ...allowed(f, false),
    page('repaint', 'Redraw the screen', '^L'),
  ];
}
