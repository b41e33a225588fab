/** The keys that do something now. Fits 80 columns. */

import type { Dialog, Page, ScreenState } from '../screen-state.ts';
import { type Line, type Span, span } from '../style.ts';
import { hasPods } from './pods.ts';
import { hasPull } from './pull.ts';

export interface KeyHint {
  readonly key: string;
  readonly text: string;
}

const BACK: Readonly<Record<Page, string>> = {
  dashboard: '',
  monitor: 'F2',
  pods: 'F3',
  podlog: 'Esc',
  log: 'F6',
  health: 'F7',
  pull: 'F8',
  processes: 'F9',
};

const hint = (key: string, text: string): KeyHint => ({ key, text });

function dialogKeys(d: Dialog): KeyHint[] {
  switch (d.kind) {
    case 'menu':
      return [hint('Up Down', 'choose'), hint('Enter', 'take'), hint('Esc', 'back')];
    case 'confirm':
      return d.plan.typed_confirm === null
        ? [hint('Left Right', 'choose'), hint('Enter', 'take'), hint('Esc', 'no')]
        : [hint('Tab', 'No or Yes'), hint('Enter', 'take'), hint('Esc', 'no')];
    case 'form':
      return [hint('Tab', 'next field'), hint('Enter', 'go on'), hint('Esc', 'leave it')];
    case 'password':
      return d.admins.length > 1
        ? [hint('Up Down', 'administrator'), hint('Enter', 'go on'), hint('Esc', 'leave it')]
        : [hint('Enter', 'go on'), hint('Esc', 'leave it')];
    case 'output':
      return d.result === null ? [] : [hint('Enter', 'close')];
    case 'note':
      return [hint('Enter', 'close')];
  }
}

/** Keys of the first page, in the order of the keyboard. What another page needs less comes after it when room is short. */
function pageKeys(s: ScreenState): KeyHint[] {
  const powers = s.policy.actions.some((a) => a.startsWith('power.')) && s.powerWhy === null;
  return [
    ...(s.policy.login && s.loginWhy === null ? [hint('F1', 'Login')] : []),
    hint('F2', 'Load'),
    ...(hasPods(s) ? [hint('F3', 'Pods')] : []),
    ...(s.policy.actions.includes('network.edit') && s.editWhy === null ? [hint('F4', 'Net')] : []),
    ...(powers ? [hint('F5', 'Power')] : []),
    hint('F6', 'Log'),
    hint('F7', 'Health'),
    ...(hasPull(s) ? [hint('F8', 'Panel')] : []),
    hint('F10', 'Menu'),
  ];
}

const SCROLL = hint('PgUp PgDn', 'scroll');

function morePageKeys(s: ScreenState): KeyHint[] {
  switch (s.page) {
    case 'dashboard':
    case 'monitor':
      return [];
    case 'log':
    case 'podlog':
      return [SCROLL, hint('/', 'filter'), hint('p', 'pause')];
    case 'pods':
      return [hint('Up Down', 'choose'), hint('Enter', 'log, restart')];
    case 'health':
    case 'processes':
    case 'pull':
      return [SCROLL];
  }
}

function keysOf(s: ScreenState): KeyHint[] {
  if (s.dialog) return dialogKeys(s.dialog);
  const typing = s.page === 'podlog' ? s.podLog?.log.typing : s.log.typing;
  if (typing) return [hint('Enter', 'filter'), hint('Esc', 'no filter')];
  if (s.page === 'dashboard') return [...pageKeys(s), hint('^L', 'Redraw')];
  return [hint(BACK[s.page], 'Back'), ...morePageKeys(s), hint('F10', 'Menu')];
}

const cellsOf = (k: KeyHint, gap: string): number => k.key.length + k.text.length + 2 + gap.length;

/** Hints that fit, with room between them where there is some; the last ones are left out whole, but never the menu, which has them all. */
export function keyBar(s: ScreenState, width: number): Line {
  const hints = keysOf(s);
  const wide = hints.reduce((sum, k) => sum + k.key.length + k.text.length + 3, 0);
  const gap = wide <= width ? ' ' : '';
  const menu = hints.find((k) => k.key === 'F10');
  let left = width - (menu ? cellsOf(menu, gap) : 0);
  const shown: KeyHint[] = [];
  for (const k of hints) {
    const cells = k === menu ? 0 : cellsOf(k, gap);
    if (cells > left) break;
    shown.push(k);
    left -= cells;
  }
  if (menu && !shown.includes(menu)) shown.push(menu);
  return shown.flatMap((k): Span[] => [span(` ${k.key} `, 'key'), span(`${k.text}${gap}`)]);
}
