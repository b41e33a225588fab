/** The agent's service on an appliance: systemctl, and its status socket. */
import { isRecord, parseJson } from '#model/json.ts';
import { getOnce } from '#status/pull.ts';
import { describeEnd, type Runner, succeeded, whyFailed } from '#system/run.ts';
import type { ServiceLook, ServicePort } from './health.ts';

const UNIT = 'spatium-supervisor.service';
const PROPERTIES = 'ActiveState,SubState,MainPID,NRestarts,InvocationID,Result';

/** `NAME=value` lines of `systemctl show`. Null when what makes a look is not there. */
export function lookFrom(text: string): ServiceLook | null {
  const values = new Map(text.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const [active, sub, pid, restarts, invocation, result] = PROPERTIES.split(',').map((name) => values.get(name));
  if (active === undefined || pid === undefined || restarts === undefined || invocation === undefined) return null;
  if (!/^\d+$/.test(restarts)) return null;
  const mainPid = /^[1-9]\d*$/.test(pid) ? Number(pid) : null;
  const words = `${active} (${sub ?? 'unknown'}${result === undefined || result === 'success' ? '' : `, ${result}`})`;
  const isActive = active === 'active' && mainPid !== null;
  return { isActive, identity: `${invocation} ${pid} ${restarts}`, mainPid, restarts: Number(restarts), words };
}

export function systemdService(run: Runner, unit = UNIT): ServicePort {
  return {
    async restart() {
      const result = await run(['systemctl', 'restart', unit], { timeoutMs: 120_000 });
      return succeeded(result) ? null : `${describeEnd(result)}: ${whyFailed(result)}`;
    },
    async resetFailed() {
      await run(['systemctl', 'reset-failed', unit]);
    },
    async look() {
      const result = await run(['systemctl', 'show', '-p', PROPERTIES, unit], { timeoutMs: 10_000 });
      return succeeded(result) ? lookFrom(result.stdout) : null;
    },
    async isGoingDown() {
      // Exits with 1 for every state but "running", this one too.
      const result = await run(['systemctl', 'is-system-running'], { timeoutMs: 10_000 });
      return result.stdout.trim() === 'stopping';
    },
  };
}

/** Version that the supervisor on a socket says it is; null when none answers. A new file can lie beside an old process. */
export async function runningVersion(socket: string): Promise<string | null> {
  const answer = await getOnce(socket, '/v1/status');
  if (!answer.ok) return null;
  const body = parseJson(answer.body);
  const server = isRecord(body) ? body['server'] : null;
  return typeof server === 'string' ? (/^spatium (\S+)$/.exec(server)?.[1] ?? null) : null;
}
