/** Keys and news played to the reducer of the console. */
import { type Intent, initialUi, reduce, SETTLE_MS, type UiEvent, type UiState } from '#console/reducer.ts';
import { OPEN_POLICY } from '#status/policy.ts';
import { decodeKeys, type Key } from '#ui/terminal/keys.ts';

export const press = (name: Key['name'], text = ''): UiEvent => ({
  t: 'key',
  key: { name, text, shift: false, alt: false, ctrl: false },
  pageRows: 10,
  scrollLimit: 20,
  pods: [],
});
export const PLAN = { name: 'power.reboot', summary: 's', consequences: [], typed_confirm: null, confirm_token: 't', expires_s: 30 };

export const ALL = { loginWhy: null, powerWhy: null, editWhy: null, offered: {} };

/** Plays events a second apart, unless an event carries its own pause. */
export function play(events: readonly (UiEvent | number)[], policy = OPEN_POLICY) {
  let ui: UiState = initialUi(policy, ALL);
  let nowMs = 0;
  const intents: Intent[] = [];
  for (const e of events) {
    if (typeof e === 'number') {
      nowMs += e;
      continue;
    }
    const step = reduce(ui, e, nowMs);
    ui = step.ui;
    intents.push(...step.intents);
    nowMs += SETTLE_MS;
  }
  return { ui, intents };
}
export const bytes = (text: string): UiEvent[] =>
  decodeKeys(text, true).events.flatMap((e) => (e.key ? [{ ...(press('enter') as UiEvent & { t: 'key' }), key: e.key }] : []));
