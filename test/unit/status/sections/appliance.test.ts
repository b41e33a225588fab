/** Pairing, slots, upgrade, power, host configuration and the life of the box; console inventory 2.3, 6.1, 6.6 and 7.4. */
import { parsePolicy } from '#status/policy.ts';
import { ago, DATA, NOW } from '../../../support/foreign-status.ts';
import { type Case, testCases } from './support.ts';

const later = (s: number) => ago(-s);
const control = {
  url: 'https://cp.example',
  tcp_ok: true,
  consecutive_failures: 0,
  interval_s: 30,
  in_cluster: false,
  last_heartbeat_at: ago(10),
};
const appliance = (pairing: object, cp: object = {}) => ({
  identity: { ...DATA.identity, role: 'appliance', install_role: 'appliance' },
  pairing: { applicable: true, code_present: false, attempts: 1, ...pairing },
  control_plane: { ...control, ...cp },
});
const slots = (more: object) => ({ slots: { ...DATA.slots, ...more } });
const upgrade = (more: object) => ({
  upgrade: { recent_failures_1h: 0, target_slot: 'slot_b', target_version: '2026.06.01-1', updated_at: ago(2), ...more },
});
const pending = (origin: string, more: object = {}) => ({
  power: {
    pending: [{ kind: 'reboot', origin, requested_at: ago(3), fires_at: later(7), cancellable: true, id: 'p', ...more }],
    reasons: [],
  },
});
const plane = (more: object) => ({ host_config: { planes: [{ name: 'ntp', state: 'applied', attempts: 1, ...more }], patches: [] } });

/** State, level, what the row says (6.1). */
const ROWS: readonly (readonly [string, string, RegExp])[] = [
  ['no_url', 'DEGRADED|HEALTHY', /no control plane set/],
  ['unreachable', 'UNKNOWN|DEGRADED', /Pairing in progress/],
  ['registering', 'UNKNOWN|DEGRADED', /Registering/],
  ['code_rejected', 'CRITICAL|DEGRADED', /Pair failed/],
  ['no_code', 'CRITICAL|DEGRADED', /Pair failed/],
  ['awaiting', 'UNKNOWN|DEGRADED', /awaiting approval/],
  ['paired', 'HEALTHY', /Paired/],
  ['pin_mismatch', 'CRITICAL|DEGRADED', /certificate changed/],
  ['revoked', 'CRITICAL|DEGRADED', /Approval revoked/],
  ['link_down', 'DEGRADED', /Paired.*no contact|no contact/],
  ['levitating', 'HEALTHY|UNKNOWN', /levitating/],
];
const PAIRING: readonly Case[] = [
  ...ROWS.map(([state, level, row]): Case => ({ is: `pairing ${state}`, changed: appliance({ state }), level, shows: [row] })),
  {
    is: 'registering, not before a time',
    changed: appliance({ state: 'registering', retry_at: later(300) }),
    level: 'UNKNOWN|DEGRADED',
    at: [120, 34],
    shows: [/1[67]:00:53/],
  },
  {
    is: 'not for this role',
    changed: { pairing: { applicable: false, state: 'n/a', code_present: false, attempts: 0 } },
    level: 'HEALTHY',
    hides: [/[Pp]air/],
  },
  {
    is: 'a last error that writes to the terminal',
    changed: appliance({ state: 'code_rejected', last_error: { code: 'x', msg: '\u001b]0;x\u0007bad' } }),
    level: 'CRITICAL|DEGRADED',
  },
  {
    is: 'nothing known of the way to the control plane',
    changed: appliance({ state: 'paired' }, { tcp_ok: null, last_heartbeat_at: null }),
    level: 'HEALTHY|UNKNOWN',
    hides: [/DOWN/],
  },
  {
    is: 'connections refused',
    changed: appliance({ state: 'paired' }, { tcp_ok: false, consecutive_failures: 9 }),
    level: 'DEGRADED',
    first: /control plane unreachable/,
  },
  {
    is: 'locked: no login, and no F1 that offers one',
    changed: {},
    over: { policy: parsePolicy('{"login":false,"actions":[]}') },
    level: 'HEALTHY',
    hides: [/Login/],
  },
];

