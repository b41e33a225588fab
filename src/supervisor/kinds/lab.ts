/** The kinds for a lab: everything below one folder, and the daemon a child of the supervisor instead of a unit of systemd. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATHS } from '#model/limits.ts';
import { ensureDir, exists, isDirectory, writeAtomic } from '#system/files.ts';
import { run } from '#system/run.ts';
import { ServiceChild } from '#system/service-child.ts';
import type { KindParts } from './index.ts';
import { bad, EMPTY_MARK, good } from './kind.ts';
import { LB_CONFIG } from './lb/config.ts';
import { lbDaemon, lbKind } from './lb/index.ts';
import { CONFIG_FILE, renderLb } from './lb/render.ts';
import type { Service } from './service.ts';

export interface Lab {
  readonly kinds: (kind: string) => KindParts | null;
  readonly stop: () => Promise<void>;
}

const TOKEN = 'sys/class/dmi/id/product_serial';
const LAB_WAIT_MS = 10_000;
const LAB_LOOK_MS = 200;

/**
 * Waits for the folder of a lab, which a panel that was started a moment ago is still making; the token is the last it writes.
 * @throws when there is no folder after `waitMs`, with the way to one
 */
export async function awaitLab(dir: string, tell: (text: string) => void, waitMs = LAB_WAIT_MS): Promise<void> {
  if (await isDirectory(dir)) return;
  tell(`waiting for ${dir}, which a panel makes`);
  for (let leftMs = waitMs; leftMs > 0 && !(await exists(path.join(dir, TOKEN))); leftMs -= LAB_LOOK_MS) await delay(LAB_LOOK_MS);
  if (!(await isDirectory(dir)))
    throw new Error(`${dir}: there is no such folder; "spatium panel --dir DIR" makes an appliance in DIR/lab`);
}

const serviceOf = (child: ServiceChild): Service => ({
  reload: async () => {
    if (child.pid === null) child.start();
    else child.signal('SIGUSR2');
    return child.pid === null ? bad('haproxy could not be started') : good;
  },
  state: async () => ({ isActive: child.pid !== null, mainPid: child.pid, restarts: null }),
});

/**
 * Makes what an image would bring below `dir`, and starts HAProxy on what is current there. Root, because HAProxy gives up its rights.
 * @throws when HAProxy is not installed
 */
export async function openLab(dir: string): Promise<Lab> {
  const places = { statsSocket: path.join(dir, 'stats.sock') };
  const found = await run(['haproxy', '-v']);
  if (found.kind === 'not_started') throw new Error('haproxy is not installed (Debian package haproxy)');
  const emptyDir = path.join(dir, 'empty');
  const empty = LB_CONFIG.read({}, '');
  if (!empty.ok) throw new Error(empty.wanted);
  await ensureDir(emptyDir);
  for (const file of renderLb(empty.value, EMPTY_MARK, places)) await writeAtomic(path.join(emptyDir, file.name), file.text, file);
  const current = path.join(dir, PATHS.pullConfig, 'current', CONFIG_FILE);
  const child = new ServiceChild(['haproxy', '-W', '-f', current], path.join(dir, 'haproxy.log'), path.join(dir, 'haproxy.pid'));
  const predecessorPid = await child.endLeftover();
  if (await exists(current)) child.start();
  const lb: KindParts = {
    kind: { ...lbKind(places), emptyDir },
    daemon: (runner) => ({ ...lbDaemon(serviceOf(child), runner, places), predecessorPid }),
  };
  return { kinds: (kind) => (kind === 'lb' ? lb : null), stop: () => child.stop() };
}
