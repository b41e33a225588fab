/**
 * What each status section holds (console inventory 7.4). Units are in the names: `_bytes`, `_pct` (0-100), `_ms`, `_s`,
 * `_at` (RFC 3339 UTC). `opt` is null when the fact was not recorded, which is never the same as zero.
 * Sections of the cluster are in `status-cluster.ts`, those of updates and
 * management in `status-fleet.ts`.
 */
import { bool, int, list, map, num, obj, oneOf, opt, type Static, text, time } from './shape.ts';

const severity = oneOf('ok', 'warning', 'critical', 'unknown');

export const META = obj({
  schema: int,
  boot_id: text,
  boot_at: time,
  instance: text,
  server_started_at: time,
  now: time,
  timezone: text,
  boot_stage: oneOf('installing', 'first_boot', 'starting', 'running', 'stopping'),
  first_boot: opt(obj({ step: text, pct: opt(num), detail: opt(text), failed: bool, log_hint: opt(text) })),
});

export const IDENTITY = obj({
  hostname: text,
  role: opt(oneOf('control-plane', 'appliance')),
  install_role: opt(text),
  is_cluster_member: bool,
  appliance_id: opt(text),
  machine_uuid: opt(text),
  product: opt(text),
  vendor: opt(text),
  kernel: text,
  os_release: text,
  appliance_version: opt(text),
  stack_version: opt(text),
  versions_match: opt(bool),
  k3s_version: opt(text),
  console_mode: opt(oneOf('dashboard', 'text_console', 'verbose_dashboard')),
  console_mode_pending: opt(text),
  config_errors: list(text),
});

const address = obj({
  addr: text,
  prefix: int,
  family: oneOf('v4', 'v6'),
  scope: oneOf('global', 'link', 'host', 'site', 'unknown'),
  dynamic: opt(bool),
});

export const NETWORK = obj({
  web_ui_urls: list(obj({ url: text, kind: oneOf('vip', 'node', 'fqdn'), family: oneOf('v4', 'v6') })),
  vip: opt(obj({ v4: opt(text), v6: opt(text), announcing_node: opt(text) })),
  interfaces: list(
    obj({
      name: text,
      kind: oneOf('ethernet', 'wireless', 'bond', 'bridge', 'vlan', 'other'),
      mac: opt(text),
      up: bool,
      carrier: opt(bool),
      speed_mbps: opt(int),
      mtu: opt(int),
      addrs: list(address),
      managed: opt(bool),
      rx_bytes_per_s: opt(num),
      tx_bytes_per_s: opt(num),
    }),
  ),
  gateway4: opt(text),
  gateway6: opt(text),
  dns_servers: list(text),
  mode4: opt(oneOf('dhcp', 'static', 'slaac', 'disabled')),
  mode6: opt(oneOf('dhcp', 'static', 'slaac', 'disabled')),
  mtu: opt(
    obj({
      interface: opt(text),
      applied: opt(int),
      requested: opt(int),
      status: oneOf('default', 'applied', 'dropped', 'n/a'),
      reason: opt(text),
      boot_id_matches: bool,
    }),
  ),
  /** null: a console that looks by itself. What the control plane says is in its own section. */
  connectivity: opt(obj({ gateway: opt(obj({ ok: bool, checked_at: time })), dns: opt(obj({ ok: bool, checked_at: time })) })),
  /** Is an edit of the managed profile waiting to be kept? null: STATE has no configuration. */
  adopt: opt(
    obj({
      managed: bool,
      keyfile: opt(text),
      drift: list(obj({ key: text, state: text, live: text })),
      unadoptable: list(text),
      extra_profiles: list(text),
    }),
  ),
});

export const VITALS = obj({
  cpu_pct: opt(num),
  cpu_cores: int,
  load1: opt(num),
  load5: opt(num),
  load15: opt(num),
  mem_total_bytes: int,
  mem_used_bytes: opt(int),
  mem_available_bytes: opt(int),
  swap_used_bytes: opt(int),
  procs_count: opt(int),
  temperature_c: opt(num),
  top_cpu: opt(list(obj({ comm: text, pct: num }))),
});

const averages = obj({ avg10: num, avg60: num, avg300: num });
const pressure = opt(obj({ some: opt(averages), full: opt(averages) }));

