/** How far the first start of the product has come, from its unit and from what it has made so far. */
import type { SectionData } from '#model/status.ts';
import type { HostView } from '#system/observe.ts';
import type { Runner } from '#system/run.ts';
import { succeeded } from '#system/run.ts';
import { parseUnit } from './k3s-unit.ts';

const UNIT = 'spatiumddi-firstboot.service';
const ENV = '/etc/spatiumddi/.env';
const KUBECONFIG = '/etc/rancher/k3s/k3s.yaml';
const LOG_HINT = `journalctl -u ${UNIT}`;

export type FirstBoot = SectionData['meta']['first_boot'];

/** What is made next tells the step; nothing here measures how much of it is done. */
async function stepOf(host: HostView): Promise<string> {
  if (!(await host.exists(ENV))) return 'making secrets and the certificate';
  return (await host.exists(KUBECONFIG)) ? 'starting the services' : 'starting k3s';
}

/** null: there is no such unit, or it neither runs nor failed. systemd is asked only when the unit has started or ended. */
export function firstBoot(host: HostView, run: Runner): () => Promise<FirstBoot> {
  let asked: { readonly mark: string; readonly isFailed: boolean } | null = null;
  return async () => {
    const [invocation, events] = await Promise.all([
      host.link(`/run/systemd/units/invocation:${UNIT}`),
      host.text(`/sys/fs/cgroup/system.slice/${UNIT}/cgroup.events`),
    ]);
    const isRunning = /^populated 1$/m.test(events ?? '');
    if (invocation === null && !isRunning) return null;
    const base = { step: await stepOf(host), pct: null, detail: null, log_hint: LOG_HINT } as const;
    if (isRunning) return { ...base, failed: false };
    const mark = invocation ?? '';
    if (asked?.mark !== mark) {
      const r = await run(['systemctl', 'show', UNIT, '--property=ActiveState,Result'], { timeoutMs: 2000 });
      if (!succeeded(r)) return null;
      asked = { mark, isFailed: parseUnit(r.stdout).state === 'failed' };
    }
    return asked.isFailed ? { ...base, failed: true } : null;
  };
}
