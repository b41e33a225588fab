/** What the screen is at, what may happen to it, and what it may wish for. */
import type { Secret } from '#model/secret.ts';
import type { ActionPlan, LogLine } from '#model/status.ts';
import type { ActionArgs } from '#status/action-catalogue.ts';
import type { ActionName, Policy } from '#status/policy.ts';
import type { TextState } from '#ui/edit.ts';
import type { Key } from '#ui/terminal/keys.ts';
import type { MenuFacts, Offers } from './menus.ts';
import type { Dialog, LogView, Order, Page, PodLog } from './screen-state.ts';

export const LOG_LINES = 2000;
export const CONFIRM_MS = 30_000;
/** Where something has to be typed. */
export const TYPING_MS = 90_000;
export const NOTE_MS = 8_000;
export const MENU_MS = 60_000;
/** Keys this soon after a dialog opened belong to what came before it. */
export const SETTLE_MS = 200;

export interface UiState extends MenuFacts {
  readonly page: Page;
  readonly dialog: Dialog | null;
  readonly openedMs: number;
  readonly scroll: number;
  readonly pod: string | null;
  readonly log: LogView;
  readonly podLog: PodLog | null;
}

export type Intent =
  /** Give the terminal away: to a login, or to the program for network settings. */
  | { readonly kind: 'login' }
  | { readonly kind: 'edit_network' }
  | { readonly kind: 'repaint' }
  /** Ask what an action would do. */
  | { readonly kind: 'plan'; readonly action: ActionName; readonly args: ActionArgs }
  /** Find out whose password may be given. */
  | { readonly kind: 'admins'; readonly order: Order }
  | { readonly kind: 'check'; readonly order: Order; readonly user: string; readonly password: Secret }
  /** `admin`: whose password was given; null when none was asked. */
  | { readonly kind: 'run'; readonly order: Order; readonly admin: string | null }
  | { readonly kind: 'follow'; readonly ns: string; readonly pod: string };

export interface PodName {
  readonly ns: string;
  readonly name: string;
}

export interface KeyEvent {
  readonly t: 'key';
  readonly key: Key;
  readonly pageRows: number;
  readonly scrollLimit: number;
  /** In the order they are shown. */
  readonly pods: readonly PodName[];
}

export type UiEvent =
  | KeyEvent
  /** `note` is for the title: how many came, when they are too many. */
  | { readonly t: 'log'; readonly lines: readonly LogLine[]; readonly note?: string }
  | { readonly t: 'pod_log'; readonly lines: readonly LogLine[]; readonly ended: string | null }
  | { readonly t: 'facts'; readonly facts: MenuFacts }
  | { readonly t: 'planned'; readonly plan: ActionPlan; readonly args?: ActionArgs }
  | { readonly t: 'ask_password'; readonly order: Order; readonly admins: readonly string[] }
  /** The answer to a password: it ran through, or why not. */
  | { readonly t: 'refused'; readonly why: string }
  | { readonly t: 'output'; readonly line: string }
  | { readonly t: 'ended'; readonly result: string }
  | { readonly t: 'note'; readonly title: string; readonly text: string }
  | { readonly t: 'started'; readonly title: string }
  | { readonly t: 'tick' };

export interface Step {
  readonly ui: UiState;
  readonly intents: readonly Intent[];
}

export const EMPTY_TEXT: TextState = { value: '', cursor: 0 };
export const EMPTY_LOG: LogView = { lines: [], scroll: 0, paused: false, filter: '', typing: false, note: '' };

export const initialUi = (policy: Policy, offers: Offers): UiState => ({
  ...offers,
  page: 'dashboard',
  dialog: null,
  openedMs: 0,
  scroll: 0,
  pod: null,
  log: EMPTY_LOG,
  podLog: null,
  policy,
  live: false,
  pending: false,
  hasK3s: false,
  hasSlots: false,
  hasPull: false,
});

export const stay = (ui: UiState, ...intents: readonly Intent[]): Step => ({ ui, intents });
export const open = (ui: UiState, dialog: Dialog, nowMs: number): Step => stay({ ...ui, dialog, openedMs: nowMs });
export const close = (ui: UiState, ...intents: readonly Intent[]): Step => stay({ ...ui, dialog: null }, ...intents);

export const note = (ui: UiState, title: string, text: string, nowMs: number): Step =>
  open(ui, { kind: 'note', title, text, untilMs: nowMs + NOTE_MS }, nowMs);

export const refuse = (ui: UiState, title: string, why: string, nowMs: number): Step => note(ui, title, `Not possible now: ${why}.`, nowMs);
