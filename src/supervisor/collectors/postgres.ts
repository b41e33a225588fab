/** The database: CloudNativePG's exporter on the primary, found by its label. */
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import { type AskText, httpBase } from '../http-text.ts';
import type { Cluster } from '../kube/cluster.ts';
import { metric, metricMax } from '../kube/metrics.ts';
import type { KubePod } from '../kube/pod-facts.ts';

const ASK_MS = 3000;
const EXPORTER_PORT = 9187;
const DATABASE = 'spatiumddi';

type Postgres = SectionData['postgres'];

const roleOf = (p: KubePod): Postgres['role'] => {
  const word = p.metadata?.labels?.['cnpg.io/instanceRole'] ?? p.metadata?.labels?.['role'];
  return word === 'primary' || word === 'replica' ? word : null;
};

/** Pods of the database; the jobs that set one up carry the label of the cluster too, and no instance name. */
const instancesOf = (pods: readonly KubePod[]): KubePod[] =>
  pods.filter((p) => p.metadata?.labels?.['cnpg.io/cluster'] !== undefined && p.metadata.labels['cnpg.io/instanceName'] !== undefined);

type Measured = Omit<Postgres, 'present' | 'role' | 'primary_pod'>;

/** Figures of the primary. Anything that the exporter does not tell is null. */
function parsePostgres(text: string): Measured {
  const backends = (state: string): number | null => metric(text, 'cnpg_backends_total', { datname: DATABASE, state });
  return {
    replicas_streaming: metric(text, 'cnpg_pg_replication_streaming_replicas'),
    replica_lag_s: metricMax(text, 'cnpg_pg_stat_replication_replay_lag_seconds'),
    backends_active: backends('active'),
    backends_idle: backends('idle'),
    backends_waiting: metric(text, 'cnpg_backends_waiting_total'),
    max_connections: metric(text, 'cnpg_pg_settings_setting', { name: 'max_connections' }),
    size_bytes: metric(text, 'cnpg_pg_database_size_bytes', { datname: DATABASE }),
    wal_bytes: metric(text, 'cnpg_collector_pg_wal', { value: 'size' }),
  };
}

export function postgresCollector(cluster: Cluster, ask: AskText, hostname: () => Promise<string>): Collector<'postgres'> {
  return {
    name: 'postgres',
    periodMs: 10_000,
    timeLimitMs: 5000,
    ttlMs: 20_000,
    source: `metrics of the CloudNativePG primary, port ${EXPORTER_PORT}`,
    async collect() {
      const pods = cluster.pods();
      if (pods.state === 'absent') return notApplicable;
      if (pods.state === 'failed') return { state: 'unavailable', code: 'k3s', msg: pods.why };
      const instances = instancesOf(pods.items);
      if (instances.length === 0) return notApplicable;
      const local = await hostname();
      const here = instances.find((p) => p.spec?.nodeName === local);
      const primary = instances.find((p) => roleOf(p) === 'primary');
      const known = { present: true, role: here ? roleOf(here) : null, primary_pod: primary?.metadata?.name ?? null };
      const ip = primary?.status?.podIP;
      if (!ip) return ok({ ...known, ...parsePostgres('') });
      const reply = await ask(`${httpBase(ip, EXPORTER_PORT)}/metrics`, { timeoutMs: ASK_MS });
      if (reply.status !== 200) return { state: 'unavailable', code: 'exporter', msg: `the database exporter answers ${reply.status}` };
      return ok({ ...known, ...parsePostgres(reply.body) });
    },
  };
}
