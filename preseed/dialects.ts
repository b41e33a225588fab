/** Files written for another installer: recognised by name, with the keys that say the same here. */
import type { Tree } from './tree.ts';

export interface Dialect {
  readonly name: string;
  /** Their key and ours. */
  readonly keys: readonly (readonly [string, string])[];
}

const AUTOINSTALL: Dialect = {
  name: 'an Ubuntu autoinstall file',
  keys: [
    ['identity.hostname', 'hostname'],
    ['identity.username', 'admin_user'],
    ['identity.password', 'admin_password_hash'],
    ['ssh.authorized-keys', 'ssh_authorized_keys'],
    ['keyboard.layout', 'keymap'],
    ['timezone', 'timezone'],
    ['storage', 'target_disk'],
    ['network', 'network'],
  ],
};

const CLOUD_CONFIG: Dialect = {
  name: 'a plain cloud-config file',
  keys: [
    ['hostname', 'hostname'],
    ['users[].name', 'admin_user'],
    ['users[].passwd', 'admin_password_hash'],
    ['ssh_authorized_keys', 'ssh_authorized_keys'],
    ['timezone', 'timezone'],
    ['ntp.servers', 'ntp_servers'],
    ['keyboard.layout', 'keymap'],
  ],
};

const KICKSTART: Dialect = {
  name: 'a kickstart file',
  keys: [
    ['network --hostname', 'hostname'],
    ['user --name', 'admin_user'],
    ['user --password --iscrypted', 'admin_password_hash'],
    ['sshkey', 'ssh_authorized_keys'],
    ['timezone', 'timezone'],
    ['keyboard', 'keymap'],
    ['ignoredisk --only-use', 'target_disk'],
  ],
};

const PROXMOX: Dialect = {
  name: 'a Proxmox answer file (TOML)',
  keys: [
    ['global.fqdn', 'hostname'],
    ['global.root-password-hashed', 'admin_password_hash'],
    ['global.root-ssh-keys', 'ssh_authorized_keys'],
    ['global.timezone', 'timezone'],
    ['global.keyboard', 'keymap'],
    ['disk-setup.disk-list', 'target_disk'],
    ['network', 'network'],
  ],
};

const DEBCONF: Dialect = {
  name: 'a Debian installer preseed file',
  keys: [
    ['netcfg/get_hostname', 'hostname'],
    ['passwd/username', 'admin_user'],
    ['passwd/user-password-crypted', 'admin_password_hash'],
    ['time/zone', 'timezone'],
    ['clock-setup/ntp-server', 'ntp_servers'],
    ['partman-auto/disk', 'target_disk'],
  ],
};

const BUTANE: Dialect = {
  name: 'a Butane or Ignition file',
  keys: [
    ['passwd.users[].name', 'admin_user'],
    ['passwd.users[].password_hash', 'admin_password_hash'],
    ['passwd.users[].ssh_authorized_keys', 'ssh_authorized_keys'],
  ],
};

const TALOS: Dialect = {
  name: 'a Talos machine configuration',
  keys: [
    ['machine.network.hostname', 'hostname'],
    ['machine.install.disk', 'target_disk'],
    ['machine.time.servers', 'ntp_servers'],
    ['cluster.network.podSubnets', 'k3s.pod_cidr'],
    ['cluster.network.serviceSubnets', 'k3s.service_cidr'],
  ],
};

const HARVESTER: Dialect = {
  name: 'a Harvester configuration',
  keys: [
    ['os.hostname', 'hostname'],
    ['os.password', 'admin_password_hash'],
    ['os.ssh_authorized_keys', 'ssh_authorized_keys'],
    ['os.ntp_servers', 'ntp_servers'],
    ['install.device', 'target_disk'],
    ['install.management_interface', 'network'],
  ],
};

const KAIROS: Dialect = {
  name: 'a Kairos configuration',
  keys: [
    ['install.device', 'target_disk'],
    ['stages...hostname', 'hostname'],
    ['stages...users', 'admin_user'],
    ['stages...authorized_keys', 'ssh_authorized_keys'],
  ],
};

const AGAMA: Dialect = {
  name: 'an Agama profile',
  keys: [
    ['hostname.static', 'hostname'],
    ['user.userName', 'admin_user'],
    ['user.password', 'admin_password'],
    ['root.sshPublicKey', 'ssh_authorized_keys'],
    ['localization.timezone', 'timezone'],
    ['localization.keyboard', 'keymap'],
    ['storage', 'target_disk'],
  ],
};

const CLOUD_KEYS = [
  'packages',
  'runcmd',
  'users',
  'write_files',
  'package_update',
  'package_upgrade',
  'bootcmd',
  'chpasswd',
  'ssh_pwauth',
  'apt',
  'final_message',
];

/** The dialect of a text that holds no answers of ours; null when it is none that is known. */
export function dialectOf(text: string, root: Tree | null): Dialect | null {
  const keys = new Set(root?.kind === 'map' ? root.entries.map((entry) => entry.key) : []);
  const holds = (...names: readonly string[]): boolean => names.some((name) => keys.has(name));
  if (holds('autoinstall') || (holds('version') && holds('identity', 'storage', 'late-commands'))) return AUTOINSTALL;
  if (holds('scheme_version') || (holds('os') && holds('install'))) return HARVESTER;
  // Kairos files start like a cloud-config.
  if (holds('stages') || (holds('install') && holds('users', 'k3s', 'p2p'))) return KAIROS;
  if (holds('product') && holds('user', 'root', 'storage', 'localization')) return AGAMA;
  if (holds('machine') && holds('cluster')) return TALOS;
  if ((holds('variant') && holds('version')) || holds('ignition')) return BUTANE;
  if (/^#cloud-config\b/.test(text) || holds(...CLOUD_KEYS)) return CLOUD_CONFIG;
  if (/^[ \t]*d-i[ \t]+\S+\/\S/m.test(text)) return DEBCONF;
  if (/^[ \t]*\[(global|network|disk-setup)\][ \t\r]*$/m.test(text)) return PROXMOX;
  if (/^[ \t]*(%packages|%post|rootpw\b|clearpart\b|bootloader\b.*--|autopart\b)/m.test(text)) return KICKSTART;
  return null;
}

/** The keys that say the same, in one line. */
export const keyTable = (dialect: Dialect): string => dialect.keys.map(([theirs, ours]) => `${theirs} -> ${ours}`).join(', ');
