/** Texts of the files that an installation writes below /etc. */
import type { Settings } from '#model/answers.ts';
import { PATHS } from '#model/limits.ts';
import type { FileSpec, FilesystemId } from '#model/plan.ts';

const K3S_DROPINS = '/etc/rancher/k3s/config.yaml.d';
const CIDRS_FILE = `${K3S_DROPINS}/spatium-cidrs.yaml`;
const TIME_SOURCES_FILE = '/etc/chrony/sources.d/spatium-install.sources';
const PASSWORD_LOGIN_FILE = '/etc/ssh/sshd_config.d/10-spatiumddi-password-auth.conf';

/**
 * The same text on both slots, so no line for `/`. By UUID of the disk installed on: a second appliance disk in the box
 * carries the same labels. `/boot/efi` may be missing: a mirror's survivor must boot.
 */
export function fstab(uuids: Readonly<Record<FilesystemId, string>>, esp2Uuid: string | null): string {
  const esp = 'fmask=0133,dmask=0022,shortname=winnt,nofail';
  const rows = [
    [`UUID=${uuids.var}`, '/var', 'ext4', 'defaults', '0', '2'],
    [`UUID=${uuids.state}`, PATHS.state, 'ext4', 'defaults,nofail', '0', '2'],
    // The survivor puts its own boot partition there when the first one is lost: not after systemd's 90 seconds.
    [`UUID=${uuids.esp}`, '/boot/efi', 'vfat', esp2Uuid === null ? esp : `${esp},x-systemd.device-timeout=15s`, '0', '2'],
    ...(esp2Uuid === null ? [] : [[`UUID=${esp2Uuid}`, '/boot/efi2', 'vfat', `${esp},noauto`, '0', '0']]),
    ['tmpfs', '/tmp', 'tmpfs', 'nosuid,nodev,noexec,mode=1777', '0', '0'],
  ];
  return `${rows.map((row) => row.join('\t')).join('\n')}\n`;
}

const hosts = (hostname: string): string =>
  [
    '127.0.0.1\tlocalhost',
    `127.0.1.1\t${hostname}`,
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'ff02::1\tip6-allnodes',
    'ff02::2\tip6-allrouters',
    '',
  ].join('\n');

