/** The database of the cluster: etcd's own metrics on the loopback, and whether a restore runs. */
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';
import { type Cluster, K3S_BINARY } from '../kube/cluster.ts';
import { Growth, metric } from '../kube/metrics.ts';

const METRICS_TIMEOUT_MS = 2000;
const RESTORE_STATE = '/var/lib/spatiumddi/release-state/cluster-restore.state';
const ETCD_DIR = '/var/lib/rancher/k3s/server/db/etcd';
const SNAPSHOT_DIR = '/var/lib/rancher/k3s/server/db/snapshots';
const QUOTA_BYTES = 2 * 1024 ** 3;

type Restore = SectionData['etcd']['restore'];

/** `word TAB reason`; the words the host runner writes. */
export function parseRestore(text: string | null, modifiedMs: number | null): Restore {
  const [word = '', reason] = (text ?? '').trim().split('\t');
  const since = modifiedMs === null ? null : new Date(modifiedMs).toISOString();
  if (word === 'restoring' || word === 'in-flight') return { state: 'restoring', reason: reason ?? null, since };
  if (word === 'done' || word === 'failed') return { state: word, reason: reason ?? null, since };
  return { state: 'none', reason: null, since: null };
}

function quorumOf(hasLeader: boolean | null, members: number | null): SectionData['etcd']['quorum'] {
  if (hasLeader === false) return 'lost';
  if (members !== null && members <= 1) return 'not_applicable';
  return hasLeader === null ? 'unknown' : 'ok';
}

export type GetText = (url: string, timeoutMs: number) => Promise<string>;

export function etcdCollector(host: HostView, clock: Clock, cluster: Cluster, getText: GetText): Collector<'etcd'> {
  const failures = new Growth(15 * 60_000);
  const leaders = new Growth(60 * 60_000);
  return {
    name: 'etcd',
    periodMs: 5000,
    timeLimitMs: 3000,
    ttlMs: 10_000,
    source: 'http://127.0.0.1:2381/metrics',
    async collect() {
      if (!(await host.exists(K3S_BINARY))) return notApplicable;
      const [restoreText, restoreMs, isEtcd, snapshots] = await Promise.all([
        host.text(RESTORE_STATE),
        host.modifiedMs(RESTORE_STATE),
        host.exists(ETCD_DIR),
        host.names(SNAPSHOT_DIR),
      ]);
      const restore = parseRestore(restoreText, restoreMs);
      // While the store is being put back there is nothing to ask, and that is no news.
      const text = isEtcd
        ? await getText('http://127.0.0.1:2381/metrics', METRICS_TIMEOUT_MS).catch((e: unknown) =>
            restore.state === 'restoring' ? '' : Promise.reject(e),
          )
        : '';
      const nodes = cluster.nodes();
      const members =
        nodes.state === 'known'
          ? nodes.items.filter((n) => n.metadata?.labels?.['node-role.kubernetes.io/etcd'] !== undefined).length || null
          : null;
      const leader = metric(text, 'etcd_server_has_leader');
      const isLeader = metric(text, 'etcd_server_is_leader');
      const nowMs = clock.monoMs();
      return ok({
        backend: isEtcd ? 'etcd' : 'sqlite',
        has_leader: leader === null ? null : leader === 1,
        is_leader: isLeader === null ? null : isLeader === 1,
        members_total: members,
        members_healthy: null,
        quorum: isEtcd ? quorumOf(leader === null ? null : leader === 1, members) : 'not_applicable',
        db_size_bytes: metric(text, 'etcd_mvcc_db_total_size_in_bytes'),
        db_in_use_bytes: metric(text, 'etcd_mvcc_db_total_size_in_use_in_bytes'),
        quota_bytes: metric(text, 'etcd_server_quota_backend_bytes') ?? QUOTA_BYTES,
        failed_proposals_15m: failures.add(metric(text, 'etcd_server_proposals_failed_total'), nowMs),
        leader_changes_1h: leaders.add(metric(text, 'etcd_server_leader_changes_seen_total'), nowMs),
        last_snapshot_at: null,
        snapshots_count: isEtcd ? snapshots.length : null,
        alarms: null,
        restore,
      });
    },
  };
}
