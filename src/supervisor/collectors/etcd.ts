/** The database of the cluster: etcd's own metrics on the loopback, and whether a restore runs. */
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';
import { type Cluster, K3S_BINARY } from '../kube/cluster.ts';
import { Growth, metric } from '../kube/metrics.ts';
import type { KubeNode } from '../kube/node-facts.ts';

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

/** `at_risk`: the loss of one more member is the loss of the majority, though fewer than all are left. */
export function quorumOf(hasLeader: boolean | null, total: number | null, healthy: number | null): SectionData['etcd']['quorum'] {
  if (hasLeader === false) return 'lost';
  if (total !== null && total <= 1) return 'not_applicable';
  if (hasLeader === null) return 'unknown';
  return total !== null && healthy !== null && healthy < total && (healthy - 1) * 2 <= total ? 'at_risk' : 'ok';
}

const ETCD_LABEL = 'node-role.kubernetes.io/etcd';

/** k3s says of each node whether it votes; one that is not ready does not. */
export function membersOf(nodes: readonly KubeNode[]): { readonly total: number; readonly healthy: number } | null {
  const members = nodes.filter((n) => n.metadata?.labels?.[ETCD_LABEL] !== undefined);
  const isTrue = (n: KubeNode, type: string): boolean | null => {
    const status = n.status?.conditions?.find((c) => c.type === type)?.status;
    return status === undefined ? null : status === 'True';
  };
  const healthy = members.filter((n) => isTrue(n, 'Ready') === true && isTrue(n, 'EtcdIsVoter') !== false);
  return members.length === 0 ? null : { total: members.length, healthy: healthy.length };
}

async function newestSnapshot(host: HostView, names: readonly string[]): Promise<string | null> {
  const times = await Promise.all(names.map((n) => host.modifiedMs(`${SNAPSHOT_DIR}/${n}`)));
  const newest = Math.max(...times.filter((t): t is number => t !== null));
  return Number.isFinite(newest) ? new Date(newest).toISOString() : null;
}

export type GetText = (url: string, timeoutMs: number) => Promise<string>;

export function etcdCollector(
  host: HostView,
  clock: Clock,
  cluster: Cluster,
  getText: GetText,
  alarmsOf: () => Promise<readonly string[] | null>,
): Collector<'etcd'> {
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
      const members = nodes.state === 'known' ? membersOf(nodes.items) : null;
      const leader = metric(text, 'etcd_server_has_leader');
      const isLeader = metric(text, 'etcd_server_is_leader');
      const nowMs = clock.monoMs();
      return ok({
        backend: isEtcd ? 'etcd' : 'sqlite',
        has_leader: leader === null ? null : leader === 1,
        is_leader: isLeader === null ? null : isLeader === 1,
        members_total: members?.total ?? null,
        members_healthy: members?.healthy ?? null,
        quorum: isEtcd
          ? quorumOf(leader === null ? null : leader === 1, members?.total ?? null, members?.healthy ?? null)
          : 'not_applicable',
        db_size_bytes: metric(text, 'etcd_mvcc_db_total_size_in_bytes'),
        db_in_use_bytes: metric(text, 'etcd_mvcc_db_total_size_in_use_in_bytes'),
        quota_bytes: metric(text, 'etcd_server_quota_backend_bytes') ?? QUOTA_BYTES,
        failed_proposals_15m: failures.add(metric(text, 'etcd_server_proposals_failed_total'), nowMs),
        leader_changes_1h: leaders.add(metric(text, 'etcd_server_leader_changes_seen_total'), nowMs),
        last_snapshot_at: isEtcd ? await newestSnapshot(host, snapshots) : null,
        snapshots_count: isEtcd ? snapshots.length : null,
        alarms: isEtcd ? await alarmsOf() : null,
        restore,
      });
    },
  };
}
