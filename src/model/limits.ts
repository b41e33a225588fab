/** Numbers of the product, in one place. Source: the appliance specification unless said otherwise. */

export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

export const PRODUCT_NAME = 'SpatiumDDI';

/** Installer floor for every role. */
export const MIN_DISK_BYTES = 32 * GIB;
/**
 * mkfs.ext4 for a slot, which is written when it is installed, hardly ever after, and never grows: the default journal of 64 MiB and
 * the room for a larger table, 4 MiB nine times, would be copied with it for nothing.
 */
export const SLOT_EXT4: readonly string[] = ['-J', 'size=16', '-O', '^resize_inode'];
export const RECOMMENDED_CONTROL_PLANE_DISK_BYTES = 40 * GIB;
export const RECOMMENDED_CONTROL_PLANE_MEMORY_BYTES = 8 * GIB;
/** Below this the pods of the role stay Pending (kubelet reserves 2 GiB). */
export const MIN_MEMORY_BYTES = { 'control-plane': 4 * GIB, appliance: 3 * GIB } as const;

export const DEFAULT_POD_CIDR = '10.42.0.0/16';
export const DEFAULT_SERVICE_CIDR = '10.43.0.0/16';
export const DEFAULT_DNS = ['1.1.1.1', '1.0.0.1'] as const;
export const DEFAULT_NTP = ['pool.ntp.org'] as const;
export const DEFAULT_TIMEZONE = 'UTC';
export const DEFAULT_KEYMAP = 'us';
export const DEFAULT_ADMIN_USER = 'admin';

export const MTU_MIN = 576;
export const MTU_MAX = 9000;
/** RFC 8200 section 5. */
export const MTU_MIN_IPV6 = 1280;

export const PASSWORD_MIN_LENGTH = 8;
export const PAIRING_CODE_DIGITS = 8;

/** Bounds of an answer file. */
export const MAX_ANSWER_FILE_BYTES = 1024 * 1024;
export const MAX_YAML_DEPTH = 32;
export const MAX_ALIAS_EXPANSIONS = 100;

/** Recorded machines and lsblk listings, whoever reads them. */
export const MAX_CAPTURE_BYTES = 32 * MIB;
/** More block devices than this are nonsense, not a machine. */
export const MAX_BLOCK_DEVICES = 20_000;

/** Fixed paths on the appliance. */
export const PATHS = {
  state: '/var/lib/spatium-state',
  stateConfig: '/var/lib/spatium-state/spatium-config.yaml',
  statePreseed: '/var/lib/spatium-state/spatium-preseed.yaml',
  release: '/etc/spatiumddi/appliance-release',
  /** In a locked image: no login, no shell, no accounts. */
  lockedMark: '/usr/lib/spatiumddi/locked',
  roleConfig: '/etc/spatiumddi/role-config',
  networkStatus: '/etc/spatiumddi/network-status',
  statusSocket: '/run/spatiumddi/status.sock',
  controlSocket: '/run/spatiumddi/control.sock',
  grubDir: '/boot/efi/grub',
  etcImage: '/usr/lib/etc.image',
  etcUpper: '/var/persist/etc',
  etcWork: '/var/persist/etc-work',
  k3sVersion: '/usr/share/doc/k3s/.version',
  slotVersions: '/var/lib/spatiumddi/release-state/slot-versions.json',
  installLogs: '/var/log/spatiumddi/install',
  pullSettings: '/usr/lib/spatiumddi/pull.json',
  pullSettingsLocal: '/etc/spatiumddi/pull.json',
  /** Fetched and applied configurations, generations, quarantine. */
  pullConfig: '/var/lib/spatiumddi/config',
  pullIdentity: '/var/lib/spatiumddi/identity',
  /** Versions of the agent, `current`, and what is pending or bad. */
  agentVersions: '/var/lib/spatiumddi/agent',
  updateState: '/var/lib/spatiumddi/update.json',
} as const;
