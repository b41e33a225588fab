/** A mirror's second boot partition: is the disk there, and would it start the same system? */
import { espSync } from '#boot/esp-sync.ts';
import type { SectionData } from '#model/status.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';
import type { Runner } from '#system/run.ts';

/** It is not mounted, and looking inside mounts it for a moment; every slot command copies it anyway. */
const COMPARE_MS = 3_600_000;

export type SecondEsp = NonNullable<SectionData['storage']['second_esp']>;

/** null where no second boot partition is configured. `root` is that of `host`. */
export function secondEsp(host: HostView, clock: Clock, runner: Runner, root = '/'): () => Promise<SecondEsp | null> {
  let compared: { readonly atMs: number; readonly uuid: string; readonly inSync: boolean | null; readonly at: string } | null = null;
  return async () => {
    const uuid = /^UUID=(\S+)\s+\/boot\/efi2\s/m.exec((await host.text('/etc/fstab').catch(() => null)) ?? '')?.[1];
    if (uuid === undefined) return null;
    if (!(await host.exists(`/dev/disk/by-uuid/${uuid}`))) {
      compared = null;
      return { present: false, in_sync: null, checked_at: null };
    }
    if (compared?.uuid !== uuid || clock.monoMs() - compared.atMs >= COMPARE_MS) {
      const result = await espSync({ root, isCheck: true, runner }).catch(() => null);
      const inSync = result?.kind === 'same' ? true : result?.kind === 'drift' ? false : null;
      compared = { atMs: clock.monoMs(), uuid, inSync, at: clock.now() };
    }
    return { present: true, in_sync: compared.inSync, checked_at: compared.at };
  };
}
