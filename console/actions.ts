/** Actions through the supervisor; those that anyone may carry out also without one. */
import type { ActionEvent, ActionPlan } from '#model/status.ts';
import { type ActionArgs, actionNamed } from '#status/action-catalogue.ts';
import { type ActionPorts, doneEvent, draftOf, perform, planOf } from '#status/action-run.ts';
import { type Confirmed, type ControlTarget, listActions, type PlanAnswer, planAction, runAction } from '#status/control-client.ts';
import type { ActionName } from '#status/policy.ts';

/** Stands in the place of a token while there is no supervisor to give one. */
const LOCAL_TOKEN = 'local';

/** What the supervisor says about one action. */
export interface Offer {
  /** Why it cannot be done now; null when it can. */
  readonly why: string | null;
  readonly choices: Readonly<Record<string, readonly string[]>> | null;
}

/** null: no supervisor takes actions here. */
export type OfferList = Readonly<Record<string, Offer>> | null;

export async function offerList(control: string): Promise<OfferList> {
  const listed = await listActions({ socket: control });
  return listed === null ? null : Object.fromEntries(listed.map(({ name, why, choices }) => [name, { why, choices }]));
}

/**
 * Why power actions make no sense here; null when they do. A console may be tried out on any machine, and only an
 * appliance is its to switch off: one whose supervisor takes actions, or whose release file says so.
 */
export const powerObstacle = (offers: OfferList, isAppliance: boolean): string | null =>
  isAppliance || offers !== null ? null : 'no appliance, no control socket';

/** A box whose supervisor is gone must still be able to reboot, so some actions fall back to this machine itself. */
export async function planHere(
  target: ControlTarget,
  ports: Pick<ActionPorts, 'run'>,
  action: ActionName,
  args: ActionArgs,
  isAppliance: () => Promise<boolean>,
): Promise<PlanAnswer> {
  const spec = actionNamed(action);
  // It needs this terminal, so nobody else is asked.
  if (spec?.place === 'console')
    return { ok: true, plan: planOf(spec, args, { ok: true, consequences: spec.consequences, typedConfirm: null }, LOCAL_TOKEN) };
  const answer = await planAction(target, action, args);
  const isGone = !answer.ok && /socket|connection|no complete answer/.test(answer.why);
  if (!isGone || spec?.place !== 'anyone' || !(await isAppliance())) return answer;
  const draft = await draftOf(spec, ports);
  return draft.ok ? { ok: true, plan: planOf(spec, args, draft, LOCAL_TOKEN) } : draft;
}

const isLocal = (plan: ActionPlan): boolean => plan.confirm_token === LOCAL_TOKEN;

export function runHere(target: ControlTarget, ports: ActionPorts, confirmed: Confirmed, onEvent: (event: ActionEvent) => void): void {
  const spec = actionNamed(confirmed.plan.name);
  if (!isLocal(confirmed.plan) || !spec) {
    runAction(target, confirmed, onEvent);
    return;
  }
  perform(spec, ports, onEvent).catch((error: unknown) => onEvent(doneEvent(null, error instanceof Error ? error.message : String(error))));
}
