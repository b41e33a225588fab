/** What keys do. Pure: wishes for the outside come out as intents. */
import type { ActionPlan, LogLine } from '#model/status.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import type { ActionName, Policy } from '#status/policy.ts';
import type { Key } from '#ui/terminal/keys.ts';
import { type MenuFacts, mainMenu, type Offers, powerMenu } from './menus.ts';
import type { Dialog, LogView, Page } from './screen-state.ts';

export const LOG_LINES = 2000;
export const CONFIRM_MS = 30_000;
export const NOTE_MS = 8_000;
export const MENU_MS = 60_000;
/** Keys this soon after a dialog opened belong to what came before it. */
export const SETTLE_MS = 200;
const FILTER_CHARS = 40;

export interface UiState extends MenuFacts {
  readonly page: Page;
  readonly dialog: Dialog | null;
  readonly openedMs: number;
  readonly scroll: number;
  readonly log: LogView;
}

export type Intent =
  | { readonly kind: 'login' }
  | { readonly kind: 'repaint' }
  /** Ask what an action would do. */
  | { readonly kind: 'plan'; readonly action: ActionName }
  | { readonly kind: 'run'; readonly plan: ActionPlan };

export type UiEvent =
  | { readonly t: 'key'; readonly key: Key; readonly pageRows: number; readonly scrollLimit: number }
  | { readonly t: 'log'; readonly lines: readonly LogLine[] }
  | { readonly t: 'facts'; readonly facts: MenuFacts }
  | { readonly t: 'planned'; readonly plan: ActionPlan }
  | { readonly t: 'output'; readonly line: string }
  | { readonly t: 'ended'; readonly result: string }
  | { readonly t: 'note'; readonly title: string; readonly text: string }
  | { readonly t: 'tick' };

export interface Step {
  readonly ui: UiState;
  readonly intents: readonly Intent[];
}

export const initialUi = (policy: Policy, offers: Offers): UiState => ({
  ...offers,
  page: 'dashboard',
  dialog: null,
  openedMs: 0,
  scroll: 0,
  log: { lines: [], scroll: 0, paused: false, filter: '', typing: false },
  policy,
  live: false,
  pending: false,
  hasK3s: false,
  hasSlots: false,
});

const stay = (ui: UiState): Step => ({ ui, intents: [] });
const open = (ui: UiState, dialog: Dialog, nowMs: number): Step => stay({ ...ui, dialog, openedMs: nowMs });
const close = (ui: UiState): Step => stay({ ...ui, dialog: null });

const refuse = (ui: UiState, title: string, why: string, nowMs: number): Step =>
  open(ui, { kind: 'note', title, text: `Not possible now: ${why}.`, untilMs: nowMs + NOTE_MS }, nowMs);

const goTo = (ui: UiState, page: Page): Step =>
  stay({ ...ui, dialog: null, page: ui.page === page ? 'dashboard' : page, scroll: 0, log: { ...ui.log, scroll: 0, typing: false } });

/** What a menu entry does; menus and function keys share it. */
function choose(ui: UiState, id: string, nowMs: number): Step {
  const action = actionNamed(id);
  if (action)
    return { ui: { ...ui, dialog: null }, intents: ui.policy.actions.includes(action.name) ? [{ kind: 'plan', action: action.name }] : [] };
  switch (id) {
    case 'login':
      if (!ui.policy.login) return stay(ui);
      return ui.loginWhy === null ? { ui: { ...ui, dialog: null }, intents: [{ kind: 'login' }] } : refuse(ui, 'Login', ui.loginWhy, nowMs);
    case 'power': {
      const items = powerMenu(ui);
      if (items.length > 0) return open(ui, { kind: 'menu', title: 'Power', items, at: 0 }, nowMs);
      const text = ui.policy.problem ?? 'The policy of this image allows no power action here.';
      return open(ui, { kind: 'note', title: 'Power', text, untilMs: nowMs + NOTE_MS }, nowMs);
    }
    case 'menu':
      return open(ui, { kind: 'menu', title: 'Menu', items: mainMenu(ui), at: 0 }, nowMs);
    case 'log':
      return goTo(ui, 'log');
    case 'health':
      return goTo(ui, 'health');
    case 'monitor':
      return goTo(ui, 'monitor');
    case 'pods':
      return ui.hasK3s ? goTo(ui, 'pods') : stay(ui);
    case 'repaint':
      return { ui: { ...ui, dialog: null }, intents: [{ kind: 'repaint' }] };
    default:
      return stay(ui);
  }
}

const FUNCTION_KEYS: Readonly<Record<string, string>> = {
  f1: 'login',
  f2: 'monitor',
  f3: 'pods',
  f5: 'power',
  f6: 'log',
  f7: 'health',
  f10: 'menu',
};

function menuKey(ui: UiState, d: Dialog & { kind: 'menu' }, key: Key, nowMs: number): Step {
  const move = (by: number): Step => stay({ ...ui, dialog: { ...d, at: (d.at + by + d.items.length) % d.items.length } });
  switch (key.name) {
    case 'up':
    case 'backtab':
      return move(-1);
    case 'down':
    case 'tab':
      return move(1);
    case 'enter': {
      const item = d.items[d.at];
      if (!item) return close(ui);
      if (item.why !== null) return refuse(ui, item.title, item.why, nowMs);
      return choose({ ...ui, dialog: null }, item.id, nowMs);
    }
    case 'escape':
    case 'f10':
      return close(ui);
    default:
      return stay(ui);
  }
}

