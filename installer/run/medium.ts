/** The running medium: where its system image lies, whether this is one at all, and how it ends. */
import path from 'node:path';
import type { LeavesTo, WizardOutcome } from '#installer/wizard/types.ts';
import { ensureDir, factsOf, writeAtomic } from '#system/files.ts';
import type { Runner } from '#system/run.ts';
import { kernelWords } from './kernel.ts';

const IMAGE_PLACES = ['/run/live/medium/live/filesystem.squashfs', '/usr/lib/live/mount/medium/live/filesystem.squashfs'];

export const LOG_DIR = '/var/log/spatium-install';
/** Goes along when the logs are taken off the medium. */
const HALT_LOG = `${LOG_DIR}/halted.txt`;
const FAILURE_FILE = '/run/spatiumddi/install-failed.txt';

/** The image as it was built, or null when this is no installer medium. */
export async function findSystemImage(): Promise<string | null> {
  for (const place of IMAGE_PLACES) if ((await factsOf(place, true))?.kind === 'file') return place;
  return null;
}

export const isMedium = (cmdline: string): boolean => kernelWords(cmdline).includes('boot=live');

/** The reason of a halt, for whoever looks later. A medium that cannot be written to must not hide the reason on the console. */
export async function recordFailure(lines: readonly string[]): Promise<void> {
  for (const file of [FAILURE_FILE, HALT_LOG]) {
    await ensureDir(path.dirname(file))
      .then(() => writeAtomic(file, `${lines.join('\n')}\n`))
      .catch(() => undefined);
  }
}

/** Restarts or powers off. Only on a medium: a run from an administrator's shell must not take that machine down. */
export async function endMedium(after: 'reboot' | 'poweroff', runner: Runner): Promise<void> {
  await runner(['systemctl', '--no-block', after], { timeoutMs: 30_000 });
}

/** Read by `install-ended` of the image when the installer's process is over, and by the unit of the shell. */
const SHELL_MARK = '/run/spatiumddi/installer-shell';

export interface MediumFacts {
  readonly cmdline: string;
  readonly isLocked: boolean;
  /** The installer draws on all consoles, as the medium starts it; not from somebody's shell. */
  readonly allConsoles: boolean;
}

export function leavesTo({ cmdline, isLocked, allConsoles }: MediumFacts): LeavesTo {
  if (!allConsoles || !isMedium(cmdline)) return 'caller';
  return isLocked ? 'nothing' : 'shell';
}

/** What the medium does when a person's dialogue is over. */
export function afterWizard(
  outcome: WizardOutcome,
  afterInstall: 'reboot' | 'poweroff',
  facts: MediumFacts,
): 'reboot' | 'poweroff' | 'shell' | 'stay' {
  switch (outcome) {
    case 'installed':
      return isMedium(facts.cmdline) ? afterInstall : 'stay';
    case 'restart':
      return isMedium(facts.cmdline) ? 'reboot' : 'stay';
    case 'failed':
    case 'left':
      return leavesTo(facts) === 'shell' ? 'shell' : 'stay';
    case 'rehearsed':
      return 'stay';
  }
}

/** The shells come when this process has given the consoles back. */
export async function markForShell(): Promise<void> {
  await ensureDir(path.dirname(SHELL_MARK));
  await writeAtomic(SHELL_MARK, '');
}
