/** What the menus offer, given policy and state. What exists but cannot be done now says why. */
import { ACTIONS, type ActionSpec } from '#status/action-catalogue.ts';
import type { Policy } from '#status/policy.ts';
import type { MenuItem } from './screen-state.ts';

export interface MenuFacts {
  readonly policy: Policy;
  readonly live: boolean;
  readonly pending: boolean;
}

function itemOf(spec: ActionSpec, f: MenuFacts): MenuItem {
  const isPower = spec.name.startsWith('power.');
  const why = spec.name === 'power.cancel' && !f.pending ? 'nothing is pending' : !isPower && !f.live ? 'needs the supervisor' : null;
  return { id: spec.name, title: spec.title, key: null, why };
}

const allowed = (f: MenuFacts, power: boolean): MenuItem[] =>
  ACTIONS.filter((a) => f.policy.actions.includes(a.name) && a.name.startsWith('power.') === power).map((a) => itemOf(a, f));

export const powerMenu = (f: MenuFacts): MenuItem[] => allowed(f, true);

export function mainMenu(f: MenuFacts): MenuItem[] {
  const page = (id: string, title: string, key: string | null): MenuItem => ({ id, title, key, why: null });
  return [
    page('health', 'Health: every reason', 'F7'),
    page('log', 'Log: scroll, filter, pause', 'F6'),
    ...(f.policy.login ? [page('login', 'Login', 'F1')] : []),
    ...(powerMenu(f).length > 0 ? [page('power', 'Power', 'F5')] : []),
    ...allowed(f, false),
    page('repaint', 'Redraw the screen', '^L'),
  ];
}
