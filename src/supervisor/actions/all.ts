/** Every action that is more than commands, wired to this box. */
import { PATHS } from '#model/limits.ts';
import { LOG_RING_LINES, type LogRing } from '#status/log-ring.ts';
import { readTextIfExists } from '#system/files.ts';
import type { Runner } from '#system/run.ts';
import type { Cluster } from '../kube/cluster.ts';
import { BUNDLE_DIR, diagBundle } from './bundle.ts';
import { ETCD_STORE, etcdRestore, etcdSnapshot, SNAPSHOT_DIR } from './etcd-restore.ts';
import { pairSet } from './pair.ts';
import { podLogs, podRestart } from './pods.ts';
import type { ActionWorks } from './work.ts';

export interface Surroundings {
  readonly run: Runner;
  readonly cluster: Cluster;
  readonly log: LogRing;
  readonly status: () => unknown;
  readonly now: () => string;
  readonly note: (text: string) => void;
}

const hostname = async (): Promise<string> => (await readTextIfExists('/proc/sys/kernel/hostname'))?.trim() || 'restore';

const adoptObstacle = async (): Promise<string | null> =>
  (await readTextIfExists(PATHS.stateConfig).catch(() => null)) === null ? `there is no ${PATHS.stateConfig}` : null;

export function actionWorks({ run, cluster, log, status, now, note }: Surroundings): ActionWorks {
  const lines = (): string[] => log.after(0, LOG_RING_LINES).map((l) => `${l.at} ${l.sev} ${l.unit ?? l.src}: ${l.text}`);
  return {
    'pod.logs': podLogs(cluster),
    'pod.restart': podRestart(cluster),
    'pair.set': pairSet({ root: '/', run, note }, cluster),
    'network.adopt': { obstacle: adoptObstacle },
    'diag.bundle': diagBundle({ run, cluster, status, log: lines, now, root: '/', dir: BUNDLE_DIR }),
    'etcd.snapshot': etcdSnapshot(ETCD_STORE),
    'etcd.restore': etcdRestore({ run, hostname, dir: SNAPSHOT_DIR }),
  };
}