function confirmKey(ui: UiState, d: Dialog & { kind: 'confirm' }, key: Key): Step {
  switch (key.name) {
    case 'left':
    case 'right':
    case 'tab':
    case 'backtab':
      return stay({ ...ui, dialog: { ...d, yes: !d.yes } });
    case 'enter': {
      if (!d.yes) return close(ui);
      const title = actionNamed(d.plan.name)?.title ?? d.plan.name;
      return { ui: { ...ui, dialog: { kind: 'output', title, lines: [], result: null } }, intents: [{ kind: 'run', plan: d.plan }] };
    }
    case 'escape':
      return close(ui);
    case 'text':
      return key.text === 'n' || key.text === 'q' ? close(ui) : stay(ui);
    default:
      return stay(ui);
  }
}

function dialogKey(ui: UiState, d: Dialog, key: Key, nowMs: number): Step {
  if (nowMs - ui.openedMs < SETTLE_MS) return stay(ui);
  switch (d.kind) {
    case 'menu':
      return menuKey(ui, d, key, nowMs);
    case 'confirm':
      return confirmKey(ui, d, key);
    case 'output':
      return d.result !== null && (key.name === 'enter' || key.name === 'escape') ? close(ui) : stay(ui);
    case 'note':
      return key.name === 'enter' || key.name === 'escape' ? close(ui) : stay(ui);
  }
}

function filterKey(ui: UiState, key: Key): Step {
  const set = (log: Partial<LogView>): Step => stay({ ...ui, log: { ...ui.log, scroll: 0, ...log } });
  switch (key.name) {
    case 'enter':
      return set({ typing: false });
    case 'escape':
      return set({ typing: false, filter: '' });
    case 'backspace':
      return set({ filter: ui.log.filter.slice(0, -1) });
    case 'text':
      return set({ filter: `${ui.log.filter}${key.text}`.slice(0, FILTER_CHARS) });
    default:
      return stay(ui);
  }
}

function scrollKey(ui: UiState, key: Key, pageRows: number, limit: number): Step {
  const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -pageRows, pagedown: pageRows, home: -1e6, end: 1e6 };
  const by = steps[key.name];
  if (by === undefined) return stay(ui);
  if (ui.page !== 'log') return stay({ ...ui, scroll: Math.max(0, Math.min(limit, ui.scroll + by)) });
  const most = Math.max(0, ui.log.lines.length - pageRows);
  return stay({ ...ui, log: { ...ui.log, scroll: Math.max(0, Math.min(most, ui.log.scroll - by)) } });
}

function onKey(ui: UiState, event: UiEvent & { t: 'key' }, nowMs: number): Step {
  const { key } = event;
  if (ui.dialog) return dialogKey(ui, ui.dialog, key, nowMs);
  if (ui.log.typing) return filterKey(ui, key);
  const command = FUNCTION_KEYS[key.name];
  if (command) return choose(ui, command, nowMs);
  if (key.name === 'escape' && ui.page !== 'dashboard') return goTo(ui, 'dashboard');
  if (ui.page === 'log' && key.name === 'text' && key.text === '/') return stay({ ...ui, log: { ...ui.log, typing: true } });
  if (ui.page === 'log' && key.name === 'text' && key.text === 'p') return stay({ ...ui, log: { ...ui.log, paused: !ui.log.paused } });
  return ui.page === 'dashboard' ? stay(ui) : scrollKey(ui, key, event.pageRows, event.scrollLimit);
}

/** New lines push a view that is scrolled up, so that it stands still. */
function withLog(ui: UiState, fresh: readonly LogLine[]): UiState {
  const lines = [...ui.log.lines, ...fresh].slice(-LOG_LINES);
  const scroll = ui.log.scroll > 0 || ui.log.paused ? Math.min(lines.length, ui.log.scroll + fresh.length) : 0;
  return { ...ui, log: { ...ui.log, lines, scroll } };
}

function onTick(ui: UiState, nowMs: number): UiState {
  const d = ui.dialog;
  if (!d || d.kind === 'output') return ui;
  const untilMs = d.kind === 'menu' ? ui.openedMs + MENU_MS : d.untilMs;
  return nowMs >= untilMs ? { ...ui, dialog: null } : ui;
}

/** One step. `nowMs` is monotonic. */
export function reduce(ui: UiState, event: UiEvent, nowMs: number): Step {
  switch (event.t) {
    case 'key':
      return onKey(ui, event, nowMs);
    case 'log':
      return stay(withLog(ui, event.lines));
    case 'facts':
      return stay({ ...ui, ...event.facts });
    case 'planned':
      return open(ui, { kind: 'confirm', plan: event.plan, yes: false, untilMs: nowMs + CONFIRM_MS }, nowMs);
    case 'output':
      return ui.dialog?.kind === 'output'
        ? stay({ ...ui, dialog: { ...ui.dialog, lines: [...ui.dialog.lines, event.line].slice(-200) } })
        : stay(ui);
    case 'ended':
      return ui.dialog?.kind === 'output' ? stay({ ...ui, dialog: { ...ui.dialog, result: event.result } }) : stay(ui);
    case 'note':
      return open(ui, { kind: 'note', title: event.title, text: event.text, untilMs: nowMs + NOTE_MS }, nowMs);
    case 'tick':
      return stay(onTick(ui, nowMs));
  }
}
