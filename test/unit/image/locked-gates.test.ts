import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const REPO = path.resolve(import.meta.dirname, '../../..');
const image = (name: string): Promise<unknown> => import(path.join(REPO, 'scripts/image', name));
const { lockedFaults, lockedMenuFaults } = (await image('gates-locked.mjs')) as {
  lockedFaults: (root: string) => string[];
  lockedMenuFaults: (menu: string) => string[];
};
const { layOver } = (await image('lib.mjs')) as { layOver: (from: string, to: string) => void };
const LOCKED = path.join(REPO, 'mkosi/mkosi.profiles/locked');
let root = '';
let closed = '';

const put = (name: string, text = ''): void => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.rmSync(path.join(root, name), { force: true });
  fs.writeFileSync(path.join(root, name), text);
};
const link = (name: string, target: string): void => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.symlinkSync(target, path.join(root, name));
};

/** A small Debian with every door open, closed by the real files of the profile. */
beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-locked-'));
  for (const name of [
    'usr/bin/login',
    'usr/sbin/sshd',
    'usr/sbin/agetty',
    'usr/sbin/sulogin',
    'usr/bin/sudo',
    'usr/bin/apt-get',
    'usr/bin/less',
  ])
    put(name);
  put('etc/passwd', 'root:x:0:0:root:/root:/bin/bash\nsync:x:4:65534:sync:/bin:/bin/sync\n');
  put('etc/shadow', 'root:$y$abc:20000::::::\nsync:*:20000::::::\n');
  put('etc/group', 'root:x:0:\n');
  put('etc/gshadow', 'root:*::\n');
  put('etc/ssh/sshd_config');
  put('root/.ssh/authorized_keys', 'ssh-ed25519 AAAA');
  for (const unit of ['getty@.service', 'serial-getty@.service', 'debug-shell.service', 'ctrl-alt-del.target', 'emergency.service'])
    put(`usr/lib/systemd/system/${unit}`, '[Unit]\n');
  for (const name of ['systemd-getty-generator', 'systemd-debug-generator', 'systemd-ssh-generator', 'systemd-run-generator'])
    put(`usr/lib/systemd/system-generators/${name}`);
  link('usr/lib/systemd/system/multi-user.target.wants/getty.target', '../getty.target');
  layOver(path.join(LOCKED, 'mkosi.extra'), root);
  for (let twice = 0; twice < 2; twice += 1)
    execFileSync('sh', [path.join(LOCKED, 'mkosi.finalize')], { env: { PATH: process.env['PATH'], BUILDROOT: root } });
  closed = root;
});
beforeEach(() => {
  root = `${closed}.opened`;
  fs.cpSync(closed, root, { recursive: true, verbatimSymlinks: true });
});
afterAll(() => fs.rmSync(closed, { recursive: true, force: true }));
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

test('the profile closes a system that has every door open', () => {
  expect(lockedFaults(root)).toEqual([]);
  expect(fs.readFileSync(path.join(root, 'etc/passwd'), 'utf8')).toBe(
    'root:x:0:0:root:/root:/usr/sbin/nologin\nsync:x:4:65534:sync:/bin:/usr/sbin/nologin\nspatium-console:x:961:961:status on the console:/nonexistent:/usr/sbin/nologin\n',
  );
});

