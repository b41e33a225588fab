/** The answers of an installation as an answer file: commented, without secrets, ready to install the same again. */
import type { NetworkSettings, Settings } from '#model/answers.ts';
import { yamlList, yamlText } from './write-yaml.ts';

export interface ExportDisks {
  /** Stable names under /dev/disk/by-id; null when the disk has none. */
  readonly targetById: string | null;
  readonly mirrorById: string | null;
}

const line = (key: string, value: string, indent = 2): string => `${' '.repeat(indent)}${key}: ${value}`;

function networkLines(network: NetworkSettings): readonly string[] {
  const { ipv4, ipv6 } = network;
  return [
    '  network:',
    line('mode', network.mode, 4),
    ...(network.interface === null ? [] : [line('interface', yamlText(network.interface), 4)]),
    ...(ipv4 ? [line('ip', ipv4.address, 4), line('prefix', String(ipv4.prefix), 4), line('gateway', ipv4.gateway, 4)] : []),
    ...(network.mode === 'static' && network.dns.length > 0 ? [line('dns', yamlList(network.dns), 4)] : []),
    ...(ipv6 ? [line('ip6', yamlText(ipv6.address), 4), line('prefix6', String(ipv6.prefix), 4)] : []),
    ...(ipv6?.gateway ? [line('gateway6', yamlText(ipv6.gateway), 4)] : []),
    ...(network.mtu === null ? [] : [line('mtu', String(network.mtu), 4)]),
  ];
}

function roleLines(settings: Settings): readonly string[] {
  if (settings.role === 'control-plane')
    return [
      '  # Address ranges inside the cluster; every control-plane node needs the same.',
      '  k3s:',
      line('pod_cidr', settings.podCidr, 4),
      line('service_cidr', settings.serviceCidr, 4),
    ];
  return [
    ...(settings.controlPlaneUrl === null ? [] : [line('control_plane_url', yamlText(settings.controlPlaneUrl))]),
    '  # A pairing code works once: get a new one from the control plane.',
    '  # pairing_code: "8 digits"',
  ];
}

function sshLines(settings: Settings): readonly string[] {
  if (settings.sshAuthorizedKeys.length === 0) return [];
  return [
    '  ssh_authorized_keys:',
    ...settings.sshAuthorizedKeys.map((key) => `    - ${yamlText(key)}`),
    ...(settings.sshDisablePassword ? [line('ssh_disable_password', 'true')] : []),
  ];
}

/**
 * Valid as it is (the password is then asked for on the console), and valid once the secrets are filled in.
 * @param settings what was installed
 */
export function exportAnswers(settings: Settings, disks: ExportDisks): string {
  const lines = [
    '# Answers of this installation, for the same again. No secrets are kept: add them where a line says so.',
    '# Check the file with: spatium check FILE',
    'spatium_preseed:',
    line('role', settings.role),
    disks.targetById === null
      ? '  # This disk has no stable name; the one below may mean another disk after a restart.'
      : '  # This very disk, which will be erased without a further question. For another machine name its own disk.',
    line('target_disk', yamlText(disks.targetById ?? settings.targetDisk)),
    ...(settings.mirrorDisk === null ? [] : [line('mirror_disk', yamlText(disks.mirrorById ?? settings.mirrorDisk))]),
    line('confirm_wipe', 'true'),
    ...(settings.keepVar ? [line('keep_var', 'true')] : []),
    line('hostname', yamlText(settings.hostname)),
    line('admin_user', yamlText(settings.adminUser)),
    '  # One of the two; a hash comes from: openssl passwd -6',
    "  # admin_password: 'at least 8 characters'",
    "  # admin_password_hash: '$6$...'",
    ...(settings.setRootPassword ? [line('set_root_password', 'true')] : []),
    ...sshLines(settings),
    line('timezone', yamlText(settings.timezone)),
    line('ntp_servers', yamlList(settings.ntpServers)),
    line('keymap', yamlText(settings.keymap)),
    ...networkLines(settings.network),
    ...roleLines(settings),
    line('after_install', settings.afterInstall),
  ];
  return `${lines.join('\n')}\n`;
}
