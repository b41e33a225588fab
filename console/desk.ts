/** Carries out what a person chose and confirmed: plans, passwords, actions and logs of pods. Knows no screen. */
import type { Secret } from '#model/secret.ts';
import type { ActionEvent, ActionPlan } from '#model/status.ts';
import { type ActionArgs, actionNamed } from '#status/action-catalogue.ts';
import type { PlanAnswer } from '#status/control-client.ts';
import type { ActionName } from '#status/policy.ts';
import type { PasswordGate } from './password-gate.ts';
import type { Order } from './screen-state.ts';
import type { Intent, UiEvent } from './ui-state.ts';

export type PasswordAnswer = { readonly kind: 'right' } | { readonly kind: 'wrong' } | { readonly kind: 'unknown'; readonly why: string };

export interface DeskPorts {
  readonly monoMs: () => number;
  readonly plan: (action: ActionName, args: ActionArgs) => Promise<PlanAnswer>;
  readonly runPlan: (order: Order, admin: string | null, onEvent: (event: ActionEvent) => void) => void;
  readonly followPod: (ns: string, pod: string, onEvent: (event: ActionEvent) => void) => { stop(): void };
  /** Accounts whose password counts, or why none can be checked. */
  readonly admins: () => Promise<readonly string[] | string>;
  readonly checkPassword: (user: string, password: Secret) => Promise<PasswordAnswer>;
  /** One line for the audit trail. */
  readonly audit: (text: string) => void;
}

const same = (a: ActionPlan, b: ActionPlan): boolean =>
  JSON.stringify([a.name, a.summary, a.consequences, a.typed_confirm]) ===
  JSON.stringify([b.name, b.summary, b.consequences, b.typed_confirm]);

const titleOf = (name: string): string => actionNamed(name)?.title ?? name;

export class Desk {
  readonly #ports: DeskPorts;
  readonly #say: (event: UiEvent) => void;
  readonly #giveTerminal: (order: Order) => void;
  readonly #gate: PasswordGate;
  #following: { stop(): void } | null = null;

  /** @param giveTerminal a confirmed action needs the terminal for itself */
  constructor(ports: DeskPorts, say: (event: UiEvent) => void, giveTerminal: (order: Order) => void, gate: PasswordGate) {
    this.#ports = ports;
    this.#say = say;
    this.#giveTerminal = giveTerminal;
    this.#gate = gate;
  }

  async plan(action: ActionName, args: ActionArgs): Promise<void> {
    const answer = await this.#ports.plan(action, args);
    if (answer.ok) this.#say({ t: 'planned', plan: answer.plan, args });
    else this.#say({ t: 'note', title: titleOf(action), text: `Not possible: ${answer.why}.` });
  }

  async admins(order: Order): Promise<void> {
    const admins = await this.#ports.admins().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const why = typeof admins === 'string' ? `The password of an administrator cannot be asked for: ${admins}.` : this.#gate.obstacle();
    if (why !== null || typeof admins === 'string') this.#say({ t: 'note', title: titleOf(order.plan.name), text: why ?? '' });
    else this.#say({ t: 'ask_password', order, admins });
  }

  /** @param stillAsked false when the dialog has gone meanwhile: then nothing is done */
  async check({ order, user, password }: Intent & { kind: 'check' }, stillAsked: () => boolean): Promise<void> {
    const closed = this.#gate.obstacle();
    if (closed !== null) return this.#say({ t: 'refused', why: closed });
    const answer = await this.#ports.checkPassword(user, password);
    switch (answer.kind) {
      case 'unknown':
        return this.#say({ t: 'refused', why: `It cannot be checked: ${answer.why}.` });
      case 'wrong': {
        this.#ports.audit(`wrong password of ${user} for ${order.plan.name}`);
        return this.#say({ t: 'refused', why: this.#gate.wrong() });
      }
      case 'right':
        this.#gate.right();
        if (stillAsked()) await this.#afterPassword(order, user);
    }
  }

  /** Typing took time, and a plan is good for seconds: it is asked for again, and must say the same. */
  async #afterPassword(order: Order, user: string): Promise<void> {
    const again = await this.#ports.plan(order.plan.name as ActionName, order.args);
    if (!again.ok) return this.#say({ t: 'note', title: titleOf(order.plan.name), text: `Not possible: ${again.why}.` });
    if (!same(order.plan, again.plan)) return this.#say({ t: 'planned', plan: again.plan, args: order.args });
    this.#say({ t: 'started', title: titleOf(order.plan.name) });
    this.run({ ...order, plan: again.plan }, user);
  }

  run(order: Order, admin: string | null): void {
    if (actionNamed(order.plan.name)?.place === 'console') {
      this.#ports.audit(`${order.plan.name} confirmed${admin === null ? '' : ` by ${admin}`}`);
      this.#giveTerminal(order);
      return;
    }
    this.#ports.runPlan(order, admin, (event) => {
      if (event.t === 'out') this.#say({ t: 'output', line: event.line ?? '' });
      else this.#say({ t: 'ended', result: event.rc === 0 ? (event.msg ?? 'done') : `failed: ${event.msg ?? 'unknown'}` });
    });
  }

  follow(ns: string, pod: string, onLine: (text: string) => void, onEnd: (why: string) => void): void {
    this.unfollow();
    this.#following = this.#ports.followPod(ns, pod, (event) => {
      if (event.t === 'out') onLine(event.line ?? '');
      else onEnd(event.msg ?? 'the log ended');
    });
  }

  unfollow(): void {
    this.#following?.stop();
    this.#following = null;
  }
}
