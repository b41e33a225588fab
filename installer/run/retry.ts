/** After a run that failed half-way: what the next plan may take the disks for. */
import type { Machine } from '#model/machine.ts';
import type { Plan } from '#model/plan.ts';
import { identityOf, sameDisk } from '#rules/disks.ts';

/**
 * The failed run has changed the partition table itself, so a plan made from the machine as it was before would be refused
 * as one for another disk. The fresh look counts when every disk of the plan is the same piece of hardware;
 * otherwise the old one stays, and the engine refuses with the difference.
 */
export function machineForRetry(plan: Plan, before: Machine, now: Machine): Machine {
  const isSame = plan.disks.every(({ disk }) => {
    const device = now.devices.find((candidate) => candidate.path === disk.path);
    return device !== undefined && sameDisk(disk, { ...identityOf(now, device.kname), table: disk.table }) === null;
  });
  return isSame ? now : before;
}
