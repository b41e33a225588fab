/** Carries out what the operator confirmed, and writes down who asked. */
import { randomBytes } from 'node:crypto';
import type { ActionEvent, ActionPlan } from '#model/status.ts';
import type { ActionSpec } from '#status/action-catalogue.ts';
import { plainText } from '#status/sanitise.ts';
import { describeEnd, type Runner, succeeded } from '#system/run.ts';

export const CONFIRM_SECONDS = 30;

/** One-time words that turn a plan into a yes, each for one action and a short time. */
export class Confirmations {
  readonly #open = new Map<string, { readonly name: string; readonly untilMs: number }>();
  readonly #monoMs: () => number;

  constructor(monoMs: () => number) {
    this.#monoMs = monoMs;
  }

  issue(name: string): string {
    for (const [token, c] of this.#open) if (c.untilMs < this.#monoMs()) this.#open.delete(token);
    const token = randomBytes(16).toString('hex');
    this.#open.set(token, { name, untilMs: this.#monoMs() + CONFIRM_SECONDS * 1000 });
    return token;
  }

  /** True once, for the action it was made for, in time. */
  redeem(name: string, token: string): boolean {
    const c = this.#open.get(token);
    if (!c || c.name !== name) return false;
    this.#open.delete(token);
    return c.untilMs >= this.#monoMs();
  }
}

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
