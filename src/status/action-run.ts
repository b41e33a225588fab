/** Carries out an action, step by step. The supervisor does it for everybody; a console does power actions itself when there is none. */
import type { ActionEvent, ActionPlan } from '#model/status.ts';
import { describeEnd, type Runner, succeeded } from '#system/run.ts';
import type { ActionSpec } from './action-catalogue.ts';
import { plainText } from './sanitise.ts';

/** How long a plan may wait for its yes. */
export const CONFIRM_SECONDS = 30;

export const planOf = (spec: ActionSpec, token: string): ActionPlan => ({
  name: spec.name,
  summary: spec.summary,
  consequences: [...spec.consequences],
  typed_confirm: null,
  confirm_token: token,
  expires_s: CONFIRM_SECONDS,
});

export interface ActionPorts {
  readonly run: Runner;
  readonly remove: (file: string) => Promise<void>;
}

/** Runs the steps of an action, saying every line of output as it comes; the last event says how it ended. */
export async function perform(spec: ActionSpec, ports: ActionPorts, say: (event: ActionEvent) => void): Promise<void> {
  const event = (e: Partial<ActionEvent> & Pick<ActionEvent, 't'>): void => say({ stream: null, line: null, rc: null, msg: null, ...e });
  for (const file of spec.removes) await ports.remove(file);
  for (const step of spec.steps) {
    const result = await ports.run(step.argv, {
      timeoutMs: step.timeoutMs,
      onLine: (line, stream) => event({ t: 'out', stream, line: plainText(line) }),
    });
    if (succeeded(result) || step.tolerant) continue;
    const rc = result.kind === 'exited' ? result.code : null;
    event({ t: 'done', rc, msg: `${step.argv[0]}: ${describeEnd(result)}` });
    return;
  }
  event({ t: 'done', rc: 0, msg: 'done' });
}
