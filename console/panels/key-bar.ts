/** The keys that do something now. Fits 80 columns. */

import type { ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, span } from '../style.ts';
import { hasPods } from './pods.ts';

export interface KeyHint {
  readonly key: string;
  readonly text: string;
}

export function keysOf(s: ScreenState): KeyHint[] {
  if (s.dialog?.kind === 'menu')
    return [
      { key: 'Up Down', text: 'choose' },
      { key: 'Enter', text: 'take' },
      { key: 'Esc', text: 'back' },
    ];
  if (s.dialog?.kind === 'confirm')
    return [
      { key: 'Left Right', text: 'choose' },
      { key: 'Enter', text: 'take' },
      { key: 'Esc', text: 'no' },
    ];
  if (s.dialog) return [{ key: 'Enter', text: 'close' }];
  if (s.log.typing)
    return [
      { key: 'Enter', text: 'filter' },
      { key: 'Esc', text: 'no filter' },
    ];
  const powers = s.policy.actions.some((a) => a.startsWith('power.')) && s.powerWhy === null;
  const pages: KeyHint[] = [
    ...(s.policy.login && s.loginWhy === null ? [{ key: 'F1', text: 'Login' }] : []),
    { key: 'F2', text: s.page === 'monitor' ? 'Back' : 'Load' },
    ...(hasPods(s) ? [{ key: 'F3', text: s.page === 'pods' ? 'Back' : 'Pods' }] : []),
    ...(powers ? [{ key: 'F5', text: 'Power' }] : []),
    { key: 'F6', text: s.page === 'log' ? 'Back' : 'Log' },
    { key: 'F7', text: s.page === 'health' ? 'Back' : 'Health' },
    { key: 'F10', text: 'Menu' },
  ];
  if (s.page === 'log')
    return [
      ...pages.filter((p) => p.key === 'F6' || p.key === 'F10'),
      { key: 'PgUp PgDn', text: 'scroll' },
      { key: '/', text: 'filter' },
      { key: 'p', text: 'pause' },
    ];
  if (s.page !== 'dashboard') {
    const back = s.page === 'health' ? 'F7' : s.page === 'pods' ? 'F3' : 'F2';
    if (s.page === 'monitor') return pages.filter((p) => p.key === back || p.key === 'F10');
    return [...pages.filter((p) => p.key === back || p.key === 'F10'), { key: 'PgUp PgDn', text: 'scroll' }];
  }
  return [...pages, { key: '^L', text: 'Redraw' }];
}

export function keyBar(s: ScreenState, width: number): Line {
  const spans = keysOf(s).flatMap((k) => [span(` ${k.key} `, 'key'), span(`${k.text} `)]);
  return cutLine(line(...spans), width);
}
