/** Logs of a pod as they come, and a new pod in the place of one: through the k3s API, without a process. */
import { type ActionArgs, actionNamed } from '#status/action-catalogue.ts';
import { doneEvent, outEvent, type Say } from '#status/action-run.ts';
import type { KubeApi } from '../kube/api.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { KubePod } from '../kube/pod-facts.ts';
import type { ActionWork } from './work.ts';

const TAIL_LINES = 200;
/** Containers of one pod that are followed at once. */
const MAX_CONTAINERS = 8;
const GRACE_SECONDS = 30;

type Reach = Pick<Cluster, 'connection' | 'pods'>;

const podPath = (args: ActionArgs): string => `/api/v1/namespaces/${args['ns']}/pods/${args['pod']}`;

function podOf(cluster: Reach, args: ActionArgs): KubePod | null {
  const pods = cluster.pods();
  if (pods.state !== 'known') return null;
  return pods.items.find((p) => p.metadata?.namespace === args['ns'] && p.metadata?.name === args['pod']) ?? null;
}

const obstacle =
  (cluster: Reach): NonNullable<ActionWork['obstacle']> =>
  async () => {
    const reach = cluster.connection();
    return reach.ok ? null : reach.why;
  };

function containersOf(pod: KubePod): string[] {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  // One that has not started has no log, and asking for it would end the others.
  const started = statuses.filter((c) => c.state?.running || c.state?.terminated || (c.restartCount ?? 0) > 0);
  return started.flatMap((c) => (c.name === undefined ? [] : [c.name])).slice(-MAX_CONTAINERS);
}

/** Follows one container; resolves with the reason when it ends. */
function follow(api: KubeApi, path: string, prefix: string, say: Say, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const log = api.lines(path, (line) => say(outEvent(`${prefix}${line}`)), resolve);
    if (signal.aborted) log.stop();
    signal.addEventListener('abort', () => log.stop(), { once: true });
  });
}

export function podLogs(cluster: Reach): ActionWork {
  return {
    obstacle: obstacle(cluster),
    run: async (args, say, signal) => {
      const reach = cluster.connection();
      if (!reach.ok) return say(doneEvent(null, reach.why));
      const pod = podOf(cluster, args);
      if (pod === null) return say(doneEvent(1, 'this pod is gone'));
      const names = containersOf(pod);
      if (names.length === 0) return say(doneEvent(1, 'no container of this pod has started yet'));
      const ends = names.map((name) => {
        const query = `container=${encodeURIComponent(name)}&follow=true&tailLines=${TAIL_LINES}`;
        return follow(reach.api, `${podPath(args)}/log?${query}`, names.length > 1 ? `[${name}] ` : '', say, signal);
      });
      const why = await Promise.all(ends);
      say(doneEvent(0, why.every((w) => w === 'the watch ended') ? 'the log ended' : (why[0] ?? 'the log ended')));
    },
  };
}

/** A pod without an owner is not started again by anybody. */
const isOwned = (pod: KubePod): boolean => (pod.metadata?.ownerReferences ?? []).length > 0;

export function podRestart(cluster: Reach): ActionWork {
  return {
    obstacle: obstacle(cluster),
    draft: async (args) => {
      const pod = podOf(cluster, args);
      if (pod === null) return { ok: false, why: 'this pod is gone' };
      const warning = isOwned(pod) ? [] : ['NOTHING OWNS THIS POD: it will not come back by itself.'];
      return { ok: true, consequences: [...warning, ...(actionNamed('pod.restart')?.consequences ?? [])], typedConfirm: null };
    },
    run: async (args, say) => {
      const reach = cluster.connection();
      if (!reach.ok) return say(doneEvent(null, reach.why));
      const { status } = await reach.api.remove(`${podPath(args)}?gracePeriodSeconds=${GRACE_SECONDS}`);
      if (status === 404) return say(doneEvent(1, 'this pod is gone already'));
      if (status < 200 || status >= 300) return say(doneEvent(1, `the k3s API answers ${status}`));
      say(outEvent(`pod ${args['ns']}/${args['pod']} is being deleted`));
      say(doneEvent(0, 'done'));
    },
  };
}
