/** The installer medium: one ISO that starts from a CD or a stick, under BIOS and under UEFI. */
import fs from 'node:fs';
import path from 'node:path';
import { CACHE, REPO, run, sha256File } from './lib.mjs';

const VOLUME_ID = 'SPATIUMDDI';

/** What the squashfs leaves out, as paths of the root. */
const NOT_ON_MEDIUM = ['dev', 'proc', 'sys', 'run', 'tmp'].map((d) => `${d}/*`);

/** Text of the medium's boot menu: the profile's own, else the usual one. */
export function menuOf(profile, version) {
  const own = path.join(REPO, 'mkosi/mkosi.profiles', profile, 'iso-grub.cfg');
  const text = fs.readFileSync(fs.existsSync(own) ? own : path.join(REPO, 'mkosi/iso/grub.cfg'), 'utf8');
  return text.replaceAll('@PRODUCT@', 'SpatiumDDI').replaceAll('@VERSION@', version);
}

/**
 * @param {{root: string, profile: string, out: string, release: {version: string}, level: number}} options `level`: zstd, 1 to 22
 * @returns {Promise<{isoBytes: number, squashfsBytes: number}>}
 */
export async function makeIso({ root, profile, out, release, level }) {
  const tree = path.join(CACHE, 'iso');
  fs.rmSync(tree, { recursive: true, force: true });
  fs.mkdirSync(path.join(tree, 'live'), { recursive: true });
  fs.mkdirSync(path.join(tree, 'boot/grub'), { recursive: true });
  for (const name of ['vmlinuz', 'initrd.img'])
    fs.copyFileSync(fs.realpathSync(path.join(root, 'boot', name)), path.join(tree, 'live', name));
  fs.copyFileSync(path.join(root, 'etc/spatiumddi/appliance-release'), path.join(tree, 'live/appliance-release'));
  fs.writeFileSync(path.join(tree, 'boot/grub/grub.cfg'), menuOf(profile, release.version));
  const squashfs = path.join(tree, 'live/filesystem.squashfs');
  const compression = ['-comp', 'zstd', '-Xcompression-level', String(level)];
  await run('mksquashfs', [root, squashfs, ...compression, '-noappend', '-no-progress', '-quiet', '-wildcards', '-e', ...NOT_ON_MEDIUM]);
  // A squashfs has no checksums of its own: a stored block that a bad stick changes unpacks without a word.
  fs.writeFileSync(`${squashfs}.sha256`, `${sha256File(squashfs)}  filesystem.squashfs\n`);
  fs.mkdirSync(path.dirname(out), { recursive: true });
  await run('grub-mkrescue', ['-o', `${out}.new`, tree, '--', '-volid', VOLUME_ID]);
  fs.renameSync(`${out}.new`, out);
  return { isoBytes: fs.statSync(out).size, squashfsBytes: fs.statSync(squashfs).size };
}
