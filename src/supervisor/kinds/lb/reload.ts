/**
 * A reload that has arrived. HAProxy's master loses the signal while it is still at the one before, or at its start, and nothing
 * tells the sender; two reloads in a row are usual, as on the way back. So it is looked whether another worker has come.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type DaemonState, good, type Outcome } from '../kind.ts';
import type { Service } from '../service.ts';
import { askStats } from './stats.ts';

export interface ReloadRule {
  readonly tries: number;
  /** How long a try may take until the new worker answers. */
  readonly waitMs: number;
  readonly everyMs: number;
}

/** Ten seconds in all: less than the window of health that follows. */
const RELOAD: ReloadRule = { tries: 4, waitMs: 2500, everyMs: 50 };

/** Process of the worker that answers; null when none does. */
async function workerPid(socket: string): Promise<string | null> {
  const info = await askStats(socket, 'show info').catch(() => '');
  return /^Pid: (\d+)$/m.exec(info)?.[1] ?? null;
}

const isSameMaster = (before: DaemonState, now: DaemonState): boolean => now.isActive && now.mainPid === before.mainPid;

/** Good also when no other worker came: why is for the look at its health to say. */
export async function reloadLb(service: Service, socket: string, rule: ReloadRule = RELOAD): Promise<Outcome> {
  const before = await service.state();
  const worker = before.isActive ? await workerPid(socket) : null;
  for (let n = 1; ; n++) {
    const asked = await service.reload();
    if (!asked.ok || worker === null) return asked;
    // A worker that hangs takes its time to not answer.
    const endMs = performance.now() + rule.waitMs;
    while (performance.now() < endMs) {
      await pause(rule.everyMs);
      const now = await workerPid(socket);
      if (now !== null && now !== worker) return good;
    }
    if (n === rule.tries || !isSameMaster(before, await service.state())) return good;
  }
}