const STEPS = ['queued', 'downloading', 'verifying', 'writing', 'bootloader', 'arming', 'syncing'] as const;
const SLOTS: readonly Case[] = [
  { is: 'slot not known', changed: slots({ booted: null, durable: null, is_trial: null }), level: 'HEALTHY|UNKNOWN', hides: [/trial/i] },
  {
    is: 'a trial that is not said to be one',
    changed: slots({ booted: 'slot_b', durable: 'slot_a', is_trial: null }),
    level: 'DEGRADED',
    first: /trial boot/,
  },
  { is: 'next boot once into the other', changed: slots({ next_once: 'slot_b' }), level: 'HEALTHY', at: [120, 34], shows: [/[Nn]ext/] },
  {
    is: 'versions that are no versions',
    changed: slots({
      slots: { slot_a: { version: 'unstamped', version_state: 'unstamped' }, slot_b: { version: null, version_state: 'unreadable' } },
    }),
    level: 'HEALTHY',
  },
  ...STEPS.map(
    (state): Case => ({
      is: `upgrade ${state}`,
      changed: upgrade({ state, pct: 43, step_index: 2, step_count: 5 }),
      level: 'HEALTHY',
      shows: [/43%/, /[Uu]pgrad/],
    }),
  ),
  {
    is: 'upgrade without a percentage',
    changed: upgrade({ state: 'writing', pct: null }),
    level: 'HEALTHY',
    shows: [/[Uu]pgrad/],
    hides: [/ 0%/],
  },
  { is: 'upgrade beyond its end', changed: upgrade({ state: 'writing', pct: 250 }), level: 'HEALTHY', hides: [/250%/] },
  { is: 'upgrade waits for a reboot', changed: upgrade({ state: 'reboot_pending' }), level: 'HEALTHY|DEGRADED', shows: [/reboot/i] },
  { is: 'upgrade done', changed: upgrade({ state: 'done' }), level: 'HEALTHY|DEGRADED', shows: [/reboot/i] },
  {
    is: 'upgrade failed',
    changed: upgrade({ state: 'failed', error: 'checksum differs' }),
    level: 'DEGRADED|CRITICAL',
    first: /upgrade.*failed|failed.*upgrade/i,
    shows: [/failed/i],
  },
  {
    is: 'three failures within the hour',
    changed: upgrade({ state: 'idle', recent_failures_1h: 3 }),
    level: 'DEGRADED|CRITICAL',
    first: /upgrade/i,
  },
];

const POWER: readonly Case[] = [
  ...['web_ui', 'fleet', 'console', 'upgrade', 'moon'].map(
    (o): Case => ({ is: `reboot asked for by ${o}`, changed: pending(o), level: 'HEALTHY|DEGRADED', shows: [/reboot/i] }),
  ),
  { is: 'power off', changed: pending('console', { kind: 'poweroff' }), level: 'HEALTHY|DEGRADED', shows: [/power.?off/i] },
  {
    is: 'a reboot that is overdue',
    changed: pending('fleet', { fires_at: ago(90) }),
    level: 'HEALTHY|DEGRADED',
    shows: [/reboot/i],
    hides: [/in -\d|-90/],
  },
  {
    is: 'a reboot at no time, that nobody can stop',
    changed: pending('upgrade', { fires_at: null, cancellable: false }),
    level: 'HEALTHY|DEGRADED',
    shows: [/reboot/i],
    hides: [/cancel/i],
  },
  {
    is: 'needs a reboot',
    changed: { power: { pending: [], needs_reboot: true, reasons: ['kernel'] } },
    level: 'HEALTHY|DEGRADED',
    at: [120, 34],
    shows: [/reboot/i],
  },
];