export const PSI = obj({
  cpu: pressure,
  memory: pressure,
  io: pressure,
  some_pct: num,
  mem_full_pct: num,
  breach: list(oneOf('cpu_some', 'memory_some', 'memory_full')),
});

const DISK = obj({
  mount: text,
  device: text,
  fstype: text,
  total_bytes: opt(int),
  used_bytes: opt(int),
  avail_bytes: opt(int),
  /** Share of what an unprivileged writer could ever use, as `df` counts it. */
  used_pct: opt(num),
  inodes_used_pct: opt(num),
  role: oneOf('root', 'var', 'state', 'data', 'removable'),
  ro: bool,
  warn_pct: num,
  crit_pct: num,
  severity,
  errors_count: opt(int),
});

export const DISKS = obj({ mounts: list(DISK) });

const ARRAY = obj({
  name: text,
  friendly: opt(text),
  level: text,
  array_state: text,
  state: oneOf('clean', 'syncing', 'degraded', 'failed', 'unknown'),
  members_expected: opt(int),
  members_in_sync: opt(int),
  members_faulty: int,
  spares: int,
  redundancy_remaining: opt(int),
  min_working: opt(int),
  size_bytes: opt(int),
  members: list(obj({ device: text, state: text, slot: opt(text) })),
  sync: opt(obj({ action: text, pct: opt(num), eta_s: opt(int) })),
  severity,
  finding: opt(text),
});

const MULTIPATH = obj({
  name: text,
  dm: text,
  uuid: text,
  paths_total: int,
  paths_faulted: int,
  paths: list(obj({ device: text, device_state: opt(text), dm_state: text })),
  severity: oneOf('neutral', 'warning', 'critical'),
  finding: opt(text),
});

export const STORAGE = obj({
  md_supported: bool,
  arrays: list(ARRAY),
  multipath: list(MULTIPATH),
  second_esp: opt(obj({ present: bool, in_sync: opt(bool), checked_at: opt(time) })),
});

const slot = obj({
  version: opt(text),
  version_state: oneOf('known', 'unstamped', 'unreadable', 'unknown'),
  kernel: opt(text),
  size_bytes: opt(int),
});
const slotName = oneOf('slot_a', 'slot_b');

export const SLOTS = obj({
  available: bool,
  booted: opt(slotName),
  durable: opt(slotName),
  next_once: opt(text),
  is_trial: opt(bool),
  commit_pending: opt(bool),
  slots: obj({ slot_a: slot, slot_b: slot }),
  storage_kind: opt(oneOf('disk', 'md', 'multipath')),
  rollback_safe: opt(bool),
  rollback_note: opt(text),
  esp_schema_current: opt(bool),
});

export const POWER = obj({
  pending: list(
    obj({
      kind: oneOf('reboot', 'poweroff'),
      origin: oneOf('web_ui', 'fleet', 'console', 'upgrade', 'system'),
      requested_at: opt(time),
      fires_at: opt(time),
      cancellable: bool,
      id: text,
    }),
  ),
  last_reboot_reason: opt(text),
  needs_reboot: opt(bool),
  reasons: list(text),
});

export const SUPERVISOR = obj({
  version: text,
  pid: int,
  loop_last_at: time,
  loop_interval_s: num,
  restarts_24h: opt(int),
  restart_cap_hit: bool,
  restart_cap_at: opt(time),
  watchdog: obj({ state: oneOf('ok', 'stale', 'cap_hit', 'unknown'), since: opt(time) }),
  roles_assigned: opt(list(text)),
  role_services: list(
    obj({
      name: text,
      state: oneOf('healthy', 'starting', 'unhealthy', 'missing'),
      since: opt(time),
      restarts: opt(int),
      message: opt(text),
    }),
  ),
  triggers_pending: list(text),
  /** Collectors that could not keep their time limit, by section name: how often since start. null: another server, which does not count. */
  collectors_late: opt(map(int)),
});

export const TIME = obj({
  synced: opt(bool),
  source: opt(text),
  offset_ms: opt(num),
  stratum: opt(int),
  last_sync_at: opt(time),
});

export type Disk = Static<typeof DISK>;
export type MdArray = Static<typeof ARRAY>;
export type MultipathMap = Static<typeof MULTIPATH>;
export type SlotsData = Static<typeof SLOTS>;
export type NetworkData = Static<typeof NETWORK>;
