/**
 * What must be true of a locked root: one gate for each door by which somebody could get in. They look at the finished tree,
 * not at how it was made, so a package that brings a door with it stops the build.
 */
import fs from 'node:fs';
import path from 'node:path';
import { BuildError, listFiles } from './lib.mjs';

const BIN = ['usr/bin', 'usr/sbin', 'usr/local/bin', 'usr/local/sbin', 'usr/libexec', 'usr/lib/openssh'];
const UNIT_DIRS = ['etc/systemd/system', 'usr/lib/systemd/system'];

/** Doors that are programs: the door, names. */
const PROGRAMS = {
  sshd: ['sshd', 'ssh', 'scp', 'sftp', 'dropbear'],
  gettys: ['agetty', 'getty', 'mingetty'],
  accounts: [
    'login',
    'su',
    'sudo',
    'sudoedit',
    'doas',
    'pkexec',
    'runuser',
    'passwd',
    'useradd',
    'usermod',
    'newusers',
    'chpasswd',
    'vipw',
  ],
  sulogin: ['sulogin'],
  'guest agent': ['qemu-ga', 'vmtoolsd', 'hv_kvp_daemon', 'VBoxService', 'xe-daemon'],
  'cloud-init': ['cloud-init', 'ignition', 'afterburn'],
  'cron, at, automount': ['cron', 'crond', 'anacron', 'at', 'atd', 'udisksctl', 'automount', 'udiskie'],
  'package manager': ['apt', 'apt-get', 'dpkg', 'dpkg-deb', 'snap', 'pip', 'pip3'],
  'shell escapes': ['less', 'more', 'vi', 'vim', 'nano', 'ed', 'htop', 'top', 'watch', 'man', 'python3', 'gdb', 'screen', 'tmux'],
  'remote access': ['telnetd', 'in.telnetd', 'rlogind', 'inetd', 'xinetd', 'cockpit-ws', 'ttyd', 'nc', 'ncat', 'socat', 'telnet'],
};

/** Units that must be masked in /usr, where nothing laid over /etc can open them. */
const MASKED = [
  'getty@.service',
  'autovt@.service',
  'serial-getty@.service',
  'console-getty.service',
  'container-getty@.service',
  'getty.target',
  'debug-shell.service',
  'ctrl-alt-del.target',
];

/** Units that must not exist at all. */
const ABSENT_UNITS = [
  /^ssh(d)?(@)?\.(service|socket)$/,
  /^qemu-guest-agent\.service$/,
  /^cloud-/,
  /^(cron|crond|atd|anacron)\.service$/,
  /^snapd/,
  /^spatium-(rescue|console-fallback)@\.service$/,
  /^spatium-ssh-hostkeys\.service$/,
];

const GENERATORS = ['systemd-getty-generator', 'systemd-ssh-generator', 'systemd-debug-generator', 'systemd-run-generator'];

/** Looks at one tree. @param {string} root @returns {string[]} one sentence a door that is open */
export function lockedFaults(root) {
  const faults = [];
  const at = (name) => path.join(root, name);
  const isThere = (name) => {
    try {
      fs.lstatSync(at(name));
      return true;
    } catch {
      return false;
    }
  };
  const isFile = (name) => isThere(name) && !fs.lstatSync(at(name)).isDirectory();
  const text = (name) => {
    try {
      return fs.readFileSync(at(name), 'utf8');
    } catch {
      return '';
    }
  };
  const isMasked = (name) => isThere(name) && fs.lstatSync(at(name)).isSymbolicLink() && fs.readlinkSync(at(name)) === '/dev/null';
  const gate = (ok, door, what) => {
    if (!ok) faults.push(`${door}: ${what}`);
  };
  for (const [door, names] of Object.entries(PROGRAMS))
    for (const name of names) for (const dir of BIN) gate(!isFile(`${dir}/${name}`), door, `/${dir}/${name} is there`);
  unitGates({ at, isThere, isMasked, text, gate });
  accountGates({ root, text, gate, isThere });
  settingGates({ text, gate, isMasked, isThere });
  return faults;
}

function unitGates({ at, isThere, isMasked, text, gate }) {
  for (const unit of MASKED) {
    const door = /getty|autovt/.test(unit) ? 'gettys' : unit.startsWith('debug') ? 'debug shell' : 'Ctrl-Alt-Del';
    gate(isMasked(`usr/lib/systemd/system/${unit}`), door, `${unit} is not masked in /usr/lib/systemd/system`);
  }
  for (const dir of UNIT_DIRS) {
    const names = isThere(dir) ? fs.readdirSync(at(dir)) : [];
    for (const name of names)
      gate(!ABSENT_UNITS.some((u) => u.test(name)) || isMasked(`${dir}/${name}`), 'units', `/${dir}/${name} is there`);
    for (const name of listFiles(at(dir)).filter((n) => n.endsWith('.conf') || n.endsWith('.service'))) {
      gate(!text(`${dir}/${name}`).includes('SYSTEMD_SULOGIN_FORCE'), 'sulogin', `/${dir}/${name} sets SYSTEMD_SULOGIN_FORCE`);
      const wants = /\.(wants|requires)\//.test(name) && /getty|debug-shell|ssh/.test(path.basename(name));
      gate(!wants || isMasked(`${dir}/${path.basename(name)}`), 'gettys', `/${dir}/${name} starts a prompt`);
    }
  }
  for (const unit of ['emergency.service', 'rescue.service']) {
    const own = text(`etc/systemd/system/${unit}`);
    const isClosed = isMasked(`etc/systemd/system/${unit}`) || own.includes('/usr/lib/spatiumddi/locked-restart');
    gate(isClosed, 'sulogin', `${unit} is neither masked nor replaced`);
  }
  for (const name of GENERATORS) {
    const door = name.includes('ssh') ? 'generated sshd' : name.includes('getty') ? 'gettys' : 'kernel words';
    gate(!isThere(`usr/lib/systemd/system-generators/${name}`), door, `the generator ${name} is there`);
    gate(isMasked(`etc/systemd/system-generators/${name}`), door, `the generator ${name} is not masked in /etc`);
  }
}