const PLANES: readonly Case[] = [
  {
    is: 'a plane fails',
    changed: plane({ state: 'failing', attempts: 3, since: ago(5) }),
    level: 'CRITICAL',
    first: /host config failing: ntp/,
  },
  { is: 'a plane tries again since a moment', changed: plane({ state: 'retrying', attempts: 2, since: ago(5) }), level: 'HEALTHY' },
  {
    is: 'a plane tries again for minutes',
    changed: plane({ state: 'retrying', attempts: 2, since: ago(120) }),
    level: 'DEGRADED',
    first: /host config retrying: ntp/,
  },
  { is: 'a plane that does something new', changed: plane({ state: 'pondering' }), level: 'HEALTHY|UNKNOWN' },
  {
    is: 'the last round failed, nobody says where',
    changed: { host_config: { planes: [], patches: [], last_reconcile_ok: false } },
    level: 'CRITICAL',
    first: /patch:reconcile/,
  },
  {
    is: 'restarted too often',
    changed: { supervisor: { ...DATA.supervisor, restart_cap_hit: true, watchdog: { state: 'cap_hit', since: ago(60) } } },
    level: 'DEGRADED|CRITICAL',
    first: /supervisor/,
  },
  {
    is: 'a role service is starting',
    changed: { supervisor: { ...DATA.supervisor, role_services: [{ name: 'dns', state: 'starting', since: ago(5) }] } },
    level: 'HEALTHY',
  },
  {
    is: 'a role service is missing',
    changed: { supervisor: { ...DATA.supervisor, role_services: [{ name: 'dns', state: 'missing', since: ago(500) }] } },
    level: 'DEGRADED|CRITICAL',
    first: /dns/,
  },
];

const meta = (more: object) => ({ meta: { ...DATA.meta, ...more } });
const first = (more: object) =>
  meta({ boot_stage: 'first_boot', first_boot: { step: 'importing images', pct: null, failed: false, ...more } });
const LIFE: readonly Case[] = [
  { is: 'first boot', changed: first({}), level: 'HEALTHY|UNKNOWN|DEGRADED', shows: [/importing images/], hides: [/ 0%/] },
  {
    is: 'first boot failed',
    changed: first({ failed: true, log_hint: 'journalctl -u x' }),
    level: 'CRITICAL|DEGRADED',
    first: /first boot/i,
    shows: [/importing images|first boot/i],
  },
  { is: 'a time zone of nowhere', changed: meta({ timezone: 'Mars/Olympus\u001b[0m' }), level: 'HEALTHY' },
  { is: 'booted tomorrow', changed: meta({ boot_at: later(86_400) }), level: 'HEALTHY', hides: [/Up -/] },
  {
    is: 'a host name of 63',
    changed: { identity: { ...DATA.identity, hostname: `h${'o'.repeat(61)}t` } },
    level: 'HEALTHY',
    shows: [/16:55:53/],
  },
  {
    is: 'a wide host name',
    changed: { identity: { ...DATA.identity, hostname: '\u6f22\u5b57e\u0301\u{1f600}'.repeat(20) } },
    level: 'HEALTHY',
    shows: [/16:55:53/],
  },
  {
    is: 'a role of a later version',
    changed: { identity: { ...DATA.identity, role: 'spaceship' } },
    level: 'HEALTHY|UNKNOWN',
    at: [120, 34],
    shows: [/spaceship/],
  },
  {
    is: 'mistakes in the configuration',
    changed: { identity: { ...DATA.identity, config_errors: ['unknown role "sace"'] } },
    level: 'DEGRADED|CRITICAL|UNKNOWN',
    first: /sace/,
  },
  { is: 'a clock that nobody sets', changed: { time: { synced: false, last_sync_at: ago(7200) } }, level: 'DEGRADED|HEALTHY' },
  { is: 'a clock of which nobody knows', changed: { time: { synced: null } }, level: 'HEALTHY|UNKNOWN', hides: [/not synchroni/i] },
  {
    is: 'a certificate that ended',
    changed: { certs: [{ name: 'web_ui', not_after: ago(86_400), days_left: -1, severity: 'critical' }] },
    level: 'CRITICAL|DEGRADED',
    first: /certificate/i,
  },
  {
    is: 'a certificate that ends',
    changed: { certs: [{ name: 'supervisor', not_after: later(5 * 86_400), days_left: 5, severity: 'warning' }] },
    level: 'DEGRADED',
    first: /certificate/i,
  },
  {
    is: 'twenty warnings are no finding',
    changed: {
      events: {
        recent: Array.from({ length: 20 }, () => ({
          at: NOW,
          type: 'Warning',
          reason: 'x',
          object: 'y',
          ns: 'z',
          count: 1,
          text: '\u001b[31m',
        })),
        complete: true,
      },
    },
    level: 'HEALTHY',
  },
];

testCases([...PAIRING, ...SLOTS, ...POWER, ...PLANES, ...LIFE]);
