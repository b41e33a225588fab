import { describeStorage, multipathFiles } from '#boot/slot-initrd.ts';
import { PATHS } from '#model/limits.ts';
import type { StepRunner } from '../context.ts';

/**
 * The medium assembled the map, so what it knows (configuration, accepted WWIDs, names) goes to the new system and into its initrd.
 * Without it the first boot sees separate disks and mounts one path.
 */
export const multipathConfig: StepRunner<'multipath-config'> = async (_action, context) =>
  describeStorage(context.root, await multipathFiles('/'), PATHS.etcImage);
