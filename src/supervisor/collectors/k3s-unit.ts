/**
 * Is k3s installed, and does its unit run? The cgroup and the invocation link answer that without a process.
 * `systemctl show` is asked only when one of them changed, or now and then while the unit is not running.
 */
import { PATHS } from '#model/limits.ts';
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';
import { parseKeyValues } from '#system/observe.ts';
import { type Runner, succeeded } from '#system/run.ts';

const BINARY = '/usr/local/bin/k3s';
const KUBECONFIG = '/etc/rancher/k3s/k3s.yaml';
const UNITS = ['k3s.service', 'k3s-agent.service'] as const;
/** While it is not running, a unit may change without any file telling. */
const ASK_AGAIN_MS = 15_000;

interface UnitFacts {
  readonly state: string;
  readonly since: string | null;
  readonly result: string | null;
}

/** `@1764527463` as `systemctl --timestamp=unix` prints it. */
function unixTime(text: string | undefined): string | null {
  const m = /^@(\d+)/.exec(text ?? '');
  return m && Number(m[1]) > 0 ? new Date(Number(m[1]) * 1000).toISOString() : null;
}

export function parseUnit(text: string): UnitFacts {
  const v = parseKeyValues(text);
  const result = v.get('Result') ?? null;
  return { state: v.get('ActiveState') || 'unknown', since: unixTime(v.get('StateChangeTimestamp')), result: result || null };
}

export type Readiness = Pick<SectionData['k3s'], 'readyz' | 'readyz_failed_checks'>;

export interface K3sPorts {
  readonly host: HostView;
  readonly clock: Clock;
  readonly run: Runner;
  readonly readiness: () => Readiness;
  readonly importing: (unit: string) => Promise<SectionData['k3s']['image_import']>;
}

export function k3sCollector({ host, clock, run, readiness, importing }: K3sPorts): Collector<'k3s'> {
  let asked: { readonly mark: string; readonly atMs: number; readonly facts: UnitFacts } | null = null;

  const ask = async (unit: string): Promise<UnitFacts> => {
    const argv = ['systemctl', 'show', unit, '--timestamp=unix', '--property=ActiveState,Result,StateChangeTimestamp'];
    const r = await run(argv, { timeoutMs: 2000 });
    return succeeded(r) ? parseUnit(r.stdout) : { state: 'unknown', since: null, result: null };
  };

  const unitFacts = async (unit: string): Promise<UnitFacts> => {
    const [invocation, events] = await Promise.all([
      host.link(`/run/systemd/units/invocation:${unit}`),
      host.text(`/sys/fs/cgroup/system.slice/${unit}/cgroup.events`),
    ]);
    const populated = /^populated 1$/m.test(events ?? '');
    const mark = `${unit} ${invocation ?? '-'} ${populated}`;
    const settled = asked?.facts.state === 'active' && populated;
    const due = asked === null || asked.mark !== mark || (!settled && clock.monoMs() - asked.atMs >= ASK_AGAIN_MS);
    if (due) asked = { mark, atMs: clock.monoMs(), facts: await ask(unit) };
    return (asked as { facts: UnitFacts }).facts;
  };

  return {
    name: 'k3s',
    periodMs: 2000,
    timeLimitMs: 3000,
    ttlMs: 5000,
    source: 'systemd, /sys/fs/cgroup',
    async collect() {
      if (!(await host.exists(BINARY))) return notApplicable;
      const isAgent =
        (await host.exists('/etc/systemd/system/k3s-agent.service')) && !(await host.exists('/etc/systemd/system/k3s.service'));
      const unit = isAgent ? UNITS[1] : UNITS[0];
      const [facts, kubeconfig, version, images] = await Promise.all([
        unitFacts(unit),
        host.exists(KUBECONFIG),
        host.word(PATHS.k3sVersion).catch(() => null),
        importing(unit),
      ]);
      return ok({
        installed: true,
        unit_state: facts.state,
        unit_since: facts.since,
        unit_result: facts.result,
        version,
        ...readiness(),
        role: isAgent ? 'agent' : 'server',
        kubeconfig_present: kubeconfig,
        image_import: images,
      });
    },
  };
}
