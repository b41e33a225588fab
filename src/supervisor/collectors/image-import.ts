/** k3s takes in the archives of images one after the other, in the order of their names; the one it holds open is the one it is at. */
import type { SectionData } from '#model/status.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';

const IMAGES = '/var/lib/rancher/k3s/agent/images';
const LOOK_MS = 5000;
/** Only its own processes; containers and their shims live in the same group. */
const OWN_NAME = /^k3s/;

type ImageImport = SectionData['k3s']['image_import'];

/** null while no archive is open, which may be before, after or between. `unit` is that of k3s. */
export function imageImport(host: HostView, clock: Clock): (unit: string) => Promise<ImageImport> {
  let looked: { readonly atMs: number; readonly seen: ImageImport } | null = null;
  const openArchive = async (pid: string, names: readonly string[]): Promise<number> => {
    const fds = await host.names(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(fds.map((fd) => host.link(`/proc/${pid}/fd/${fd}`).catch(() => null)));
    return names.findIndex((n) => links.includes(`${IMAGES}/${n}`));
  };
  const look = async (unit: string): Promise<ImageImport> => {
    const names = (await host.names(IMAGES)).filter((n) => /^[^.].*\.tar(\.(gz|bz2|zst|lz4))?$/.test(n));
    if (names.length === 0) return null;
    const pids = ((await host.text(`/sys/fs/cgroup/system.slice/${unit}/cgroup.procs`)) ?? '').split('\n').filter((p) => p !== '');
    for (const pid of pids) {
      if (!OWN_NAME.test((await host.word(`/proc/${pid}/comm`).catch(() => null)) ?? '')) continue;
      const at = await openArchive(pid, names);
      if (at >= 0) return { done: at, total: names.length };
    }
    return null;
  };
  return async (unit) => {
    if (looked === null || clock.monoMs() - looked.atMs >= LOOK_MS)
      looked = { atMs: clock.monoMs(), seen: await look(unit).catch(() => null) };
    return looked.seen;
  };
}
