/** Actions that are more than commands in a row. */
import type { ActionArgs } from '#status/action-catalogue.ts';
import type { Draft, Say } from '#status/action-run.ts';
import type { ActionName } from '#status/policy.ts';

export interface ActionWork {
  /** Why it cannot be done on this box now; null when it can. */
  readonly obstacle?: () => Promise<string | null>;
  /** Words to pick from, by the name of the argument. */
  readonly choices?: () => Promise<Readonly<Record<string, readonly string[]>>>;
  /** What it would do, beyond what the catalogue says. */
  readonly draft?: (args: ActionArgs) => Promise<Draft>;
  /** Does it; the last thing said is a `done` event. `signal`: nobody listens any more. Left out: the steps of the catalogue. */
  readonly run?: (args: ActionArgs, say: Say, signal: AbortSignal) => Promise<void>;
}

export type ActionWorks = Partial<Readonly<Record<ActionName, ActionWork>>>;