/** Opens one door of the closed system; the gate that must see it. */
const DOORS: readonly (readonly [string, () => void, RegExp])[] = [
  ['sshd', () => put('usr/sbin/sshd'), /sshd: \/usr\/sbin\/sshd/],
  ['an sshd unit', () => put('usr/lib/systemd/system/ssh.service'), /ssh\.service is there/],
  ['sshd settings', () => put('etc/ssh/sshd_config'), /\/etc\/ssh is there/],
  ['a generator of sshd', () => put('usr/lib/systemd/system-generators/systemd-ssh-generator'), /generated sshd/],
  ['agetty', () => put('usr/sbin/agetty'), /gettys: /],
  ['a getty unit', () => put('usr/lib/systemd/system/getty@.service'), /getty@\.service is not masked/],
  [
    'a serial getty that something wants',
    () => link('etc/systemd/system/multi-user.target.wants/serial-getty@ttyS1.service', '/x'),
    /starts a prompt/,
  ],
  [
    'a generator of gettys',
    () => fs.rmSync(path.join(root, 'etc/systemd/system-generators/systemd-getty-generator')),
    /gettys: the generator/,
  ],
  ['more terminals', () => put('usr/lib/systemd/logind.conf.d/10-spatium-locked.conf', '[Login]\nNAutoVTs=6\n'), /VT allocation/],
  ['a password of root', () => put('etc/shadow', 'root:$y$j9T$x:20000::::::\n'), /root has a password/],
  ['an empty password', () => put('etc/shadow', 'root::20000::::::\n'), /root has a password/],
  ['a shell of root', () => put('etc/passwd', 'root:x:0:0:root:/root:/bin/bash\n'), /root has the shell \/bin\/bash/],
  ['an empty shell', () => put('etc/passwd', 'root:x:0:0:root:/root:\n'), /so \/bin\/sh/],
  ['a person', () => put('etc/passwd', 'ops:x:1000:1000::/home/ops:/usr/sbin/nologin\n'), /ops has the user id 1000/],
  ['another root', () => put('etc/passwd', 'toor:x:0:0::/root:/usr/sbin/nologin\n'), /toor is another root/],
  ['no account files', () => fs.rmSync(path.join(root, 'etc/shadow')), /is missing/],
  ['a key', () => put('root/.ssh/authorized_keys'), /authorized_keys is there/],
  ['sulogin', () => put('usr/sbin/sulogin'), /sulogin: /],
  [
    'an emergency shell',
    () => put('etc/systemd/system/emergency.service', '[Service]\nExecStart=/bin/sh\n'),
    /emergency\.service is neither/,
  ],
  [
    'a rescue shell forced',
    () => put('etc/systemd/system/rescue.service.d/x.conf', '[Service]\nEnvironment=SYSTEMD_SULOGIN_FORCE=1\n'),
    /SULOGIN_FORCE/,
  ],
  ['a debug shell', () => fs.rmSync(path.join(root, 'usr/lib/systemd/system/debug-shell.service')), /debug shell/],
  ['kernel words for units', () => put('usr/lib/systemd/system-generators/systemd-debug-generator'), /kernel words/],
  ['kernel words for commands', () => put('usr/lib/systemd/system-generators/systemd-run-generator'), /kernel words/],
  ['Ctrl-Alt-Del', () => fs.rmSync(path.join(root, 'usr/lib/systemd/system/ctrl-alt-del.target')), /Ctrl-Alt-Del/],
  ['Ctrl-Alt-Del seven times', () => put('usr/lib/systemd/system.conf.d/10-spatium-locked.conf', '[Manager]\n'), /seven presses/],
  ['SysRq', () => put('usr/lib/sysctl.d/70-spatium-locked.conf', 'kernel.sysrq = 438\n'), /SysRq/],
  ['a guest agent', () => put('usr/sbin/qemu-ga'), /guest agent/],
  ['cloud-init', () => put('usr/bin/cloud-init'), /cloud-init/],
  ['cron', () => put('usr/sbin/cron'), /cron/],
  ['automount', () => put('usr/bin/udisksctl'), /automount/],
  ['a package manager', () => put('usr/bin/apt-get'), /package manager/],
  ['a pager', () => put('usr/bin/less'), /shell escapes/],
  ['a console that may log in', () => put('etc/spatiumddi/console-policy.json', '{"login": true}'), /console program/],
  ['a policy that is no JSON', () => put('etc/spatiumddi/console-policy.json', '{'), /console program/],
  ['a console as root', () => put('usr/lib/systemd/system/spatium-console@.service.d/10-locked.conf', '[Service]\nUser=root\n'), /as root/],
  ['a prompt when the console fails', () => put('usr/lib/systemd/system/spatium-console-fallback@.service'), /console-fallback/],
  ['cores', () => put('usr/lib/sysctl.d/70-spatium-locked.conf', 'kernel.sysrq = 0\n'), /core dumps/],
  ['a journal without a bound', () => fs.rmSync(path.join(root, 'usr/lib/systemd/journald.conf.d/10-spatium-locked.conf')), /journal/],
  ['no mark for the installer', () => fs.rmSync(path.join(root, 'usr/lib/spatiumddi/locked')), /locked mark/],
];

test.each(DOORS)('a tree with %s does not pass', (_, open, expected) => {
  open();
  expect(lockedFaults(root).join('\n')).toMatch(expected);
});

test('the menu of the locked medium passes, one that could be edited or names a shell does not', () => {
  const menu = fs.readFileSync(path.join(LOCKED, 'iso-grub.cfg'), 'utf8');
  expect(lockedMenuFaults(menu)).toEqual([]);
  expect(lockedMenuFaults(menu.replace('set superusers=""', '')).join()).toMatch(/can be edited/);
  for (const word of ['panic=30 ', 'systemd.import_credentials=no ', 'systemd.getty_auto=0 '])
    expect(lockedMenuFaults(menu.replace(word, '')).join(), word).toContain(word.trim());
  for (const word of ['init=/bin/sh', 'systemd.debug_shell', 'spatium-mode=live', 'break=top', 'systemd.unit=rescue.target'])
    expect(lockedMenuFaults(menu.replace('panic=30', `panic=30 ${word}`)).length, word).toBe(1);
  expect(lockedMenuFaults(fs.readFileSync(path.join(REPO, 'mkosi/iso/grub.cfg'), 'utf8')).length).toBeGreaterThan(3);
  expect(lockedMenuFaults('set superusers=""\n')).toEqual(['kernel words: the boot menu starts no kernel']);
});
