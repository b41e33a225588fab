/** Pairing again: the new control plane and its code go to STATE first, so that the next boot does not undo it. */
import { renderRole } from '#boot/identity.ts';
import { inRoot, type Target } from '#boot/target.ts';
import { PATHS } from '#model/limits.ts';
import { parseStateConfig, withStateValues } from '#rules/state-config.ts';
import { doneEvent, outEvent } from '#status/action-run.ts';
import { errnoOf, readTextIfExists, remove, writeAtomic } from '#system/files.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { ActionWork } from './work.ts';

const KEYS_DIR = '/var/persist/spatium-supervisor';
/** What belongs to the old control plane. The own key pair stays: it is this machine's. */
const FORGOTTEN = [
  'tls/control-plane.pem',
  'tls/ca-chain.pem',
  'tls/cert.pem',
  'approval-state',
  'revocation-strikes',
  'identity/appliance_id',
  'identity/session_token',
];
const AGENT_LABEL = 'app.kubernetes.io/component=supervisor';

/** The agent reads its role file when it starts. */
async function restartAgent(cluster: Pick<Cluster, 'connection'>): Promise<string> {
  const reach = cluster.connection();
  if (!reach.ok) return `the agent was not restarted: ${reach.why}; it reads the new settings when k3s starts it`;
  const path = `/api/v1/namespaces/spatium/pods?labelSelector=${encodeURIComponent(AGENT_LABEL)}`;
  const { status } = await reach.api.remove(path);
  return status >= 200 && status < 300 ? 'the agent is being restarted' : `the agent was not restarted: the k3s API answers ${status}`;
}

export function pairSet(target: Target, cluster: Pick<Cluster, 'connection'>): ActionWork {
  const stateText = (): Promise<string | null> => readTextIfExists(inRoot(target, PATHS.stateConfig));
  return {
    obstacle: async () => {
      try {
        const text = await stateText();
        if (text === null) return `there is no ${PATHS.stateConfig}`;
        const role = parseStateConfig(text).values.get('role') ?? '';
        return role === 'appliance' || role === 'application' ? null : 'only an appliance pairs with a control plane';
      } catch (error) {
        return `STATE cannot be read (${errnoOf(error) ?? 'fault'})`;
      }
    },
    run: async (args, say) => {
      const text = await stateText();
      if (text === null) return say(doneEvent(1, `there is no ${PATHS.stateConfig}`));
      const code = (args['code'] ?? '').replace(/[ -]/g, '');
      // An older installer kept the code in the configuration; it would win over the new one.
      const old = parseStateConfig(text).values.has('bootstrap_pairing_code') ? [['bootstrap_pairing_code', ''] as const] : [];
      const config = withStateValues(text, new Map([['control_plane_url', args['url'] ?? ''], ...old]));
      await writeAtomic(inRoot(target, `${PATHS.state}/pairing-code`), `${code}\n`, { mode: 0o600 });
      await writeAtomic(inRoot(target, PATHS.stateConfig), config, { mode: 0o644 });
      say(outEvent('control plane and code written to STATE'));
      for (const name of FORGOTTEN) await remove(inRoot(target, `${KEYS_DIR}/${name}`));
      say(outEvent('the old control plane is forgotten'));
      await renderRole(target, parseStateConfig(config).values);
      say(outEvent(await restartAgent(cluster)));
      say(doneEvent(0, 'done; the first page shows how the pairing goes'));
    },
  };
}
