/** The dialogue as a pure reducer: an event and a state give the next state and the work to start. */

import { accept, gateId } from '#installer/wizard/acceptance.ts';
import { newDraft, setValue } from '#installer/wizard/draft.ts';
import { onKey, onOverlayChoice, submit } from '#installer/wizard/keys.ts';
import { goBack } from '#installer/wizard/navigation.ts';
import { presetScreens } from '#installer/wizard/preset.ts';
import { addKeys } from '#installer/wizard/screens/ssh.ts';
import { openScreen, screenOf } from '#installer/wizard/screens.ts';
import type { AnswersSoFar, RunView, Surroundings, Update, WizardEvent, WizardMode, WizardState } from '#installer/wizard/types.ts';
import type { UnfinishedView } from '#installer/wizard/unfinished-view.ts';
import type { Answers } from '#model/answers.ts';
import type { DiskIdentity, Machine } from '#model/machine.ts';
import type { EngineEvent } from '#model/plan.ts';
import { identityOf, sameDisk } from '#rules/disks.ts';

export interface WizardStart {
  readonly machine: Machine;
  /** From an answer file; empty when there is none. */
  readonly answers: Answers;
  readonly mode: WizardMode;
  readonly surroundings: Surroundings;
  /** Left out: none was looked for. */
  readonly unfinished?: UnfinishedView | null;
}

export function initialState(start: WizardStart): WizardState {
  const blank: WizardState = {
    ...start,
    unfinished: start.unfinished ?? null,
    isContinued: false,
    preset: new Set(),
    toAsk: new Set(),
    screen: 'welcome',
    beforeJump: null,
    draft: newDraft({}, ''),
    drafts: {},
    overlay: null,
    notice: null,
    busy: null,
    lookup: null,
    awaiting: null,
    lit: null,
    confirmedDisk: null,
    confirmedMirror: null,
    run: null,
    plan: null,
    outcome: null,
    driver: null,
  };
  return openScreen({ ...blank, preset: presetScreens(blank) }, 'welcome');
}

const LOG_LINES = 12;

const NEW_RUN: RunView = {
  stepTitle: '',
  fraction: 0,
  bytesPerSecond: null,
  secondsLeft: null,
  detail: null,
  log: [],
  failure: null,
  finished: null,
};

function onEngine(state: WizardState, event: EngineEvent): WizardState {
  const run = state.run ?? NEW_RUN;
  switch (event.type) {
    case 'step':
      return event.state === 'started' ? { ...state, run: { ...run, stepTitle: event.title, detail: null } } : state;
    case 'progress': {
      const { fraction, bytesPerSecond, secondsLeft, detail } = event;
      return { ...state, run: { ...run, fraction, bytesPerSecond, secondsLeft, detail } };
    }
    case 'log':
      return { ...state, run: { ...run, log: [...run.log, event.text].slice(-LOG_LINES) } };
    case 'failed':
      return openScreen({ ...state, overlay: null, run: { ...run, failure: event } }, 'failed');
    case 'finished':
      return openScreen({ ...state, overlay: null, run: { ...run, fraction: 1, finished: event } }, 'done');
  }
}

const isStillThere = (confirmed: DiskIdentity, machine: Machine): boolean =>
  machine.devices.some((device) => device.kname === confirmed.kname) && sameDisk(confirmed, identityOf(machine, confirmed.kname)) === null;

/** A confirmation holds for the disks that were looked at, not for their names. */
function stillConfirmed<T extends AnswersSoFar>(before: T, machine: Machine): T {
  const confirmed = [before.confirmedDisk, before.confirmedMirror].filter((disk) => disk !== null);
  if (confirmed.every((disk) => isStillThere(disk, machine))) return before;
  const { confirm_wipe: _confirmed, ...answers } = before.answers;
  return { ...before, answers, confirmedDisk: null, confirmedMirror: null };
}

function onMachine(state: WizardState, machine: Machine, note: string | null): WizardState {
  const { [state.screen]: _stale, ...drafts } = state.drafts;
  const beforeJump = state.beforeJump && stillConfirmed(state.beforeJump, machine);
  const seen = { ...stillConfirmed(state, machine), beforeJump, machine, drafts, busy: null };
  const highlighted = state.draft.values['target'];
  const reopened = { ...openScreen(seen, state.screen), notice: note };
  const isThere = machine.devices.some((device) => device.path === highlighted);
  return highlighted !== undefined && isThere ? { ...reopened, draft: setValue(reopened.draft, 'target', highlighted) } : reopened;
}

const stay = (state: WizardState): Update => ({ state, effects: [] });

/** What the screen waited for was asked: on with accepting it. Nobody to ask is no reason to stay. */
function onAsked(state: WizardState, about: string): Update {
  if (state.awaiting !== about) return stay(state);
  const rested = { ...state, awaiting: null, busy: null };
  if (state.lookup?.about === about) return accept(rested);
  return accept({ ...rested, draft: { ...state.draft, agreed: [...state.draft.agreed, gateId(about)] } });
}

/** A light is for looking at the disks; it goes out with their screen. */
export function update(state: WizardState, event: WizardEvent): Update {
  if (state.outcome !== null) return stay(state);
  const next = updated(state, event);
  const { lit, screen, outcome } = next.state;
  if (lit === null || (screen === 'disk' && outcome === null)) return next;
  return { state: { ...next.state, lit: null }, effects: [{ type: 'light', kname: lit, isOn: false }, ...next.effects] };
}

function updated(state: WizardState, event: WizardEvent): Update {
  switch (event.type) {
    case 'key':
      return onKey(event.terminal === null ? state : { ...state, driver: event.terminal }, event.key);
    case 'set': {
      const draft = setValue(state.draft, event.id, event.value);
      const settled = screenOf(state.screen).settleDraft?.(state, state.draft, draft) ?? draft;
      return stay({ ...state, draft: settled, notice: null });
    }
    case 'submit':
      return submit(state, event.id);
    case 'accept':
      return accept(state);
    case 'back':
      return stay(goBack(state));
    case 'choose':
      return onOverlayChoice(state, event.yes);
    case 'close-overlay':
      return stay({ ...state, overlay: null });
    case 'machine':
      return stay(onMachine(state, event.machine, event.note));
    case 'plan':
      return stay(openScreen({ ...state, plan: event.plan, run: NEW_RUN, beforeJump: null }, 'progress'));
    case 'plan-text':
      return stay({ ...state, overlay: { kind: 'pages', title: 'The plan so far', lines: event.lines, top: 0 } });
    case 'engine':
      return stay(onEngine(state, event.event));
    case 'lookup':
      return stay({ ...state, lookup: { screen: event.screen, about: event.about, running: event.running, lines: event.lines } });
    case 'asked':
      return onAsked(state, event.about);
    case 'keys-fetched': {
      if (state.screen !== 'ssh') return stay({ ...state, busy: null });
      return stay({ ...state, ...addKeys(state.draft, event.text), busy: null });
    }
    case 'trouble':
      return stay({ ...state, busy: null, awaiting: null, notice: event.message });
    case 'finished':
      return stay({ ...state, outcome: event.outcome });
  }
}
