/** What this box tells its panel, and its own console, about its configuration. Pure. See docs/panel-api.md. */
import type { StatusReport } from '#model/pull.ts';
import { reportable } from '../apply/quarantine.ts';
import type { ConfigStore } from '../apply/store.ts';

export interface ReportFacts {
  readonly bootId: string;
  readonly agentVersion: string;
  readonly daemonVersion: string | null;
  readonly uptimeS: number;
  readonly isClockSynced: boolean | null;
  readonly store: Pick<ConfigStore, 'fetched' | 'applied' | 'quarantine'>;
  readonly isApplying: boolean;
  readonly isUnassigned: boolean;
  readonly update: StatusReport['update'];
  readonly warnings: readonly string[];
}

type Failed = NonNullable<StatusReport['failed']>;

/** What the panel wants and this box could not do: a body it refused, else the stored one that failed. */
export function failedOf(store: ReportFacts['store']): Failed | null {
  const { fetched, applied, quarantine } = store;
  const { refused, failed } = quarantine;
  if (refused !== null) {
    const { version, sha256, phase, message } = refused;
    return { version, sha256, phase: phase as Failed['phase'], outcome: 'not_started', message, attempts: 1 };
  }
  if (failed === null || failed.sha256 !== fetched?.sha256 || failed.sha256 === applied?.sha256) return null;
  const { version, sha256, message, failures, retry_at } = failed;
  return {
    version,
    sha256,
    phase: failed.phase as Failed['phase'],
    outcome: failed.outcome as Failed['outcome'],
    message,
    attempts: failures,
    ...(retry_at === null ? {} : { retry_at }),
  };
}

export function stateOf({
  store,
  isApplying,
  isUnassigned,
}: Pick<ReportFacts, 'store' | 'isApplying' | 'isUnassigned'>): StatusReport['state'] {
  if (isApplying) return 'applying';
  if (isUnassigned) return 'unassigned';
  if (failedOf(store) !== null) return 'failed';
  const { fetched, applied } = store;
  if (applied !== null && (fetched === null || fetched.sha256 === applied.sha256)) return 'applied';
  return fetched === null ? 'idle' : 'applying';
}

/** Everything but the sequence number. */
export function buildReport(facts: ReportFacts): Omit<StatusReport, 'seq'> {
  const { store } = facts;
  const failed = failedOf(store);
  return {
    boot_id: facts.bootId,
    agent_version: facts.agentVersion,
    daemon_version: facts.daemonVersion,
    uptime_s: facts.uptimeS,
    clock_synced: facts.isClockSynced,
    applied_version: store.applied?.envelope.version ?? null,
    applied_sha256: store.applied?.sha256 ?? null,
    fetched_version: store.fetched?.envelope.version ?? null,
    state: stateOf(facts),
    ...(failed === null ? {} : { failed }),
    ...(facts.update === undefined ? {} : { update: facts.update }),
    warnings: facts.warnings.map((text) => reportable(text, [])),
  };
}

/** Two reports with the same key say the same; only time has gone by. */
export function keyOf(report: Omit<StatusReport, 'seq'>): string {
  const { seq: _seq, uptime_s: _uptime, ...rest } = report as StatusReport;
  return JSON.stringify(rest);
}

/** What an answer to a report means. `drop`: the panel will never take this one. */
export function afterReport(status: number): 'sent' | 'again' | 'drop' {
  if (status >= 200 && status < 300) return 'sent';
  const isWorthAnother = [401, 403, 404, 408, 425, 429].includes(status);
  return status >= 400 && status < 500 && !isWorthAnother ? 'drop' : 'again';
}
