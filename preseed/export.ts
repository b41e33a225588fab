/** The answers of an installation as an answer file again, without its secrets. */
import type { NetworkSettings, Settings } from '#model/answers.ts';

export interface ExportDisks {
  /** Stable name of the disk; null when it has none, and then the answered name is written with a warning. */
  readonly targetById: string | null;
  readonly mirrorById: string | null;
}

/** A JSON string is a YAML double-quoted scalar, so nothing inside a value can end it. */
const quoted = (text: string): string => JSON.stringify(text);

const list = (key: string, values: readonly string[], indent = '  '): readonly string[] => [
  `${indent}${key}:`,
  ...values.map((value) => `${indent}  - ${quoted(value)}`),
];

function networkLines(n: NetworkSettings): readonly string[] {
  const lines = ['  network:', `    mode: ${n.mode}`];
  if (n.interface !== null) lines.push(`    interface: ${quoted(n.interface)}`);
  if (n.ipv4) lines.push(`    ip: ${quoted(n.ipv4.address)}`, `    prefix: ${n.ipv4.prefix}`, `    gateway: ${quoted(n.ipv4.gateway)}`);
  if (n.mode === 'static') lines.push(...list('dns', n.dns, '    '));
  if (n.ipv6) {
    lines.push(`    ip6: ${quoted(n.ipv6.address)}`, `    prefix6: ${n.ipv6.prefix}`);
    if (n.ipv6.gateway !== null) lines.push(`    gateway6: ${quoted(n.ipv6.gateway)}`);
  }
  if (n.mtu !== null) lines.push(`    mtu: ${n.mtu}`);
  return lines;
}

function diskLines(settings: Settings, disks: ExportDisks): readonly string[] {
  const lines: string[] = [];
  if (disks.targetById === null) lines.push('  # This disk has no stable name; the one below may mean another disk after a restart.');
  lines.push(`  target_disk: ${quoted(disks.targetById ?? settings.targetDisk)}`);
  if (settings.mirrorDisk !== null) lines.push(`  mirror_disk: ${quoted(disks.mirrorById ?? settings.mirrorDisk)}`);
  if (settings.keepVar) lines.push('  # Replaces both system slots and keeps /var.', '  keep_var: true');
  lines.push('  # The disk is erased without a further question.', '  confirm_wipe: true');
  return lines;
}

const HEAD = `# Answers of this installation. The secrets are left out: add them, then check the file with
#   spatium-install --check-preseed spatium-preseed.yaml
spatium_preseed:`;

/** YAML text, final newline included. Lints clean once a password form, and for an appliance a pairing code, is added. */
export function exportAnswers(settings: Settings, disks: ExportDisks): string {
  const isAppliance = settings.role === 'appliance';
  const lines = [
    HEAD,
    `  role: ${settings.role}`,
    ...diskLines(settings, disks),
    `  hostname: ${quoted(settings.hostname)}`,
    `  admin_user: ${quoted(settings.adminUser)}`,
    '  # One of the two; a hash keeps the password out of the file (openssl passwd -6).',
    '  # admin_password_hash: "$6$..."',
    '  # admin_password: "..."',
    `  set_root_password: ${settings.setRootPassword}`,
  ];
  if (settings.sshAuthorizedKeys.length > 0) lines.push(...list('ssh_authorized_keys', settings.sshAuthorizedKeys));
  if (settings.sshDisablePassword) lines.push('  ssh_disable_password: true');
  lines.push(`  timezone: ${quoted(settings.timezone)}`);
  lines.push(...(settings.ntpServers.length > 0 ? list('ntp_servers', settings.ntpServers) : ['  ntp_servers: []']));
  lines.push(`  keymap: ${quoted(settings.keymap)}`, ...networkLines(settings.network));
  if (!isAppliance) lines.push('  k3s:', `    pod_cidr: ${quoted(settings.podCidr)}`, `    service_cidr: ${quoted(settings.serviceCidr)}`);
  if (isAppliance && settings.controlPlaneUrl !== null) {
    lines.push(
      `  control_plane_url: ${quoted(settings.controlPlaneUrl)}`,
      '  # Eight digits, in quotes; a new one for each machine.',
      '  # pairing_code: "..."',
    );
  }
  lines.push(`  after_install: ${settings.afterInstall}`);
  return `${lines.join('\n')}\n`;
}
