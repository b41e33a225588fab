/** May this machine be installed at all, whatever the answers say, and is it strong enough for its role? */
import type { Role } from '#model/answers.ts';
import { GIB, MIN_MEMORY_BYTES, RECOMMENDED_CONTROL_PLANE_MEMORY_BYTES } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import type { Case, Fault } from './case.ts';

/** Every spelling of the two architectures that there is an image for. */
const X86 = ['x86_64', 'amd64'];
const ARM = ['aarch64', 'arm64'];

function fault(c: Case, { architecture, firmware }: Machine): string | null {
  if (X86.includes(architecture) || (ARM.includes(architecture) && firmware === 'uefi')) return null;
  if (ARM.includes(architecture)) return 'an arm64 machine without UEFI cannot be started from what would be installed';
  return `the architecture ${c.show(architecture)} is not supported; there are images for x86_64 and arm64 only`;
}

/** The kernel keeps a part for itself, so what is left is rounded to what was fitted. */
export const fittedGib = (memoryBytes: number): number => Math.round(memoryBytes / GIB);

const ROLE_NAMES: Readonly<Record<Role, string>> = { 'control-plane': 'a control plane', appliance: 'an additional node' };

/** What is to be said of that much memory in that role; null: it is enough. */
export function memoryFault(memoryBytes: number, role: Role): Fault | null {
  const [gib, floorGib] = [fittedGib(memoryBytes), MIN_MEMORY_BYTES[role] / GIB];
  const wantedGib = RECOMMENDED_CONTROL_PLANE_MEMORY_BYTES / GIB;
  const amount = gib === 0 ? 'less than 1 GiB' : `${gib} GiB`;
  if (gib < floorGib)
    return {
      rule: 'machine.memory-low',
      message: `the machine has ${amount} of memory; ${ROLE_NAMES[role]} needs ${floorGib} GiB, or its services never start`,
    };
  // A GiB below what is wanted still passes: firmware and graphics take their share of what was fitted.
  if (role === 'control-plane' && gib < wantedGib - 1)
    return {
      rule: 'machine.memory-small',
      message: `the machine has ${amount} of memory; ${ROLE_NAMES[role]} should have ${wantedGib} GiB`,
    };
  return null;
}

/** Memory and processor, `machine.*`. Says nothing without a machine, or with one that was only looked at for its disks. */
export function judgeMachine(c: Case): void {
  if (c.machine === null || c.machine.partial === true) return;
  const message = fault(c, c.machine);
  if (message !== null) c.report('', { rule: 'machine.architecture', message });
  const { memoryBytes } = c.machine;
  const memory = memoryBytes === null || c.role === null ? null : memoryFault(memoryBytes, c.role);
  if (memory !== null) c.report('role', memory);
}
