/**
 * Answers as a person wrote them: every leaf is the source text, read as its key declares.
 * `judge` decides whether they may stand; `settle` turns judged answers into typed `Settings`.
 * Keys are spelled as in the answer file, so a path in a finding is a path in the file.
 */
import type { Secret } from './secret.ts';

export interface NetworkAnswers {
  mode?: string;
  interface?: string;
  ip?: string;
  prefix?: string;
  gateway?: string;
  /** As written: one entry a server, already split at blanks and commas. */
  dns?: string[];
  ip6?: string;
  prefix6?: string;
  gateway6?: string;
  mtu?: string;
}

export interface K3sAnswers {
  pod_cidr?: string;
  service_cidr?: string;
}

export interface Answers {
  unattended?: string;
  role?: string;
  target_disk?: string;
  mirror_disk?: string;
  confirm_wipe?: string;
  keep_var?: string;
  hostname?: string;
  admin_user?: string;
  admin_password?: Secret;
  admin_password_hash?: Secret;
  set_root_password?: string;
  ssh_authorized_keys?: string[];
  ssh_disable_password?: string;
  timezone?: string;
  ntp_servers?: string[];
  keymap?: string;
  network?: NetworkAnswers;
  /** Present but empty (`k3s: {}`) means: use the defaults, do not ask. */
  k3s?: K3sAnswers;
  control_plane_url?: string;
  pairing_code?: Secret;
  after_install?: string;
}

export type AnswerKey = keyof Answers;

export type Role = 'control-plane' | 'appliance';
export type AfterInstall = 'reboot' | 'poweroff';

/**
 * Who is asking.
 * - `field`: the wizard, about what has been answered so far; missing answers are no fault
 * - `lint`: a file on any machine; a missing answer is no fault unless the file says `unattended: true`
 * - `install`: the unattended run and the engine's door; a missing answer without a default is an error
 */
export type Mode = 'field' | 'lint' | 'install';

export interface StaticIpv4 {
  readonly address: string;
  readonly prefix: number;
  readonly gateway: string;
}

export interface StaticIpv6 {
  readonly address: string;
  readonly prefix: number;
  readonly gateway: string | null;
}

export interface NetworkSettings {
  readonly mode: 'dhcp' | 'static';
  /** null: any port (DHCP only). */
  readonly interface: string | null;
  readonly ipv4: StaticIpv4 | null;
  readonly dns: readonly string[];
  readonly ipv6: StaticIpv6 | null;
  readonly mtu: number | null;
}

/** Judged answers with every default applied and every spelling normalised. What a plan is made from. */
export interface Settings {
  readonly role: Role;
  /** The path or by-id name as answered. The plan holds the identity of the disk it resolves to. */
  readonly targetDisk: string;
  readonly mirrorDisk: string | null;
  readonly keepVar: boolean;
  readonly hostname: string;
  readonly adminUser: string;
  /** Which secret sets the password; the value itself travels beside the plan, never in it. */
  readonly passwordKind: 'plain' | 'hash';
  readonly setRootPassword: boolean;
  readonly sshAuthorizedKeys: readonly string[];
  readonly sshDisablePassword: boolean;
  readonly timezone: string;
  readonly ntpServers: readonly string[];
  readonly keymap: string;
  readonly network: NetworkSettings;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly controlPlaneUrl: string | null;
  readonly hasPairingCode: boolean;
  readonly afterInstall: AfterInstall;
}

/** The secrets of one installation. Lives in memory and in files of mode 0600 only. */
export interface InstallSecrets {
  readonly adminPassword: Secret | null;
  readonly adminPasswordHash: Secret | null;
  readonly pairingCode: Secret | null;
}
