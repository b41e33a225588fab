/** What the installed system reads at boot to become itself: the files of the STATE partition. */
import type { Settings } from '#model/answers.ts';
import { PATHS } from '#model/limits.ts';
import type { DiskLayout, FileSpec } from '#model/plan.ts';

/** A double-quoted YAML scalar on one line. */
const quoted = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

function networkLines(settings: Settings): [string, string][] {
  const { network } = settings;
  return [
    ['network_mode', network.mode],
    ['network_interface', network.interface ?? ''],
    ['network_ip', network.ipv4?.address ?? ''],
    ['network_prefix', network.ipv4 ? String(network.ipv4.prefix) : ''],
    ['network_gateway', network.ipv4?.gateway ?? ''],
    ['network_dns', network.mode === 'static' ? network.dns.join(' ') : ''],
    ['network6_mode', network.ipv6 ? 'static' : 'auto'],
    ['network6_ip', network.ipv6?.address ?? ''],
    ['network6_prefix', network.ipv6 ? String(network.ipv6.prefix) : ''],
    ['network6_gateway', network.ipv6?.gateway ?? ''],
    ['network_mtu', network.mtu === null ? '' : String(network.mtu)],
  ];
}

/** The flat `key: "value"` file; every value is quoted, an unset one is empty. */
function stateConfig(settings: Settings, disks: readonly DiskLayout[]): string {
  const isControlPlane = settings.role === 'control-plane';
  const lines: [string, string][] = [
    ['hostname', settings.hostname],
    ['admin_user', settings.adminUser],
    ['target_disk_by_id', disks[0]?.disk.byId ?? ''],
    ['mirror_disk_by_id', disks[1]?.disk.byId ?? ''],
    ['role', settings.role],
    ['control_plane_url', settings.controlPlaneUrl ?? ''],
    ...networkLines(settings),
    ['timezone', settings.timezone],
    ['ntp_servers', settings.ntpServers.join(' ')],
    ['keymap', settings.keymap],
    ['pod_cidr', isControlPlane ? settings.podCidr : ''],
    ['service_cidr', isControlPlane ? settings.serviceCidr : ''],
    ['root_password_set', settings.setRootPassword ? 'yes' : 'no'],
  ];
  return [
    '# Written by the installer. The system reads this file at every boot and renders /etc from it,',
    '# so that a new slot or an emptied /var comes up as the same machine.',
    ...lines.map(([key, value]) => `${key}: ${quoted(value)}`),
    '',
  ].join('\n');
}

/** The files on STATE; the pairing code has its own, readable by root only, which the supervisor removes once it is used. */
export function stateFiles(settings: Settings, disks: readonly DiskLayout[], exportedAnswers: string, machineId: string): FileSpec[] {
  const files: FileSpec[] = [
    { path: PATHS.stateConfig, mode: 0o644, content: stateConfig(settings, disks) },
    { path: PATHS.statePreseed, mode: 0o644, content: exportedAnswers },
    { path: `${PATHS.state}/machine-id`, mode: 0o444, content: `${machineId}\n`, keep: true },
  ];
  if (settings.hasPairingCode && settings.role === 'appliance')
    files.push({ path: `${PATHS.state}/pairing-code`, mode: 0o600, content: '{{secret:pairing_code}}\n', secrets: ['pairing_code'] });
  return files;
}
