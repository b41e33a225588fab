/** What keys and news do. Pure: wishes for the outside come out as intents. */
import type { LogLine } from '#model/status.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import type { Key } from '#ui/terminal/keys.ts';
import { choose, goTo } from './choose.ts';
import { dialogKey } from './dialog-keys.ts';
import { type MenuFacts, podMenu, refreshed } from './menus.ts';
import type { LogView } from './screen-state.ts';
import {
  CONFIRM_MS,
  EMPTY_TEXT,
  type KeyEvent,
  LOG_LINES,
  MENU_MS,
  note,
  open,
  refuse,
  SETTLE_MS,
  type Step,
  stay,
  TYPING_MS,
  type UiEvent,
  type UiState,
} from './ui-state.ts';

export * from './ui-state.ts';

const FILTER_CHARS = 40;
/** Lines of an action's output that are kept. */
const OUTPUT_LINES = 200;

const FUNCTION_KEYS: Readonly<Record<string, string>> = {
  f1: 'login',
  f2: 'monitor',
  f3: 'pods',
  f4: 'network',
  f5: 'power',
  f6: 'log',
  f7: 'health',
  f8: 'pull',
  f9: 'processes',
  f10: 'menu',
};

/** The log that the page shows: of the box, or of one pod. null: the page shows none. */
const logOf = (ui: UiState): LogView | null =>
  ui.page === 'podlog' ? (ui.podLog?.log ?? null) : ui.page === 'log' || ui.page === 'dashboard' ? ui.log : null;

const withLog = (ui: UiState, log: LogView): UiState =>
  ui.page === 'podlog' && ui.podLog ? { ...ui, podLog: { ...ui.podLog, log } } : { ...ui, log };

function filterKey(ui: UiState, log: LogView, key: Key): Step {
  const set = (change: Partial<LogView>): Step => stay(withLog(ui, { ...log, scroll: 0, ...change }));
  switch (key.name) {
    case 'enter':
      return set({ typing: false });
    case 'escape':
      return set({ typing: false, filter: '' });
    case 'backspace':
      return set({ filter: log.filter.slice(0, -1) });
    case 'text':
      return set({ filter: `${log.filter}${key.text}`.slice(0, FILTER_CHARS) });
    default:
      return stay(ui);
  }
}

/** Lines by which a key moves; null for any other key. */
function stepOf(key: Key, pageRows: number): number | null {
  const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -pageRows, pagedown: pageRows, home: -1e6, end: 1e6 };
  return steps[key.name] ?? null;
}

function logKey(ui: UiState, log: LogView, event: KeyEvent): Step {
  const { key, pageRows } = event;
  if (key.name === 'text' && key.text === '/') return stay(withLog(ui, { ...log, typing: true }));
  if (key.name === 'text' && key.text === 'p') return stay(withLog(ui, { ...log, paused: !log.paused }));
  const by = stepOf(key, pageRows);
  if (by === null) return stay(ui);
  const most = Math.max(0, log.lines.length - pageRows);
  return stay(withLog(ui, { ...log, scroll: Math.max(0, Math.min(most, log.scroll - by)) }));
}

function podsKey(ui: UiState, event: KeyEvent, nowMs: number): Step {
  const { key, pods, pageRows } = event;
  const at = Math.max(
    0,
    pods.findIndex((p) => `${p.ns}/${p.name}` === ui.pod),
  );
  const here = pods[at];
  if (!here) return stay(ui);
  if (key.name === 'enter') {
    const items = podMenu(ui, { ns: here.ns, pod: here.name });
    if (items.length > 0) return open(ui, { kind: 'menu', title: here.name, items, at: 0 }, nowMs);
    return note(ui, here.name, 'The policy of this image allows nothing to be done with pods here.', nowMs);
  }
  const by = stepOf(key, pageRows);
  if (by === null) return stay(ui);
  const next = pods[Math.max(0, Math.min(pods.length - 1, at + by))] ?? here;
  return stay({ ...ui, pod: `${next.ns}/${next.name}` });
}

