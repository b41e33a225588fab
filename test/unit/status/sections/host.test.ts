/** Host, disks, network, firewall and storage as another supervisor may send them; console inventory 6.2 to 6.5 and 7.4. */
import { ago, DATA, disk, env } from '../../../support/foreign-status.ts';
import { type Case, testCases } from './support.ts';

const vitals = (more: object) => ({ vitals: { ...DATA.vitals, ...more } });
const psi = (more: object) => ({ psi: { ...DATA.psi, ...more } });
const avg300 = (some: number, full: number) => ({
  some: { avg10: 0, avg60: 0, avg300: some },
  full: { avg10: 0, avg60: 0, avg300: full },
});
const disks = (...more: object[]) => ({ disks: [disk('/', 40), ...more] });
const net = (more: object) => ({ network: { ...DATA.network, ...more } });
const webui = (more: object) => ({ firewall: { ...DATA.firewall, webui: { ...DATA.firewall.webui, ...more } } });
const md = (more: object) => ({
  name: 'md0',
  level: 'raid1',
  array_state: 'clean',
  state: 'clean',
  members_expected: 2,
  members_in_sync: 2,
  members_faulty: 0,
  spares: 0,
  members: [],
  severity: 'ok',
  ...more,
});
const arrays = (...list: object[]) => ({ storage: env({ md_supported: true, arrays: list, multipath: [] }) });
const paths = (more: object) => ({
  storage: env({ md_supported: true, arrays: [], multipath: [{ name: 'mpatha', dm: 'dm-0', uuid: 'mpath-1', paths: [], ...more }] }),
});

const VITALS: readonly Case[] = [
  { is: 'no first sample of the processors', changed: vitals({ cpu_pct: null }), level: 'HEALTHY', hides: [/CPU\s+0/] },
  { is: 'memory not read', changed: vitals({ mem_used_bytes: null, mem_available_bytes: null }), level: 'HEALTHY', hides: [/RAM\s+0%/] },
  { is: 'no load', changed: vitals({ load1: null, load5: null, load15: null }), level: 'HEALTHY', hides: [/[Ll]oad 0/] },
  { is: 'busy to the last', changed: vitals({ cpu_pct: 100, load1: 999.99 }), level: 'HEALTHY', shows: [/100%/] },
  {
    is: 'numbers of no machine',
    changed: vitals({ cpu_pct: 1e300, load1: 1e300, mem_total_bytes: 2 ** 53, cpu_cores: 1e9 }),
    level: 'HEALTHY',
  },
  {
    is: 'numbers below zero',
    changed: vitals({ cpu_pct: -4, load1: -1, mem_used_bytes: -1e9 }),
    level: 'HEALTHY|UNKNOWN',
    hides: [/-\d+%/],
  },
  { is: 'no memory at all', changed: vitals({ mem_total_bytes: 0, mem_used_bytes: 0 }), level: 'HEALTHY|UNKNOWN' },
  { is: 'pressure not reported', changed: {}, at: [120, 34], level: 'HEALTHY', shows: [/not reported/i] },
  { is: 'processors stall', changed: psi({ cpu: avg300(60, 0) }), level: 'DEGRADED', first: /cpu|processor/i },
  { is: 'all processors stalling is never judged', changed: psi({ cpu: avg300(0, 99) }), level: 'HEALTHY' },
  { is: 'memory stalls just below', changed: psi({ memory: avg300(49.9, 0.99) }), level: 'HEALTHY' },
  { is: 'memory stalls at 1 %', changed: psi({ memory: avg300(0, 1) }), level: 'DEGRADED', first: /memory/ },
];

