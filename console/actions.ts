/** Actions through the supervisor; those of power also without one. */
import type { ActionEvent, ActionPlan } from '#model/status.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import { type ActionPorts, perform, planOf } from '#status/action-run.ts';
import { type ControlTarget, type PlanAnswer, planAction, runAction } from '#status/control-client.ts';
import type { ActionName } from '#status/policy.ts';

/** Stands in the place of a token while there is no supervisor to give one. */
const LOCAL_TOKEN = 'local';

/** A box whose supervisor is gone must still be able to reboot, so power actions fall back to this machine itself. */
export async function planHere(target: ControlTarget, action: ActionName): Promise<PlanAnswer> {
  const answer = await planAction(target, action);
  const spec = actionNamed(action);
  const isGone = !answer.ok && /socket|connection/.test(answer.why);
  return isGone && spec && action.startsWith('power.') ? { ok: true, plan: planOf(spec, LOCAL_TOKEN) } : answer;
}

export function runHere(target: ControlTarget, ports: ActionPorts, plan: ActionPlan, onEvent: (event: ActionEvent) => void): void {
  const spec = actionNamed(plan.name);
  if (plan.confirm_token !== LOCAL_TOKEN || !spec) {
    runAction(target, plan, onEvent);
    return;
  }
  const failed = (error: unknown): void =>
    onEvent({ t: 'done', stream: null, line: null, rc: null, msg: error instanceof Error ? error.message : String(error) });
  perform(spec, ports, onEvent).catch(failed);
}