function onKey(ui: UiState, event: KeyEvent, nowMs: number): Step {
  const { key } = event;
  const command = FUNCTION_KEYS[key.name];
  // A note asks nothing: the next page need not wait until it is read.
  const isPassed = ui.dialog?.kind === 'note' && command !== undefined && nowMs - ui.openedMs >= SETTLE_MS;
  if (isPassed) return choose({ ...ui, dialog: null }, { id: command }, nowMs);
  if (ui.dialog) return dialogKey(ui, ui.dialog, key, nowMs);
  const log = logOf(ui);
  if (log?.typing) return filterKey(ui, log, key);
  if (command) return choose(ui, { id: command }, nowMs);
  if (key.name === 'escape' && ui.page === 'podlog') return goTo(ui, 'pods');
  if (key.name === 'escape' && ui.page !== 'dashboard') return goTo(ui, 'dashboard');
  if (ui.page === 'dashboard') return stay(ui);
  if (log) return logKey(ui, log, event);
  if (ui.page === 'pods') return podsKey(ui, event, nowMs);
  const by = stepOf(key, event.pageRows);
  return by === null ? stay(ui) : stay({ ...ui, scroll: Math.max(0, Math.min(event.scrollLimit, ui.scroll + by)) });
}

/** New lines push a view that is scrolled up, so that it stands still. */
function longer(log: LogView, fresh: readonly LogLine[]): LogView {
  const lines = [...log.lines, ...fresh].slice(-LOG_LINES);
  const scroll = log.scroll > 0 || log.paused ? Math.min(lines.length, log.scroll + fresh.length) : 0;
  return { ...log, lines, scroll };
}

function onTick(ui: UiState, nowMs: number): UiState {
  const d = ui.dialog;
  if (!d || d.kind === 'output') return ui;
  const untilMs = d.kind === 'menu' ? (d.movedMs ?? ui.openedMs) + MENU_MS : d.untilMs;
  return nowMs >= untilMs ? { ...ui, dialog: null } : ui;
}

function withFacts(ui: UiState, facts: MenuFacts): UiState {
  const { dialog } = ui;
  const next = { ...ui, ...facts };
  return dialog?.kind === 'menu' ? { ...next, dialog: { ...dialog, items: refreshed(dialog.items, next) } } : next;
}

function onPlanned(ui: UiState, event: UiEvent & { t: 'planned' }, nowMs: number): Step {
  const untilMs = nowMs + (event.plan.typed_confirm === null ? CONFIRM_MS : TYPING_MS);
  return open(ui, { kind: 'confirm', plan: event.plan, args: event.args ?? {}, yes: false, typed: EMPTY_TEXT, untilMs }, nowMs);
}

function askPassword(ui: UiState, event: UiEvent & { t: 'ask_password' }, nowMs: number): Step {
  const { order, admins } = event;
  const title = actionNamed(order.plan.name)?.title ?? order.plan.name;
  if (admins.length === 0) return refuse(ui, title, 'no administrator of this box has a password', nowMs);
  const empty = { at: 0, state: EMPTY_TEXT, fault: null, busy: false };
  return open(ui, { kind: 'password', order, title, admins, ...empty, untilMs: nowMs + TYPING_MS }, nowMs);
}

/** One step. `nowMs` is monotonic. */
export function reduce(ui: UiState, event: UiEvent, nowMs: number): Step {
  switch (event.t) {
    case 'key':
      return onKey(ui, event, nowMs);
    case 'log':
      return stay({ ...ui, log: { ...longer(ui.log, event.lines), note: event.note ?? '' } });
    case 'pod_log':
      return ui.podLog ? stay({ ...ui, podLog: { ...ui.podLog, log: longer(ui.podLog.log, event.lines), ended: event.ended } }) : stay(ui);
    case 'facts':
      return stay(withFacts(ui, event.facts));
    case 'planned':
      return onPlanned(ui, event, nowMs);
    case 'ask_password':
      return askPassword(ui, event, nowMs);
    case 'refused':
      return ui.dialog?.kind === 'password' ? stay({ ...ui, dialog: { ...ui.dialog, busy: false, fault: event.why } }) : stay(ui);
    case 'started':
      return open(ui, { kind: 'output', title: event.title, lines: [], result: null }, nowMs);
    case 'output':
      return ui.dialog?.kind === 'output'
        ? stay({ ...ui, dialog: { ...ui.dialog, lines: [...ui.dialog.lines, event.line].slice(-OUTPUT_LINES) } })
        : stay(ui);
    case 'ended':
      return ui.dialog?.kind === 'output' ? stay({ ...ui, dialog: { ...ui.dialog, result: event.result } }) : stay(ui);
    case 'note':
      return note(ui, event.title, event.text, nowMs);
    case 'tick':
      return stay(onTick(ui, nowMs));
  }
}
