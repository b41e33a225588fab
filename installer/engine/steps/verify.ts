/** Looks at the result with fresh eyes. A failed check never stops the run: it is told before anyone restarts, and the run is not a success. */
import { messageOf } from '#system/complain.ts';
import type { StepContext, StepRunner } from '../context.ts';
import { isMirror } from '../devices.ts';
import { type Check, driftFault, espChecks, slotBFault, slotFault, uuidFault } from './verify-boot.ts';
import { accountFault, secretFault, stateFault } from './verify-data.ts';

function checksOf(context: StepContext): Check[] {
  const second: Check[] = isMirror(context.plan)
    ? [...espChecks(context, '/boot/efi2', 1), ['boot partitions in step', () => driftFault(context)]]
    : [];
  return [
    ...espChecks(context, '/boot/efi', 0),
    ...second,
    ['file systems named by the menu and fstab', () => uuidFault(context)],
    ['slot A', () => slotFault(context, context.root)],
    ['slot B', () => slotBFault(context)],
    ['machine configuration', () => stateFault(context)],
    ['account', () => accountFault(context)],
    ['secrets', () => secretFault(context)],
  ];
}

export const verify: StepRunner<'verify'> = async (_action, context) => {
  context.checks.length = 0;
  for (const [name, ask] of checksOf(context)) {
    // A check that cannot be made is not a passed one.
    const fault = await ask().catch((error: unknown) => `could not be checked: ${messageOf(error)}`);
    context.checks.push({ name, ok: fault === null, detail: fault ?? 'ok' });
    context.log.write(`check ${name}: ${fault ?? 'ok'}`);
  }
};
