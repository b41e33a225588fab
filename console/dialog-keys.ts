/** What keys do while a dialog is open. */
import { Secret } from '#model/secret.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import { editText } from '#ui/edit.ts';
import type { Key } from '#ui/terminal/keys.ts';
import { choose } from './choose.ts';
import type { Dialog, Order } from './screen-state.ts';
import { close, EMPTY_TEXT, refuse, SETTLE_MS, type Step, stay, TYPING_MS, type UiState } from './ui-state.ts';

type Of<K extends Dialog['kind']> = Dialog & { kind: K };

function menuKey(ui: UiState, d: Of<'menu'>, key: Key, nowMs: number): Step {
  const goTo = (at: number): Step => stay({ ...ui, dialog: { ...d, at, movedMs: nowMs } });
  const last = d.items.length - 1;
  switch (key.name) {
    case 'up':
    case 'backtab':
      return goTo(d.at === 0 ? last : d.at - 1);
    case 'down':
    case 'tab':
      return goTo(d.at === last ? 0 : d.at + 1);
    case 'home':
      return goTo(0);
    case 'end':
      return goTo(last);
    case 'enter': {
      const item = d.items[d.at];
      if (!item) return close(ui);
      if (item.why !== null) return refuse(ui, item.title, item.why, nowMs);
      return choose({ ...ui, dialog: null }, item, nowMs);
    }
    case 'escape':
    case 'f10':
      return close(ui);
    default:
      return stay(ui);
  }
}

const output = (ui: UiState, order: Order): UiState => {
  const title = actionNamed(order.plan.name)?.title ?? order.plan.name;
  return { ...ui, dialog: { kind: 'output', title, lines: [], result: null } };
};

/** After the yes: the password where one is wanted, else at once. */
function ordered(ui: UiState, order: Order): Step {
  const spec = actionNamed(order.plan.name);
  if (ui.policy.password && spec?.guarded !== false) return close(ui, { kind: 'admins', order });
  return stay(output(ui, order), { kind: 'run', order, admin: null });
}

function confirmKey(ui: UiState, d: Of<'confirm'>, key: Key, nowMs: number): Step {
  const wanted = d.plan.typed_confirm;
  const turn = (): Step => stay({ ...ui, dialog: { ...d, yes: !d.yes, turnedMs: nowMs } });
  switch (key.name) {
    case 'tab':
    case 'backtab':
      return turn();
    case 'enter':
      if (!d.yes) return close(ui);
      // Nobody turns to Yes and means it this quickly; a paste without brackets does.
      if (d.turnedMs !== undefined && nowMs - d.turnedMs < SETTLE_MS) return stay(ui);
      if (wanted !== null && d.typed.value !== wanted) return stay(ui);
      return ordered(ui, { plan: d.plan, args: d.args, typed: wanted });
    case 'escape':
      return close(ui);
    default:
  }
  if (wanted !== null) {
    const typed = key.name === 'paste' ? null : editText(d.typed, key);
    return typed === null ? stay(ui) : stay({ ...ui, dialog: { ...d, typed } });
  }
  if (key.name === 'left' || key.name === 'right') return turn();
  return key.name === 'text' && (key.text === 'n' || key.text === 'q') ? close(ui) : stay(ui);
}

function formKey(ui: UiState, d: Of<'form'>, key: Key, nowMs: number): Step {
  const count = d.fields.length;
  const goTo = (at: number): Step => stay({ ...ui, dialog: { ...d, at: (at + count) % count } });
  const field = d.fields[d.at];
  if (!field) return close(ui);
  switch (key.name) {
    case 'escape':
      return close(ui);
    case 'up':
    case 'backtab':
      return goTo(d.at - 1);
    case 'down':
    case 'tab':
      return goTo(d.at + 1);
    case 'enter': {
      const bad = d.fields.findIndex((f) => !f.arg.pattern.test(f.state.value));
      const fault = d.fields[bad];
      // Enter goes through the fields; only at the last one is everything judged.
      if (d.at < count - 1 && field.arg.pattern.test(field.state.value))
        return stay({ ...ui, dialog: { ...d, at: d.at + 1, fault: null } });
      if (fault) return stay({ ...ui, dialog: { ...d, at: bad, fault: `${fault.arg.title}: ${fault.arg.wanted}` } });
      const args = Object.fromEntries(d.fields.map((f) => [f.arg.name, f.state.value]));
      return choose({ ...ui, dialog: null }, { id: d.action, args }, nowMs);
    }
    default: {
      const state = editText(field.state, key);
      if (state === null) return stay(ui);
      const fields = d.fields.map((f, i) => (i === d.at ? { ...f, state } : f));
      return stay({ ...ui, dialog: { ...d, fields, fault: null, untilMs: nowMs + TYPING_MS } });
    }
  }
}

function passwordKey(ui: UiState, d: Of<'password'>, key: Key, nowMs: number): Step {
  if (d.busy) return stay(ui);
  const count = d.admins.length;
  switch (key.name) {
    case 'escape':
      return close(ui);
    case 'up':
    case 'down':
      return stay({ ...ui, dialog: { ...d, at: (d.at + (key.name === 'up' ? count - 1 : 1)) % count, state: EMPTY_TEXT } });
    case 'enter': {
      const user = d.admins[d.at];
      if (user === undefined || d.state.value === '') return stay(ui);
      const password = new Secret(d.state.value);
      return stay(
        { ...ui, dialog: { ...d, state: EMPTY_TEXT, busy: true, fault: null } },
        { kind: 'check', order: d.order, user, password },
      );
    }
    default: {
      const state = editText(d.state, key);
      return state === null ? stay(ui) : stay({ ...ui, dialog: { ...d, state, untilMs: nowMs + TYPING_MS } });
    }
  }
}

export function dialogKey(ui: UiState, d: Dialog, key: Key, nowMs: number): Step {
  // Text cannot do anything by itself, and a machine that was busy reads the name of the action and its words in one go.
  const isWords = key.name === 'text' && (d.kind === 'form' || d.kind === 'password');
  if (nowMs - ui.openedMs < SETTLE_MS && !isWords) return stay(ui);
  switch (d.kind) {
    case 'menu':
      return menuKey(ui, d, key, nowMs);
    case 'confirm':
      return confirmKey(ui, d, key, nowMs);
    case 'form':
      return formKey(ui, d, key, nowMs);
    case 'password':
      return passwordKey(ui, d, key, nowMs);
    case 'output':
      return d.result !== null && (key.name === 'enter' || key.name === 'escape') ? close(ui) : stay(ui);
    case 'note':
      return key.name === 'enter' || key.name === 'escape' ? close(ui) : stay(ui);
  }
}