const DISKS: readonly Case[] = [
  { is: 'a full stick is only a stick', changed: disks(disk('/media/x', 99, { role: 'removable', severity: 'ok' })), level: 'HEALTHY' },
  { is: 'its own limit', changed: disks(disk('/var', 60, { severity: 'critical', crit_pct: 50 })), level: 'CRITICAL', first: /\/var/ },
  { is: 'severity left out', changed: disks(disk('/var', 95, { severity: undefined })), level: 'CRITICAL', first: /disk \/var 95% full/ },
  {
    is: 'use not read',
    changed: disks(disk('/var', 0, { used_bytes: null, avail_bytes: null, severity: 'unknown' })),
    level: 'UNKNOWN|HEALTHY',
    hides: [/\/var 0%/],
  },
  { is: 'a disk of no size', changed: disks(disk('/var', 0, { total_bytes: 0, used_bytes: 0 })), level: 'HEALTHY|UNKNOWN' },
  { is: 'a root that is read only by design', changed: { disks: [disk('/', 100, { ro: true, severity: 'ok' })] }, level: 'HEALTHY' },
  {
    is: 'the last of thirty is full',
    changed: disks(...Array.from({ length: 29 }, (_, i) => disk(`/data/${i}`, i === 28 ? 97 : 10, { role: 'data' }))),
    level: 'CRITICAL',
    first: /\/data\/28/,
    shows: [/\/data\/28 97%/],
  },
  { is: 'a mount that writes to the terminal', changed: disks(disk('/x\u001b[2J\u0007\r\ny', 95)), level: 'CRITICAL', first: /95% full/ },
  { is: 'a mount longer than the screen', changed: disks(disk(`/${'m'.repeat(400)}`, 95)), level: 'CRITICAL' },
  {
    is: 'inodes',
    changed: disks(disk('/var', 20, { inodes_used_pct: 98, severity: 'critical' })),
    level: 'CRITICAL',
    first: /\/var has used 98% of its files/,
  },
  { is: 'no disks', changed: { disks: [] }, level: 'UNKNOWN|HEALTHY' },
];

const V6 = 'https://[2001:db8:1234:5678:9abc:def0:1234:5678]';
const NETWORK: readonly Case[] = [
  {
    is: 'IPv6 only',
    changed: net({ web_ui_urls: [{ url: V6, kind: 'node', family: 'v6' }], gateway6: 'fe80::1' }),
    level: 'HEALTHY',
    shows: [/\[2001:db8:1234:5678:9abc:def0:1234:5678\]/],
  },
  {
    is: 'the VIP, in brackets, before the address of the node',
    changed: net({
      web_ui_urls: [{ url: 'https://[fd00::10]', kind: 'vip', family: 'v6' }, ...DATA.network.web_ui_urls],
      vip: { v6: 'fd00::10' },
    }),
    level: 'HEALTHY',
    shows: [/https:\/\/\[fd00::10\]/],
  },
  { is: 'no address', changed: net({ web_ui_urls: [] }), level: 'HEALTHY|UNKNOWN|DEGRADED', hides: [/https:/] },
  {
    is: 'MTU refused',
    changed: net({ mtu: { interface: 'eth0', applied: 1500, requested: 9000, status: 'dropped', boot_id_matches: true } }),
    level: 'HEALTHY|DEGRADED',
    shows: [/MTU 9000 REFUSED/],
  },
  {
    is: 'MTU refused in another boot',
    changed: net({ mtu: { interface: 'eth0', requested: 9000, status: 'dropped', boot_id_matches: false } }),
    level: 'HEALTHY',
    hides: [/REFUSED/],
  },
  {
    is: 'MTU as it was found',
    changed: net({ mtu: { interface: 'eth0', applied: 1500, status: 'default', boot_id_matches: true } }),
    level: 'HEALTHY',
    hides: [/MTU/],
  },
  {
    is: 'port 80 blocked too',
    changed: webui({ status: 'blocked', detail: 'drop', ports: { 443: 'blocked', 80: 'blocked' }, checked_at: ago(30) }),
    level: 'CRITICAL',
    first: /Web UI blocked/,
    shows: [/BLOCKED/i, /80/],
  },
  {
    is: 'blocked, without a time to live',
    changed: webui({ status: 'blocked', ports: {}, checked_at: ago(30), ttl_s: null }),
    level: 'CRITICAL',
    first: /Web UI blocked/,
  },
  {
    is: 'blocked, checked at no time',
    changed: webui({ status: 'blocked', ports: {}, checked_at: null }),
    level: 'HEALTHY|UNKNOWN',
    hides: [/BLOCKED/],
  },
  { is: 'a word of a later check', changed: webui({ status: 'sideways', ports: {}, checked_at: ago(30) }), level: 'HEALTHY|UNKNOWN' },
  {
    is: 'rules refused',
    changed: { firewall: { ...DATA.firewall, apply: { status: 'refused', reason: 'line 3', at: ago(60) } } },
    level: 'DEGRADED|CRITICAL',
    first: /firewall/i,
  },
  { is: 'rules wait', changed: { firewall: { ...DATA.firewall, apply: { status: 'pending' } } }, level: 'HEALTHY' },
];

