/** The kernel's own table of what is mounted, /proc/self/mountinfo, as proc(5) describes it. */

export interface MountEntry {
  /** `8:1`; of the file system, so it tells devices apart whatever their names. `0:…` is on no block device. */
  readonly majorMinor: string;
  /** Path inside the file system that is mounted; `/` unless it is a bind mount. */
  readonly root: string;
  readonly target: string;
  /** `ext4`; a FUSE one with its kind, `fuse.sshfs`. */
  readonly filesystem: string;
  /** A device node or whatever word the mount was called with; empty when it was called with none. */
  readonly source: string;
  /** The mount or the file system below it takes no writes. */
  readonly isReadOnly: boolean;
}

/** Blank, tab, newline, backslash and `#` stand as `\` and three octal digits. */
export const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Every mount, in mount order: of two on one target the later is on top. Lines that are no entry are left out. */
export function parseMountinfo(text: string): MountEntry[] {
  return text.split('\n').flatMap((line): MountEntry[] => {
    const fields = line.split(' ');
    // The optional fields end at a lone dash. A source may be one too, so the first counts.
    const end = fields.indexOf('-');
    const [, , majorMinor, root, target, options] = fields.slice(0, Math.max(0, end));
    const [filesystem, source, superOptions] = fields.slice(end + 1);
    if (majorMinor === undefined || root === undefined || target === undefined || options === undefined) return [];
    if (filesystem === undefined || source === undefined || superOptions === undefined) return [];
    const isReadOnly = [options, superOptions].some((o) => o.split(',').includes('ro'));
    return [
      { majorMinor, root: unescapeOctal(root), target: unescapeOctal(target), filesystem, source: unescapeOctal(source), isReadOnly },
    ];
  });
}
