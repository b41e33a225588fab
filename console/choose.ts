/** What a menu entry or a function key does. */
import { type ActionArgs, type ActionSpec, actionNamed } from '#status/action-catalogue.ts';
import { choiceMenu, mainMenu, obstacle, powerMenu } from './menus.ts';
import type { MenuItem, Page } from './screen-state.ts';
import { close, EMPTY_LOG, EMPTY_TEXT, NOTE_MS, note, open, refuse, type Step, stay, TYPING_MS, type UiState } from './ui-state.ts';

/** The same key leads there and back. */
export const goTo = (ui: UiState, page: Page): Step =>
  stay({
    ...ui,
    dialog: null,
    page: ui.page === page ? 'dashboard' : page,
    scroll: 0,
    log: { ...ui.log, scroll: 0, typing: false },
    podLog: page === 'podlog' ? ui.podLog : null,
  });

function followPod(ui: UiState, args: ActionArgs): Step {
  const ns = args['ns'] ?? '';
  const pod = args['pod'] ?? '';
  return stay(
    { ...ui, dialog: null, page: 'podlog', scroll: 0, podLog: { ns, pod, log: EMPTY_LOG, ended: null } },
    { kind: 'follow', ns, pod },
  );
}

/** Asks for the words that an action still needs: from a list where there is one, else typed. */
function askWords(ui: UiState, spec: ActionSpec, nowMs: number): Step {
  const [first] = spec.args;
  const items = first === undefined ? [] : choiceMenu(spec.name, first.name, ui);
  if (items.length > 0) return open(ui, { kind: 'menu', title: `${spec.title}: ${first?.title.toLowerCase() ?? ''}`, items, at: 0 }, nowMs);
  const fields = spec.args.map((arg) => ({ arg, state: EMPTY_TEXT }));
  return open(ui, { kind: 'form', action: spec.name, title: spec.title, fields, at: 0, fault: null, untilMs: nowMs + TYPING_MS }, nowMs);
}

function chooseAction(ui: UiState, spec: ActionSpec, args: ActionArgs, nowMs: number): Step {
  if (!ui.policy.actions.includes(spec.name)) return close(ui);
  if (spec.args.some((a) => args[a.name] === undefined)) return askWords(ui, spec, nowMs);
  if (spec.name === 'pod.logs') return followPod(ui, args);
  // It may take seconds until a supervisor in trouble has answered, or has not.
  const asking = note(ui, spec.title, 'Finding out what this would do ...', nowMs);
  return { ...asking, intents: [{ kind: 'plan', action: spec.name, args }] };
}

/** Menus and function keys share it. */
export function choose(ui: UiState, item: Pick<MenuItem, 'id' | 'args'>, nowMs: number): Step {
  const spec = actionNamed(item.id);
  if (spec) return chooseAction(ui, spec, item.args ?? {}, nowMs);
  switch (item.id) {
    case 'login':
      if (!ui.policy.login) return stay(ui);
      return ui.loginWhy === null ? close(ui, { kind: 'login' }) : refuse(ui, 'Login', ui.loginWhy, nowMs);
    case 'network': {
      const edit = actionNamed('network.edit');
      if (!edit || !ui.policy.actions.includes('network.edit')) return stay(ui);
      const why = obstacle(edit, ui);
      return why === null ? chooseAction(ui, edit, {}, nowMs) : refuse(ui, edit.title, why, nowMs);
    }
    case 'power': {
      const items = powerMenu(ui);
      if (items.length > 0) return open(ui, { kind: 'menu', title: 'Power', items, at: 0 }, nowMs);
      const text = ui.policy.problem ?? 'The policy of this image allows no power action here.';
      return open(ui, { kind: 'note', title: 'Power', text, untilMs: nowMs + NOTE_MS }, nowMs);
    }
    case 'menu':
      return open(ui, { kind: 'menu', title: 'Menu', items: mainMenu(ui), at: 0 }, nowMs);
    case 'log':
    case 'health':
    case 'monitor':
    case 'processes':
      return goTo(ui, item.id);
    case 'pods':
      return ui.hasK3s ? goTo(ui, 'pods') : stay(ui);
    case 'pull':
      return ui.hasPull ? goTo(ui, 'pull') : stay(ui);
    case 'repaint':
      return close(ui, { kind: 'repaint' });
    default:
      return stay(ui);
  }
}
