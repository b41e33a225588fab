/** Drives the reducer as an operator would, without a terminal. */

import { expect } from 'vitest';
import type { Effect } from '#installer/wizard/effects.ts';
import { initialState, update } from '#installer/wizard/state.ts';
import type { CheckLine, Item, ScreenId, Surroundings, WizardEvent, WizardMode, WizardState } from '#installer/wizard/types.ts';
import type { Answers } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import { Secret } from '#model/secret.ts';
import type { Key, KeyName } from '#ui/terminal/keys.ts';
import server from '../../fixtures/wizard/server.json' with { type: 'json' };

export const SERVER = server as unknown as Machine;
export const SURROUNDINGS: Surroundings = {
  product: 'SpatiumDDI',
  version: '1.2.3',
  now: '2026-11-30T12:00:00Z',
  buildDate: '2026-11-01',
  offeredNtp: [],
  gatewayAnswers: null,
};

export const key = (name: KeyName, text = ''): Key => ({ name, text, shift: false, alt: false, ctrl: name === 'ctrl' });

/** Key names in angle brackets, everything else is typed: `type('ddi-1<enter>')`. */
const TOKENS = /<([a-z0-9-]+)>|([^<]+)/g;

export class Operator {
  state: WizardState;
  effects: Effect[] = [];

  constructor(answers: Answers = {}, mode: WizardMode = 'install', machine: Machine = SERVER) {
    this.state = initialState({ machine, answers, mode, surroundings: SURROUNDINGS });
  }

  type(script: string): this {
    for (const [, name, text] of script.matchAll(TOKENS)) {
      const pressed = name?.startsWith('ctrl-') ? key('ctrl', name.slice(5)) : name ? key(name as KeyName) : key('text', text ?? '');
      this.send(pressed);
    }
    return this;
  }

  send(pressed: Key): this {
    return this.event({ type: 'key', key: pressed, terminal: null });
  }

  event(event: WizardEvent): this {
    const { state, effects } = update(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    for (const effect of effects) if (effect.type === 'probe' && this.state.awaiting === effect.url) this.#answer(effect.url);
    return this;
  }

  /** What the control plane says when it is asked before a screen is accepted. */
  controlPlane: CheckLine = { name: 'Control plane', state: 'ok', detail: 'version 1.2.3' };

  #answer(about: string): void {
    this.event({ type: 'lookup', screen: this.screen, about, lines: [this.controlPlane], running: false });
    this.event({ type: 'asked', about });
  }

  get screen(): ScreenId {
    return this.state.screen;
  }

  /** Moves the highlight of the Confirm menu to a row and presses Enter. */
  choose(row: string): this {
    this.type('<home>');
    for (let i = 0; i < 30 && this.state.draft.values['row'] !== row; i++) this.type('<down>');
    return this.type('<enter>');
  }
}

/** Everything a first node needs. */
export const FIRST_NODE: Answers = {
  role: 'control-plane',
  target_disk: '/dev/sdb',
  confirm_wipe: 'true',
  hostname: 'ddi-1',
  admin_user: 'admin',
  admin_password: new Secret('correct horse battery'),
  set_root_password: 'false',
  network: { mode: 'dhcp' },
  timezone: 'UTC',
  keymap: 'us',
  ssh_authorized_keys: [],
  ntp_servers: ['pool.ntp.org'],
  k3s: {},
};

/** An operator who has answered all of a first node and stands on Confirm. */
export const toConfirm = (): Operator => {
  const operator = new Operator(FIRST_NODE);
  operator.type('<enter><enter>');
  expect(operator.screen).toBe('confirm');
  return operator;
};

/** Rows that an item takes on a screen laid out with these list heights. */
export const rowsOf = (item: Item, listRows: Readonly<Record<string, number>>): number =>
  item.kind === 'list'
    ? (listRows[item.id] ?? 0) + (item.head === undefined ? 0 : 1)
    : item.kind === 'search'
      ? (listRows[item.id] ?? 0) + 1
      : 1;
