/** A daemon's service, as systemd has it. */
import { describeEnd, type Runner, succeeded, whyFailed } from '#system/run.ts';
import { bad, type DaemonState, good, type Outcome } from './kind.ts';

/** What makes a service run, run anew, and say how it is. */
export interface Service {
  readonly reload: () => Promise<Outcome>;
  readonly state: () => Promise<DaemonState>;
}

const ASK_MS = 10_000;
const RELOAD_MS = 60_000;
const PROPERTIES = 'ActiveState,MainPID,NRestarts';

/** `systemctl show -p …`. Restarts and process are null when systemd does not know the unit. */
export function parseShow(text: string): DaemonState {
  const value = (key: string): string | null => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? null;
  const whole = (key: string): number | null => {
    const found = value(key);
    return found !== null && /^\d+$/.test(found) ? Number(found) : null;
  };
  const mainPid = whole('MainPID');
  // While it reloads it serves.
  const isActive = ['active', 'reloading', 'refreshing'].includes(value('ActiveState') ?? '');
  return { isActive, mainPid: mainPid === 0 ? null : mainPid, restarts: whole('NRestarts') };
}

export function systemdService(unit: string, run: Runner): Service {
  const state = async (): Promise<DaemonState> => {
    const shown = await run(['systemctl', 'show', '-p', PROPERTIES, unit], { timeoutMs: ASK_MS });
    return succeeded(shown) ? parseShow(shown.stdout) : { isActive: false, mainPid: null, restarts: null };
  };
  return {
    state,
    reload: async () => {
      const { isActive } = await state();
      // A crash loop has used up the start limit; the way back must not fail because of it.
      if (!isActive) await run(['systemctl', 'reset-failed', unit], { timeoutMs: ASK_MS });
      const verb = isActive ? 'reload' : 'restart';
      const done = await run(['systemctl', verb, unit], { timeoutMs: RELOAD_MS });
      if (succeeded(done)) return good;
      return bad(`systemctl ${verb} ${unit}: ${whyFailed(done)} (${describeEnd(done)})`);
    },
  };
}