const STORAGE: readonly Case[] = [
  {
    is: 'raid6 with one left to lose',
    changed: arrays(md({ level: 'raid6', state: 'degraded', members_expected: 4, members_in_sync: 3, severity: 'warning' })),
    level: 'DEGRADED',
    first: /md0 raid6 DEGRADED 3\/4/,
    shows: [/DEGRADED 3\/4/],
  },
  {
    is: 'raid5 below what it needs',
    changed: arrays(md({ level: 'raid5', state: 'failed', members_expected: 4, members_in_sync: 2, severity: 'critical' })),
    level: 'CRITICAL',
    first: /md0 raid5 FAILED 2\/4/,
  },
  {
    is: 'not assembled',
    changed: arrays(md({ array_state: 'inactive', state: 'failed', members_expected: null, members_in_sync: 0, severity: 'critical' })),
    level: 'CRITICAL',
    first: /FAILED/,
    hides: [/0\/0/],
  },
  {
    is: 'members not read',
    changed: arrays(md({ state: 'unknown', members_expected: null, members_in_sync: null, severity: 'warning' })),
    level: 'DEGRADED',
    first: /state unknown/,
    hides: [/0\/0/],
  },
  {
    is: 'nothing known of an array',
    changed: arrays(md({ state: 'unknown', members_expected: null, severity: 'unknown' })),
    level: 'UNKNOWN|DEGRADED',
  },
  {
    is: 'degraded, severity left out',
    changed: arrays(md({ state: 'degraded', members_in_sync: 1, severity: undefined })),
    level: 'CRITICAL|DEGRADED',
    first: /DEGRADED 1\/2/,
  },
  {
    is: 'a check without a percentage',
    changed: arrays(md({ sync: { action: 'check', pct: null } })),
    level: 'HEALTHY',
    shows: [/check/],
    hides: [/0%.*check|check 0%/],
  },
  {
    is: 'a share in fractions',
    changed: arrays(md({ state: 'syncing', sync: { action: 'resync', pct: 43.3333 } })),
    level: 'HEALTHY',
    shows: [/resync 43%/],
  },
  {
    is: 'a sync beyond its end',
    changed: arrays(md({ state: 'syncing', sync: { action: 'resync', pct: 140, eta_s: -3 } })),
    level: 'HEALTHY',
    hides: [/140%/],
  },
  {
    is: 'the last of twelve has failed',
    changed: arrays(
      ...Array.from({ length: 12 }, (_, i) =>
        md({ name: `md${i}`, ...(i === 11 ? { state: 'failed', members_in_sync: 0, severity: 'critical' } : {}) }),
      ),
    ),
    level: 'CRITICAL',
    first: /md11/,
    shows: [/md11 raid1 FAILED 0\/2/],
  },
  {
    is: 'a map without paths',
    changed: paths({ paths_total: 0, paths_faulted: 0, severity: 'critical' }),
    level: 'CRITICAL',
    first: /mpatha/,
  },
  { is: 'one path is no fault', changed: paths({ paths_total: 1, paths_faulted: 0, severity: 'neutral' }), level: 'HEALTHY' },
  {
    is: 'one of two paths',
    changed: paths({ paths_total: 2, paths_faulted: 1, severity: 'warning' }),
    level: 'DEGRADED',
    first: /1\/2 paths/,
  },
  { is: 'a state of a later kernel', changed: arrays(md({ state: 'knitting', severity: 'ok' })), level: 'HEALTHY|UNKNOWN' },
];

testCases([...VITALS, ...DISKS, ...NETWORK, ...STORAGE]);
