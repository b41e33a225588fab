import path from 'node:path';
import { cpioArchive, type ExtraFile, withExtra } from '#boot/initrd-extra.ts';
import { readWhole, realPath, writeAtomic } from '#system/files.ts';
import { type StepContext, StepFailure } from '../context.ts';

/** Puts files into the slot's initrd, after proving that what works with them is in there. */
export async function extendInitrd(context: StepContext, files: readonly ExtraFile[], needed: readonly string[]): Promise<void> {
  const initrd = await realPath(path.join(context.root, 'boot/initrd.img'));
  if (initrd === null) throw new StepFailure('the copied system has no initrd');
  const listing = await context.runInTarget(['lsinitramfs', '/boot/initrd.img'], { maxBytes: 32 * 1024 ** 2, onLine: () => undefined });
  for (const name of needed)
    if (!listing.includes(name)) throw new StepFailure(`the initrd holds no ${name}, so this disk would not start`);
  await writeAtomic(initrd, withExtra(await readWhole(initrd), cpioArchive(files)));
}
