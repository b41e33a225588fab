/** May this machine be installed at all, whatever the answers say? */
import type { Machine } from '#model/machine.ts';
import type { Case } from './case.ts';

/** Every spelling of the two architectures that there is an image for. */
const X86 = ['x86_64', 'amd64'];
const ARM = ['aarch64', 'arm64'];

function fault(c: Case, { architecture, firmware }: Machine): string | null {
  if (X86.includes(architecture) || (ARM.includes(architecture) && firmware === 'uefi')) return null;
  if (ARM.includes(architecture)) return 'an arm64 machine without UEFI cannot be started from what would be installed';
  return `the architecture ${c.show(architecture)} is not supported; there are images for x86_64 and arm64 only`;
}

/** Says nothing without a machine, or with one that was only looked at for its disks. */
export function judgeMachine(c: Case): void {
  if (c.machine === null || c.machine.partial === true) return;
  const message = fault(c, c.machine);
  if (message !== null) c.report('', { rule: 'machine.architecture', message });
}
