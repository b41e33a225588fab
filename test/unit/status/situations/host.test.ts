/** The host around the cluster: doors, settings, slots, certificates. */
import type { SectionData } from '#model/status.ts';
import { mtu, NO_UPGRADE, plane, webui } from '../../../support/spoils.ts';
import { HEALTHY_DATA, type Spoil } from '../../../support/status-fixtures.ts';
import { testSituations } from './support.ts';

const upgrade = (over: Partial<SectionData['upgrade']>): Spoil => ({
  upgrade: { ...NO_UPGRADE, ...over },
});
const cert = (name: string, days: number | null, severity: 'ok' | 'warning' | 'critical' | 'unknown'): Spoil => ({
  certs: [{ name, not_after: null, days_left: days, severity }] as never,
});
const firewall = (over: Partial<SectionData['firewall']>): Spoil => {
  const { firewall: base } = webui('open', 10);
  return { firewall: { ...(base as SectionData['firewall']), ...over } };
};

testSituations([
  // Firewall
  { is: 'web UI blocked', spoil: webui('blocked', 30), level: 'CRITICAL', says: [/Web UI blocked.*443/] },
  { is: 'blocked, too old', spoil: webui('blocked', 901), level: 'HEALTHY', says: [] },
  { is: 'scoped', spoil: webui('scoped', 30), level: 'HEALTHY', says: [] },
  { is: 'indeterminate for long', spoil: webui('indeterminate', 30, 9), level: 'HEALTHY', says: [] },
  {
    is: 'firewall refused',
    spoil: firewall({ apply: { status: 'refused', reason: 'would lock out', hash: null, at: null } }),
    level: 'DEGRADED',
    says: [/firewall.*would lock out/],
  },
  {
    is: 'both doors scoped',
    spoil: firewall({ ssh_scoped: true, web_scoped: true, lockout_risk: 'console_only' }),
    level: 'HEALTHY',
    says: [],
  },
  // Host
  { is: 'a plane failing', spoil: plane('failing'), level: 'CRITICAL', says: [/host config failing: ntp/] },
  { is: 'a plane retrying', spoil: plane('retrying'), level: 'DEGRADED', says: [/host config retrying: ntp/] },
  {
    is: 'a patch that failed',
    spoil: { host_config: { planes: [], patches: [{ id: 'p7', ok: false, detail: null }], last_reconcile_ok: true } },
    level: 'CRITICAL',
    says: [/patch:p7/],
  },
  { is: 'trial boot', spoil: { slots: { booted: 'slot_b', is_trial: true } }, level: 'DEGRADED', says: [/trial boot/] },
  { is: 'upgrade runs', spoil: upgrade({ state: 'writing', pct: 40 }), level: 'HEALTHY', says: [] },
  {
    is: 'upgrade failed',
    spoil: upgrade({ state: 'failed', error: 'checksum', target_version: '2' }),
    level: 'DEGRADED',
    says: [/upgrade.*checksum/i],
  },
  { is: 'clock not synchronised', spoil: { time: { synced: false } }, level: 'DEGRADED', says: [/clock|time/] },
  {
    is: 'MTU refused',
    spoil: mtu({ requested: 9000, status: 'dropped', reason: 'over the maximum' }),
    level: 'DEGRADED',
    says: [/MTU.*9000/],
  },
  { is: 'MTU of another boot', spoil: mtu({ requested: 9000, status: 'dropped', boot_id_matches: false }), level: 'HEALTHY', says: [] },
  {
    is: 'out of memory soon',
    spoil: { vitals: { mem_used_bytes: Math.round(0.97 * 8 * 1024 ** 3), mem_available_bytes: Math.round(0.03 * 8 * 1024 ** 3) } },
    level: 'DEGRADED',
    says: [/memory/i],
  },
  {
    is: 'memory pressure',
    spoil: { psi: { breach: ['memory_full'], memory: { some: null, full: { avg10: 2, avg60: 2, avg300: 2 } } } },
    level: 'DEGRADED',
    says: [/memory/],
  },
  { is: 'processor at its limit', spoil: { vitals: { cpu_pct: 100, load1: 3 } }, level: 'HEALTHY', says: [] },
  {
    is: 'a cable unplugged',
    spoil: {
      network: {
        web_ui_urls: [],
        interfaces: [
          { ...(HEALTHY_DATA.network.interfaces[0] as SectionData['network']['interfaces'][number]), carrier: false, addrs: [] },
        ],
      },
    },
    level: 'DEGRADED',
    says: [/network|address|cable/i],
  },
  { is: 'reboot required', spoil: { power: { needs_reboot: true, reasons: ['linux-image'] } }, level: 'HEALTHY', says: [] },
  {
    is: 'an unknown role',
    spoil: { identity: { role: null, config_errors: ['unknown role "foo"'] } },
    level: 'UNKNOWN',
    says: [/unknown role/],
  },
  // Certificates
  {
    is: 'certificate over',
    spoil: cert('web_ui', -1, 'critical'),
    level: 'CRITICAL',
    says: [/certificate.*expired|expired.*certificate/i],
  },
  { is: 'certificate ends in 10 days', spoil: cert('supervisor', 10, 'warning'), level: 'DEGRADED', says: [/supervisor expires in 10 d/] },
  { is: 'certificate far off', spoil: cert('web_ui', 300, 'ok'), level: 'HEALTHY', says: [] },
]);