/** Network address plus ten, which is where k3s expects its DNS service. `cidr` is a masked IPv4 network. */
export function clusterDns(cidr: string): string {
  const parts = (cidr.split('/')[0] ?? '').split('.').map(Number);
  const value = parts.reduce((sum, part) => sum * 256 + part, 0) + 10;
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

/** Drop-ins replace lists of the main file, so the base label is repeated. */
function k3sFiles(settings: Settings): FileSpec[] {
  if (settings.role !== 'control-plane') return [];
  return [
    {
      path: `${K3S_DROPINS}/spatium-roles.yaml`,
      mode: 0o644,
      content: 'node-label:\n  - "spatium.io/role=appliance"\n  - "spatium.io/role-control-plane=true"\n',
    },
    {
      path: CIDRS_FILE,
      mode: 0o644,
      content: `cluster-cidr: "${settings.podCidr}"\nservice-cidr: "${settings.serviceCidr}"\ncluster-dns: "${clusterDns(settings.serviceCidr)}"\n`,
    },
  ];
}

/** Names that people type and what the X keyboard database calls them. */
const XKB: Readonly<Record<string, { layout: string; variant?: string; model?: string }>> = {
  uk: { layout: 'gb' },
  'br-abnt2': { layout: 'br', variant: 'abnt2' },
  jp106: { layout: 'jp', model: 'jp106' },
  dvorak: { layout: 'us', variant: 'dvorak' },
  'us-acentos': { layout: 'us', variant: 'intl' },
};

/** XKB form of a keymap name; unknown names are taken as layouts. `variant` is empty where there is none. */
export const keyboardOf = (keymap: string): { readonly layout: string; readonly variant: string; readonly model: string } => ({
  variant: '',
  model: 'pc105',
  ...(XKB[keymap] ?? { layout: keymap }),
});

/** `/etc/default/keyboard` for a keymap name. */
export function keyboardFile(keymap: string): string {
  const { layout, variant, model } = keyboardOf(keymap);
  return [`XKBMODEL="${model}"`, `XKBLAYOUT="${layout}"`, `XKBVARIANT="${variant}"`, 'XKBOPTIONS=""', 'BACKSPACE="guess"', ''].join('\n');
}

const sulogin = (unit: string): FileSpec => ({
  path: `/etc/systemd/system/${unit}.service.d/10-spatium-sulogin.conf`,
  mode: 0o644,
  content:
    '# Root is locked in the image: let the console rescue entry in. A root password, once set, is still asked for.\n[Service]\nEnvironment=SYSTEMD_SULOGIN_FORCE=1\n',
});

/** Written on the slot itself, before the /etc baseline is taken: what must hold even when /var is gone. */
export function baseFiles(
  settings: Settings,
  uuids: Readonly<Record<FilesystemId, string>>,
  esp2Uuid: string | null,
  isLocked = false,
): FileSpec[] {
  return [
    { path: '/etc/fstab', mode: 0o644, content: fstab(uuids, esp2Uuid) },
    { path: '/etc/hostname', mode: 0o644, content: `${settings.hostname}\n` },
    // Empty, not absent: each installation gets its own at first boot.
    { path: '/etc/machine-id', mode: 0o444, content: '' },
    ...(isLocked ? [] : [sulogin('rescue'), sulogin('emergency')]),
  ];
}

/** Written through the overlay, so that they survive a slot change. */
export function overlayFiles(settings: Settings): FileSpec[] {
  const files: FileSpec[] = [
    { path: '/etc/hostname', mode: 0o644, content: `${settings.hostname}\n` },
    { path: '/etc/hosts', mode: 0o644, content: hosts(settings.hostname) },
    { path: PATHS.roleConfig, mode: 0o644, content: `ROLE=${settings.role}\nCONTROL_PLANE_URL=${settings.controlPlaneUrl ?? ''}\n` },
    { path: '/etc/default/keyboard', mode: 0o644, content: keyboardFile(settings.keymap) },
    ...k3sFiles(settings),
  ];
  if (settings.ntpServers.length > 0)
    files.push({ path: TIME_SOURCES_FILE, mode: 0o644, content: settings.ntpServers.map((s) => `server ${s} iburst\n`).join('') });
  if (settings.sshDisablePassword)
    files.push({
      path: '/etc/ssh/sshd_config.d/spatiumddi.conf',
      mode: 0o644,
      content: 'PasswordAuthentication no\nKbdInteractiveAuthentication no\n',
    });
  return files;
}

/** Files of the image that these answers rule out. A range pinned on an additional node would stop its later promotion. */
export const overlayRemovals = (settings: Settings): string[] => [
  ...(settings.role === 'appliance' ? [CIDRS_FILE] : []),
  ...(settings.ntpServers.length === 0 ? [TIME_SOURCES_FILE] : []),
  ...(settings.sshDisablePassword ? [PASSWORD_LOGIN_FILE] : []),
];

/** What belongs to the live session or to one machine, and must not be on a new one. */
export const LIVE_PARTS: readonly string[] = [
  '/etc/ssh/sshd_config.d/00-spatium-live.conf',
  '/etc/issue.d/zz-spatium-live.issue',
  '/etc/sudoers.d/live',
  '/etc/spatiumddi/.env',
  '/var/lib/live/config',
  '/var/lib/spatiumddi/firstboot.done',
  '/var/cache/apt/archives',
  '/swapfile',
];

/** With /var kept only what lies outside it: logs and the record of the first boot belong to the data. */
export const LIVE_PARTS_OUTSIDE_VAR: readonly string[] = LIVE_PARTS.filter((p) => !p.startsWith('/var/') && p !== '/etc/spatiumddi/.env');

/** Without these the kept database stays locked and the node is refused under its own name. */
export const CARRIED: readonly string[] = ['/etc/spatiumddi/.env', '/etc/rancher'];

/** The package database describes the slots, so it is the new system's. */
export const REPLACED_IN_VAR: readonly string[] = ['/var/lib/dpkg', '/var/lib/apt', '/var/cache/debconf'];
