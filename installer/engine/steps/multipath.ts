import path from 'node:path';
import type { ExtraFile } from '#boot/initrd-extra.ts';
import { ensureDir, readTextIfExists, writeAtomic } from '#system/files.ts';
import { StepFailure, type StepRunner } from '../context.ts';
import { mountForChroot } from '../mounts.ts';
import { extendInitrd } from './extend-initrd.ts';

/** Used when the medium has no configuration of its own: take what has two paths, and names that last. */
const DEFAULT_CONFIG = 'defaults {\n\tfind_multipaths yes\n\tuser_friendly_names yes\n}\n';

const FILES = [
  { path: 'etc/multipath.conf', mode: 0o644 },
  { path: 'etc/multipath/wwids', mode: 0o600 },
  { path: 'etc/multipath/bindings', mode: 0o600 },
] as const;

/**
 * The medium assembled the map, so what it knows (configuration, accepted WWIDs, names) goes to the new system and into its initrd.
 * Without it the first boot sees separate disks and mounts one path.
 */
export const multipathConfig: StepRunner<'multipath-config'> = async (_action, context) => {
  await mountForChroot(context);
  const extra: ExtraFile[] = [];
  for (const { path: file, mode } of FILES) {
    const content = (await readTextIfExists(`/${file}`)) ?? (file.endsWith('.conf') ? DEFAULT_CONFIG : null);
    if (content === null) continue;
    extra.push({ path: file, mode, content });
    const target = path.join(context.root, file);
    await ensureDir(path.dirname(target));
    await writeAtomic(target, content, { mode });
  }
  if (!extra.some((f) => f.path.endsWith('wwids')))
    throw new StepFailure('the medium has no /etc/multipath/wwids, so the map would not be found at boot');
  await extendInitrd(context, extra, ['dm-multipath.ko', 'sbin/multipath']);
};
