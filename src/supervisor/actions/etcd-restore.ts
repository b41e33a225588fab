/** Back to an etcd snapshot: the last way out when the cluster does not start any more. */
import { actionNamed, RELEASE_STATE } from '#status/action-catalogue.ts';
import { doneEvent, outEvent, perform, type Say } from '#status/action-run.ts';
import { exists, listNames, remove, writeAtomic } from '#system/files.ts';
import type { Runner } from '#system/run.ts';
import { findTool } from '#system/tools.ts';
import type { ActionWork } from './work.ts';

export const ETCD_STORE = '/var/lib/rancher/k3s/server/db/etcd';
export const SNAPSHOT_DIR = '/var/lib/rancher/k3s/server/db/snapshots';
const STATE_FILE = `${RELEASE_STATE}/cluster-restore.state`;
const STOP_MS = 120_000;
const RESET_MS = 600_000;
const START_MS = 180_000;

export interface RestorePorts {
  readonly run: Runner;
  readonly hostname: () => Promise<string>;
  /** Where the snapshots of this node are. */
  readonly dir: string;
}

/** Newest first, as far as their names tell: k3s ends them with a time in seconds. */
export async function snapshotsIn(dir: string): Promise<string[]> {
  const names = await listNames(dir).catch(() => [] as string[]);
  const secondsOf = (name: string): number => Number(/-(\d{9,11})(?:\.zip)?$/.exec(name)?.[1] ?? 0);
  return names.filter((n) => !n.startsWith('.')).sort((a, b) => secondsOf(b) - secondsOf(a) || b.localeCompare(a));
}

/** The word that other readers of the state file know: restoring, done, failed with a tab and the reason. */
const note = (text: string): Promise<void> => writeAtomic(STATE_FILE, `${text}\n`).catch(() => undefined);

/** A cluster on sqlite has nothing that could be saved like this. @param store the folder of etcd's own files */
export const etcdSnapshot = (store: string): ActionWork => ({
  obstacle: async () => ((await exists(store)) ? null : 'this node has no etcd'),
});

export function etcdRestore(ports: RestorePorts): ActionWork {
  const snapshots = (): Promise<string[]> => snapshotsIn(ports.dir);
  return {
    obstacle: async () => {
      if ((await findTool('k3s')) === null) return 'k3s is not installed';
      return (await snapshots()).length === 0 ? `no snapshot in ${ports.dir}` : null;
    },
    choices: async () => ({ snapshot: await snapshots() }),
    draft: async (args) => {
      if (!(await snapshots()).includes(args['snapshot'] ?? '')) return { ok: false, why: `there is no such snapshot in ${ports.dir}` };
      return { ok: true, consequences: actionNamed('etcd.restore')?.consequences ?? [], typedConfirm: await ports.hostname() };
    },
    run: async (args, say) => {
      const file = `${ports.dir}/${args['snapshot']}`;
      let end: Parameters<Say>[0] = doneEvent(null, 'nothing was done');
      const watch: Say = (event) => {
        if (event.t === 'done') end = event;
        else say(event);
      };
      await note('restoring');
      const step = (argv: readonly string[], timeoutMs: number) => ({ argv, timeoutMs, tolerant: false });
      const steps = [
        step(['systemctl', 'stop', 'k3s.service'], STOP_MS),
        step(['k3s', 'server', '--cluster-reset', `--cluster-reset-restore-path=${file}`], RESET_MS),
      ];
      await perform({ steps, removes: [] }, { run: ports.run, remove }, watch);
      if (end.rc === 0) {
        await perform({ steps: [step(['systemctl', 'start', 'k3s.service'], START_MS)], removes: [] }, { run: ports.run, remove }, watch);
      } else say(outEvent('k3s stays stopped; choose another snapshot, or start it with: systemctl start k3s', 'stderr'));
      await note(end.rc === 0 ? 'done' : `failed\t${end.msg ?? ''}`);
      say(end);
    },
  };
}
