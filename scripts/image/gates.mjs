/** What must be true of a finished root before a medium is made of it. A gate that fails names the file and the reason. */
import fs from 'node:fs';
import path from 'node:path';
import { BuildError, listFiles, run } from './lib.mjs';

const UNITS = 'usr/lib/systemd/system';
/** Parts of the one initrd: booting the medium, and an installed slot from any of its kinds of disk. */
const INITRD_PARTS = [
  /scripts\/live$/,
  /\bmultipathd?$/,
  /\bmdadm$/,
  /etc\/multipath\.conf$/,
  /\/(squashfs|squashfs\.ko\S*)$/,
  /\/overlay\.ko\S*$/,
  /\/raid1\.ko\S*$/,
  /\/dm-multipath\.ko\S*$/,
  /\/nvme\.ko\S*$/,
  /\/ahci\.ko\S*$/,
];

/** `name:hash:…` lines of /etc/shadow whose account could log in with a password. */
const openAccounts = (shadow) =>
  shadow
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name, hash = '']) => name && !/^[!*]/.test(hash))
    .map(([name]) => name);

const people = (passwd) =>
  passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([, , uid]) => Number(uid) >= 1000 && Number(uid) < 65534)
    .map(([name]) => name);

/** Units that ours name in their wants folders and that are not there. */
function danglingUnits(root) {
  const dir = path.join(root, UNITS);
  return listFiles(dir).filter((name) => {
    const file = path.join(dir, name);
    return /^(multi-user|sysinit|local-fs)\.target\.wants\//.test(name) && fs.lstatSync(file).isSymbolicLink() && !fs.existsSync(file);
  });
}

/**
 * @param {string} root
 * @throws {BuildError} listing every gate that failed
 */
export async function checkRoot(root) {
  const text = (name) => fs.readFileSync(path.join(root, name), 'utf8');
  const faults = [];
  const gate = (ok, what) => {
    if (!ok) faults.push(what);
  };
  const names = listFiles(path.join(root, 'etc/ssh')).filter((n) => n.startsWith('ssh_host_'));
  gate(names.length === 0, `/etc/ssh holds host keys that every machine would share: ${names.join(', ')}`);
  gate(text('etc/machine-id') === '', '/etc/machine-id is not empty: every machine would have the same id');
  const open = openAccounts(text('etc/shadow'));
  gate(open.length === 0, `accounts without a locked password: ${open.join(', ')}`);
  gate(people(text('etc/passwd')).length === 0, `accounts of people in the image: ${people(text('etc/passwd')).join(', ')}`);
  gate(/^APPLIANCE_VERSION="[^"]+"$/m.test(text('etc/spatiumddi/appliance-release')), '/etc/spatiumddi/appliance-release has no version');
  gate(!fs.existsSync(path.join(root, 'etc/sudoers.d/live')), '/etc/sudoers.d/live opens the live session');
  const dangling = danglingUnits(root);
  gate(dangling.length === 0, `enabled units that do not exist: ${dangling.join(', ')}`);
  const kernels = fs.readdirSync(path.join(root, 'lib/modules'));
  gate(kernels.length === 1, `one kernel expected, found ${kernels.join(', ') || 'none'}`);
  const version = await run('chroot', [root, '/usr/bin/spatium', '--version'], { log: 'gate-version' });
  gate(/^spatium \d/.test(version), `the program does not run in the image: ${version.trim()}`);
  const initrd = (await run('chroot', [root, 'lsinitramfs', '/boot/initrd.img'], { log: 'gate-initrd' })).split('\n');
  for (const part of INITRD_PARTS)
    gate(
      initrd.some((name) => part.test(name)),
      `the initrd lacks ${part}`,
    );
  if (faults.length > 0) throw new BuildError(`the root must not ship:\n${faults.map((f) => `  ${f}`).join('\n')}`);
}
