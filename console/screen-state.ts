/** Everything one frame is made from. */
import type { ActionPlan, LogLine, Verdict } from '#model/status.ts';
import type { ActionArg, ActionArgs } from '#status/action-catalogue.ts';
import type { Link } from '#status/client.ts';
import type { View } from '#status/freshness.ts';
import type { Policy } from '#status/policy.ts';
import type { TextState } from '#ui/edit.ts';
import type { Series } from './history.ts';
import type { Offers } from './menus.ts';
import type { ProcessTable } from './processes.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Page = 'dashboard' | 'log' | 'health' | 'pods' | 'podlog' | 'monitor' | 'processes' | 'pull';

export interface LogView {
  readonly lines: readonly LogLine[];
  /** Lines the view is scrolled up from the newest; 0 follows. */
  readonly scroll: number;
  readonly paused: boolean;
  /** Only lines holding this text, whatever the case; empty: all. */
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
  /** Said in the title: how many lines come, while there are too many to show each. */
  readonly note: string;
}

/** The log of one pod, while it is followed. */
export interface PodLog {
  readonly ns: string;
  readonly pod: string;
  readonly log: LogView;
  /** Why it ended; null while it goes on. */
  readonly ended: string | null;
}

export interface MenuItem {
  readonly id: string;
  readonly title: string;
  readonly key: string | null;
  /** Why it cannot be chosen now; null when it can. */
  readonly why: string | null;
  readonly args?: ActionArgs;
}

/** An action that was confirmed and what belongs to it. */
export interface Order {
  readonly plan: ActionPlan;
  readonly args: ActionArgs;
  readonly typed: string | null;
}

export interface FormField {
  readonly arg: ActionArg;
  readonly state: TextState;
}

export type Dialog =
  | {
      readonly kind: 'menu';
      readonly title: string;
      readonly items: readonly MenuItem[];
      readonly at: number;
      /** When a key last moved the mark; absent: it stands where it stood at first. */
      readonly movedMs?: number;
    }
  | {
      readonly kind: 'confirm';
      readonly plan: ActionPlan;
      readonly args: ActionArgs;
      readonly yes: boolean;
      /** When Yes or No was turned to last, monotonic; left out before the first turn. */
      readonly turnedMs?: number;
      /** What was typed so far, where the plan wants that. */
      readonly typed: TextState;
      readonly untilMs: number;
    }
  | {
      readonly kind: 'form';
      readonly action: string;
      readonly title: string;
      readonly fields: readonly FormField[];
      readonly at: number;
      readonly fault: string | null;
      readonly untilMs: number;
    }
  | {
      readonly kind: 'password';
      readonly order: Order;
      readonly title: string;
      /** Accounts that may answer; Up and Down choose. */
      readonly admins: readonly string[];
      readonly at: number;
      readonly state: TextState;
      readonly fault: string | null;
      /** It is being checked. */
      readonly busy: boolean;
      readonly untilMs: number;
    }
  | {
      readonly kind: 'output';
      readonly title: string;
      readonly lines: readonly string[];
      /** null while it runs. */
      readonly result: string | null;
    }
  | { readonly kind: 'note'; readonly title: string; readonly text: string; readonly untilMs: number };

export interface ScreenState extends Offers {
  readonly link: Link;
  readonly view: View;
  readonly verdict: Verdict | null;
  readonly log: LogView;
  readonly podLog: PodLog | null;
  readonly policy: Policy;
  readonly page: Page;
  readonly dialog: Dialog | null;
  /** First row shown of a page that is longer than the screen. */
  readonly scroll: number;
  /** `ns/name` of the pod that is chosen on the page of pods. */
  readonly pod: string | null;
  readonly processes: ProcessTable | null;
  readonly history: Series;
  readonly nowMs: number;
  /** Wall clock, milliseconds since 1970. */
  readonly wallMs: number;
}
