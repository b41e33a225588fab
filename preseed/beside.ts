/** Keys of ours at the left edge, beside the answer block instead of in it: nobody reads them there. */
import { namesIn } from '#rules/keys.ts';
import { nearest } from '#rules/nearest.ts';
import type { Sink } from './sink.ts';
import type { Entry, MapTree } from './tree.ts';

/** Our names that cloud-init has too, at the top of the same file. */
const CLOUD_INIT = new Set(['hostname', 'timezone', 'ssh_authorized_keys']);

/** Lost, they let the wrong disk, or the data on the right one, be erased. */
const DISK_KEYS = new Set(['keep_var', 'target_disk', 'mirror_disk', 'confirm_wipe', 'unattended']);

/** `network` is ours by what is in it: that of cloud-init has a version. */
function isOurNetwork({ value }: Entry): boolean {
  if (value.kind !== 'map') return false;
  const keys = new Set(value.entries.map((entry) => entry.key));
  return !keys.has('version') && !keys.has('config') && namesIn('network').some((name) => keys.has(name));
}

const isOurs = (entry: Entry, name: string): boolean =>
  namesIn('').includes(name) && !CLOUD_INIT.has(name) && (name !== 'network' || isOurNetwork(entry));

/** Reports every such key of the document around the answer block `wrapper`. Values are neither judged nor shown. */
export function reportBeside(root: MapTree, wrapper: string, sink: Sink): void {
  for (const entry of root.entries) {
    const written = entry.key?.toLowerCase().replaceAll('-', '_') ?? '';
    // A disk key that is misspelt as well as misplaced is lost twice, and does the same harm.
    const name = namesIn('').includes(written) || written.startsWith('x_') ? written : (nearest(written, [...DISK_KEYS]) ?? written);
    if (!isOurs(entry, name)) continue;
    const at = { start: entry.keyStart, end: entry.keyEnd };
    sink.visible.push(at);
    sink.report(
      name,
      'key.beside-block',
      name === written
        ? `${name} stands beside ${wrapper}, not in it, so it is not read`
        : `this key looks like ${name}, but is misspelt and stands beside ${wrapper}, so it is not read`,
      at,
      name === written ? `indent it like the keys below ${wrapper}:` : `write ${name}, indented like the keys below ${wrapper}:`,
    );
  }
}
