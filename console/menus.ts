/** What the menus offer, given policy and state. What exists but cannot be done now says why. */
import { ACTIONS, type ActionArgs, type ActionSpec, actionNamed } from '#status/action-catalogue.ts';
import type { Policy } from '#status/policy.ts';
import type { OfferList } from './actions.ts';
import type { MenuItem } from './screen-state.ts';

/** What cannot be done from this terminal or on this machine at all, and why; null when it can. */
export interface Offers {
  readonly loginWhy: string | null;
  readonly powerWhy: string | null;
  /** The program for network settings needs a terminal that can be handed to it. */
  readonly editWhy: string | null;
  /** What the supervisor says about each action; null: no supervisor takes any. */
  readonly offered: OfferList;
}

export interface MenuFacts extends Offers {
  readonly policy: Policy;
  readonly live: boolean;
  readonly pending: boolean;
  /** false: known to be absent here. */
  readonly hasK3s: boolean;
  readonly hasSlots: boolean;
  readonly hasPull: boolean;
}

/** Why an action cannot be done now; null when it can. */
export function obstacle(spec: ActionSpec, f: MenuFacts): string | null {
  const { name } = spec;
  if (name.startsWith('power.') && f.powerWhy !== null) return f.powerWhy;
  if (name === 'power.cancel') return f.pending ? null : 'nothing is pending';
  if (name.startsWith('power.')) return null;
  if (spec.place === 'console') return f.editWhy;
  if (spec.place === 'anyone' && f.offered === null) return f.powerWhy;
  if (!f.live) return 'needs the supervisor';
  if ((name.startsWith('k3s.') || name.startsWith('pod.')) && !f.hasK3s) return 'k3s is not installed';
  if (name.startsWith('slot.') && !f.hasSlots) return 'there are no slots here';
  if (f.offered === null) return 'the supervisor takes no actions';
  const offer = f.offered[name];
  return offer === undefined ? 'this supervisor has no such action' : offer.why;
}

function itemOf(spec: ActionSpec, f: MenuFacts, args?: ActionArgs): MenuItem {
  const key = spec.name === 'network.edit' ? 'F4' : null;
  return { id: spec.name, title: spec.title, key, why: obstacle(spec, f), ...(args ? { args } : {}) };
}

const allowed = (f: MenuFacts, wanted: (spec: ActionSpec) => boolean): MenuItem[] =>
  ACTIONS.filter((a) => f.policy.actions.includes(a.name) && wanted(a)).map((a) => itemOf(a, f));

const isPower = (a: ActionSpec): boolean => a.name.startsWith('power.');
const isPod = (a: ActionSpec): boolean => a.name.startsWith('pod.');

export const powerMenu = (f: MenuFacts): MenuItem[] => allowed(f, isPower);

/** What can be done with one pod. */
export const podMenu = (f: MenuFacts, args: ActionArgs): MenuItem[] =>
  ACTIONS.filter((a) => f.policy.actions.includes(a.name) && isPod(a)).map((a) => itemOf(a, f, args));

/** One entry for each value that an action may be given. */
export function choiceMenu(action: string, arg: string, f: MenuFacts): MenuItem[] {
  const values = f.offered?.[action]?.choices?.[arg] ?? [];
  return actionNamed(action) === null
    ? []
    : values.map((value) => ({ id: action, title: value, key: null, why: null, args: { [arg]: value } }));
}

/** An open menu with what holds now: an operator who waits for an entry need not close it. */
export function refreshed(items: readonly MenuItem[], f: MenuFacts): readonly MenuItem[] {
  const pages = mainMenu(f);
  return items.map((item) => {
    const spec = actionNamed(item.id);
    const why = spec ? obstacle(spec, f) : (pages.find((p) => p.id === item.id)?.why ?? null);
    return why === item.why ? item : { ...item, why };
  });
}

export function mainMenu(f: MenuFacts): MenuItem[] {
  const page = (id: string, title: string, key: string | null, why: string | null = null): MenuItem => ({ id, title, key, why });
  return [
    page('health', 'Health: every reason', 'F7'),
    page('monitor', 'Load over time', 'F2'),
    page('processes', 'Processes', 'F9'),
    ...(f.hasK3s ? [page('pods', 'Pods: all of them', 'F3')] : []),
    page('log', 'Log: scroll, filter, pause', 'F6'),
    ...(f.hasPull ? [page('pull', 'Panel: what it told this box', 'F8')] : []),
    ...(f.policy.login ? [page('login', 'Login', 'F1', f.loginWhy)] : []),
    ...(powerMenu(f).length > 0 ? [page('power', 'Power', 'F5', f.powerWhy)] : []),
    ...allowed(f, (a) => !isPower(a) && !isPod(a)),
    page('repaint', 'Redraw the screen', '^L'),
  ];
}
