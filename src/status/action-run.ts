/** Carries out an action, step by step. The supervisor does it for everybody; a console does some itself when there is none. */
import type { ActionEvent, ActionPlan } from '#model/status.ts';
import { describeEnd, type Runner, succeeded } from '#system/run.ts';
import type { ActionArgs, ActionSpec } from './action-catalogue.ts';
import { draftNetworkAdopt } from './action-network.ts';
import { plainText } from './sanitise.ts';

/** How long a plan may wait for its yes. */
export const CONFIRM_SECONDS = 30;

export interface ActionPorts {
  readonly run: Runner;
  readonly remove: (file: string) => Promise<void>;
}

/** What a plan says beyond its catalogue entry, or why there can be none. */
export type Draft =
  | { readonly ok: true; readonly consequences: readonly string[]; readonly typedConfirm: string | null }
  | { readonly ok: false; readonly why: string };

const plainDraft = (spec: ActionSpec): Draft => ({ ok: true, consequences: spec.consequences, typedConfirm: null });

/** The draft of an action that anyone may carry out: what it would do to this box, now. */
export function draftOf(spec: ActionSpec, ports: Pick<ActionPorts, 'run'>): Promise<Draft> {
  return spec.name === 'network.adopt' ? draftNetworkAdopt(spec, ports.run) : Promise.resolve(plainDraft(spec));
}

/** What a person confirms. Secrets among the arguments are left out; `token` is good for one start. */
export const planOf = (spec: ActionSpec, args: ActionArgs, draft: Draft & { ok: true }, token: string): ActionPlan => {
  const named = spec.args.filter((a) => !a.secret).map((a) => `${a.title}: ${args[a.name] ?? ''}`);
  return {
    name: spec.name,
    summary: spec.summary,
    consequences: [...named, ...draft.consequences],
    typed_confirm: draft.typedConfirm,
    confirm_token: token,
    expires_s: CONFIRM_SECONDS,
  };
};

export type Say = (event: ActionEvent) => void;

const event = (e: Partial<ActionEvent> & Pick<ActionEvent, 't'>): ActionEvent => ({ stream: null, line: null, rc: null, msg: null, ...e });

/** One line of output, without control characters. */
export const outEvent = (line: string, stream: 'stdout' | 'stderr' = 'stdout'): ActionEvent =>
  event({ t: 'out', stream, line: plainText(line) });

/** The last event of an action. `rc` null: it did not end by itself. */
export const doneEvent = (rc: number | null, msg: string): ActionEvent => event({ t: 'done', rc, msg: plainText(msg) });

/** Runs the steps of an action, saying every line of output as it comes; the last event says how it ended. */
export async function perform(spec: Pick<ActionSpec, 'steps' | 'removes'>, ports: ActionPorts, say: Say): Promise<void> {
  for (const file of spec.removes) await ports.remove(file);
  for (const step of spec.steps) {
    const result = await ports.run(step.argv, {
      timeoutMs: step.timeoutMs,
      onLine: (line, stream) => say(outEvent(line, stream)),
    });
    if (succeeded(result) || step.tolerant) continue;
    const rc = result.kind === 'exited' ? result.code : null;
    say(doneEvent(rc, `${step.argv[0]}: ${describeEnd(result)}`));
    return;
  }
  say(doneEvent(0, 'done'));
}