function accountGates({ root, text, gate, isThere }) {
  const rows = (name) =>
    text(name)
      .split('\n')
      .filter((l) => l !== '')
      .map((l) => l.split(':'));
  gate(rows('etc/passwd').length > 0 && rows('etc/shadow').length > 0, 'accounts', '/etc/passwd or /etc/shadow is missing');
  for (const [name, , uid, , , , shell = ''] of rows('etc/passwd')) {
    gate(Number(uid) < 1000 || Number(uid) === 65534, 'accounts', `${name} has the user id ${uid}: a person`);
    gate(Number(uid) !== 0 || name === 'root', 'accounts', `${name} is another root`);
    gate(/\/(nologin|false)$/.test(shell), 'accounts', `${name} has the shell ${shell || '(none, so /bin/sh)'}`);
  }
  for (const [name, hash = ''] of rows('etc/shadow')) gate(/^[!*]/.test(hash), 'accounts', `${name} has a password`);
  const homes = ['root', 'home', 'etc/skel'].flatMap((dir) => listFiles(path.join(root, dir)).map((n) => `${dir}/${n}`));
  for (const name of homes.filter((n) => n.includes('.ssh/'))) gate(false, 'accounts', `/${name} is there`);
  gate(!isThere('etc/ssh'), 'sshd', '/etc/ssh is there');
}

function settingGates({ text, gate, isMasked, isThere }) {
  const sysctl = text('usr/lib/sysctl.d/70-spatium-locked.conf');
  gate(/^kernel\.sysrq = 0$/m.test(sysctl), 'SysRq', 'kernel.sysrq is not 0');
  gate(/^kernel\.core_pattern = \|\/bin\/false$/m.test(sysctl), 'core dumps', 'cores are written');
  const logind = text('usr/lib/systemd/logind.conf.d/10-spatium-locked.conf');
  gate(/^NAutoVTs=0$/m.test(logind) && /^ReserveVT=0$/m.test(logind), 'VT allocation', 'NAutoVTs and ReserveVT are not 0');
  gate(
    /^CtrlAltDelBurstAction=none$/m.test(text('usr/lib/systemd/system.conf.d/10-spatium-locked.conf')),
    'Ctrl-Alt-Del',
    'seven presses restart',
  );
  let policy = null;
  try {
    policy = JSON.parse(text('etc/spatiumddi/console-policy.json'));
  } catch {}
  gate(
    policy?.login === false && Array.isArray(policy.actions),
    'console program',
    'console-policy.json does not say "login": false with a list of actions',
  );
  const unit = text('usr/lib/systemd/system/spatium-console@.service.d/10-locked.conf');
  gate(
    /^User=(?!root$)\S+$/m.test(unit) && /^CapabilityBoundingSet=$/m.test(unit),
    'console program',
    'it runs as root or with capabilities',
  );
  gate(
    /^StartLimitIntervalSec=0$/m.test(unit) && /^OnFailure=$/m.test(unit),
    'console program',
    'it gives way to something else when it fails',
  );
  gate(/^SystemMaxUse=/m.test(text('usr/lib/systemd/journald.conf.d/10-spatium-locked.conf')), 'journal', 'the journal has no bound');
  gate(isThere('usr/lib/spatiumddi/locked'), 'locked mark', '/usr/lib/spatiumddi/locked is missing: the installer would make an account');
  gate(
    !isThere('usr/lib/systemd/system/systemd-ask-password-console.path') ||
      isMasked('usr/lib/systemd/system/systemd-ask-password-console.path'),
    'prompts',
    'systemd asks for passwords on the console',
  );
}

/** The locked medium's menu, and by the same words the menu of what it installs. @returns {string[]} */
export function lockedMenuFaults(menu) {
  const faults = [];
  if (!/^set superusers=""$/m.test(menu)) faults.push('kernel words: the boot menu can be edited (no empty list of superusers)');
  const kernels = menu.split('\n').filter((l) => /^\s*linux /.test(l));
  if (kernels.length === 0) faults.push('kernel words: the boot menu starts no kernel');
  for (const line of kernels) {
    for (const word of ['panic=30', 'systemd.import_credentials=no', 'systemd.getty_auto=0', 'systemd.ssh_auto=no'])
      if (!line.split(/\s+/).includes(word)) faults.push(`kernel words: ${word} is missing in "${line.trim().slice(0, 60)}"`);
    const bad = /\b(init=|rdinit=|single\b|systemd\.debug_shell|systemd\.unit=|spatium-mode=live|spatium-console=off|break=)/.exec(line);
    if (bad) faults.push(`kernel words: ${bad[0]} is in "${line.trim().slice(0, 60)}"`);
  }
  return faults;
}

/** @param {string} root @param {string} menu boot menu of the medium @throws {BuildError} naming every open door */
export function checkLocked(root, menu) {
  const faults = [...lockedFaults(root), ...lockedMenuFaults(menu)];
  if (faults.length > 0) throw new BuildError(`the root is not locked:\n${faults.map((f) => `  ${f}`).join('\n')}`);
}
