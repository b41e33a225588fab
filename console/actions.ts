/** Actions through the supervisor; those of power also without one. */
import type { ActionEvent, ActionPlan } from '#model/status.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import { type ActionPorts, perform, planOf } from '#status/action-run.ts';
import { type ControlTarget, type PlanAnswer, planAction, runAction } from '#status/control-client.ts';
import type { ActionName } from '#status/policy.ts';
import { getOnce } from '#status/pull.ts';

/** Stands in the place of a token while there is no supervisor to give one. */
const LOCAL_TOKEN = 'local';

/** A supervisor on the same machine answers in milliseconds. */
const ANSWER_MS = 1000;

/**
 * Why power actions make no sense here; null when they do. A console may be tried out on any machine, and only an
 * appliance is its to switch off: one whose supervisor takes actions, or whose release file says so.
 */
export async function powerObstacle(control: string, isAppliance: () => Promise<boolean>): Promise<string | null> {
  if (await isAppliance()) return null;
  const answer = await getOnce(control, '/v1/actions', ANSWER_MS);
  return answer.ok ? null : 'no appliance, no control socket';
}

/** A box whose supervisor is gone must still be able to reboot, so power actions fall back to this machine itself. */
export async function planHere(target: ControlTarget, action: ActionName, isAppliance: () => Promise<boolean>): Promise<PlanAnswer> {
  const answer = await planAction(target, action);
  const spec = actionNamed(action);
  const isGone = !answer.ok && /socket|connection/.test(answer.why);
  const mayActAlone = isGone && action.startsWith('power.') && (await isAppliance());
  return mayActAlone && spec ? { ok: true, plan: planOf(spec, LOCAL_TOKEN) } : answer;
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
