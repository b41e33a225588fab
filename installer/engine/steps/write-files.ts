import path from 'node:path';
import type { FileSpec } from '#model/plan.ts';
import { ensureDir, exists, factsOf, linkAtomic, readBytes, readTextIfExists, remove, writeAtomic } from '#system/files.ts';
import { type StepContext, type StepRunner, secretOf } from '../context.ts';

const KEYBOARD = '/etc/default/keyboard';
const MASK = '#spatium-no-time-source# ';

/** The content with the secrets that this file declares, and no others, put in. */
function contentOf(file: FileSpec, context: StepContext): string {
  return (file.secrets ?? []).reduce(
    (text, name) => text.replaceAll(`{{secret:${name}}}`, () => secretOf(context.options.secrets, name).reveal()),
    file.content,
  );
}

async function writeAll(files: readonly FileSpec[], context: StepContext): Promise<void> {
  for (const file of files) {
    const target = path.join(context.root, file.path);
    if (file.keep && (await exists(target))) continue;
    await ensureDir(path.dirname(target));
    await writeAtomic(target, contentOf(file, context), { mode: file.mode, owner: { uid: 0, gid: 0 } });
    context.log.write(`wrote ${file.path}`);
  }
}

/** On the slot itself, before its /etc is kept as the lower layer. */
export const writeBaseFiles: StepRunner<'write-base-files'> = (action, context) => writeAll(action.files, context);

/** Through the overlay, so that they outlive a slot; the files that the answers rule out go. */
export const writeFiles: StepRunner<'write-files'> = async (action, context) => {
  await writeAll(action.files, context);
  for (const gone of action.remove) await remove(path.join(context.root, gone));
  // Normally a link to the keyboard file; where it is a file of its own it must say the same.
  const console = path.join(context.root, '/etc/vconsole.conf');
  const keyboard = action.files.find((f) => f.path === KEYBOARD);
  if (keyboard && (await factsOf(console))?.kind === 'file') await writeAtomic(console, keyboard.content);
};

/** Points /etc/localtime at the zone; an image without that zone gets UTC, and the operator is told. */
export const linkTimezone: StepRunner<'link-timezone'> = async (action, context) => {
  const zoneFile = path.join(context.root, '/usr/share/zoneinfo', action.zone);
  const isFile = (await factsOf(zoneFile, true))?.kind === 'file';
  const isZone = isFile && new TextDecoder().decode(await readBytes(zoneFile, 4)) === 'TZif';
  if (!isZone) context.warn(`the system has no time zone ${action.zone}; it is set to UTC`);
  const zone = isZone ? action.zone : 'Etc/UTC';
  await linkAtomic(`/usr/share/zoneinfo/${zone}`, path.join(context.root, '/etc/localtime'));
  await writeAtomic(path.join(context.root, '/etc/timezone'), `${zone}\n`);
};

/** Turns chrony's own sources into marked comments; without the marks the file is what it was. Twice is the same as once. */
export const withoutTimeSources = (text: string): string =>
  text.replace(/^[ \t]*(?:(?:pool|server|peer)[ \t]|sourcedir[ \t]+\/run\/chrony-dhcp\b)/gm, (start) => `${MASK}${start}`);

/** For answers without a time server: what the image's chrony would ask is taken from it, so it asks nobody. */
export const maskTimeSources: StepRunner<'mask-time-sources'> = async (_action, context) => {
  const file = path.join(context.root, '/etc/chrony/chrony.conf');
  const text = await readTextIfExists(file);
  if (text === null) return context.warn('the system has no chrony configuration; nothing to turn off');
  await writeAtomic(file, withoutTimeSources(text));
};
