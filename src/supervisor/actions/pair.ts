/** Pairing again: the new control plane and its code go to STATE first, so that the next boot does not undo it. */
import type { Target } from '#boot/target.ts';
import { Secret } from '#model/secret.ts';
import { doneEvent, outEvent } from '#status/action-run.ts';
import { messageOf } from '#system/complain.ts';
import { errnoOf } from '#system/files.ts';
import { AGENT_LABEL, pairPlace, setPairing } from '../identity/pair.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { ActionWork } from './work.ts';

/** The agent reads its role file when it starts. */
async function restartAgent(cluster: Pick<Cluster, 'connection'>): Promise<string> {
  const reach = cluster.connection();
  if (!reach.ok) return `the agent was not restarted: ${reach.why}; it reads the new settings when k3s starts it`;
  const path = `/api/v1/namespaces/spatium/pods?labelSelector=${encodeURIComponent(AGENT_LABEL)}`;
  const { status } = await reach.api.remove(path);
  return status >= 200 && status < 300 ? 'the agent is being restarted' : `the agent was not restarted: the k3s API answers ${status}`;
}

export function pairSet(target: Target, cluster: Pick<Cluster, 'connection'>): ActionWork {
  return {
    obstacle: async () => {
      try {
        const place = await pairPlace(target);
        return typeof place === 'string' ? place : null;
      } catch (error) {
        return `STATE cannot be read (${errnoOf(error) ?? 'fault'})`;
      }
    },
    run: async (args, say) => {
      const place = await pairPlace(target);
      if (typeof place === 'string') return say(doneEvent(1, place));
      const code = new Secret((args['code'] ?? '').replace(/[ -]/g, ''));
      const set = await setPairing(place, code, args['url'] ?? '').catch((error: unknown) => messageOf(error));
      if (typeof set === 'string') return say(doneEvent(1, set));
      say(outEvent(`${place.isPulling ? 'panel' : 'control plane'} and code are written; the old one is forgotten`));
      if (!place.isPulling) say(outEvent(await restartAgent(cluster)));
      else if (set.isNewUrl) say(outEvent('the supervisor asks the new panel when it starts again'));
      say(doneEvent(0, 'done; the first page shows how the pairing goes'));
    },
  };
}
