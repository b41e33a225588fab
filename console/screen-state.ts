/** Everything one frame is made from. */
import type { ActionPlan, LogLine, Verdict } from '#model/status.ts';
import type { Link } from '#status/client.ts';
import type { View } from '#status/freshness.ts';
import type { Policy } from '#status/policy.ts';
import type { Series } from './history.ts';
import type { Offers } from './menus.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Page = 'dashboard' | 'log' | 'health' | 'pods' | 'monitor';

export interface LogView {
  readonly lines: readonly LogLine[];
  /** Lines the view is scrolled up from the newest; 0 follows. */
  readonly scroll: number;
  readonly paused: boolean;
  /** Only lines holding this text, whatever the case; empty: all. */
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
}

export interface MenuItem {
  readonly id: string;
  readonly title: string;
  readonly key: string | null;
  /** Why it cannot be chosen now; null when it can. */
  readonly why: string | null;
}

export type Dialog =
  | { readonly kind: 'menu'; readonly title: string; readonly items: readonly MenuItem[]; readonly at: number }
  | { readonly kind: 'confirm'; readonly plan: ActionPlan; readonly yes: boolean; readonly untilMs: number }
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
  readonly policy: Policy;
  readonly page: Page;
  readonly dialog: Dialog | null;
  /** First row shown of a page that is longer than the screen. */
  readonly scroll: number;
  readonly history: Series;
  readonly nowMs: number;
  /** Wall clock, milliseconds since 1970. */
  readonly wallMs: number;
}
