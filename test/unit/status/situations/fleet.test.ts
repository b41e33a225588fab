/** How the box stands with its control plane, its panel and its first boot. */
import type { SectionData } from '#model/status.ts';
import { CONTROL_PLANE, PAIRED } from '../../../support/spoils.ts';
import { PULL_DATA, type Spoil } from '../../../support/status-fixtures.ts';
import { testSituations } from './support.ts';

const pairing = (over: Partial<SectionData['pairing']>): Spoil => ({ identity: { role: 'appliance' }, pairing: { ...PAIRED, ...over } });
const controlPlane = (over: Partial<SectionData['control_plane']>): Spoil => ({
  ...pairing({}),
  control_plane: { ...CONTROL_PLANE, ...over },
});
const join = (state: SectionData['cluster_ops']['join']['state'], reason: string | null = null): Spoil => ({
  cluster_ops: { join: { state, reason, since: null }, migration: null },
});
const pull = (over: Partial<SectionData['pull']>): Spoil => ({ pull: { ...PULL_DATA, ...over } });
const firstBoot = (failed: boolean): Spoil => ({
  meta: { first_boot: { step: 'starting k3s', pct: null, detail: null, failed, log_hint: null } },
});
const service = (state: 'healthy' | 'starting' | 'unhealthy' | 'missing'): Spoil => ({
  supervisor: { roles_assigned: ['dns'], role_services: [{ name: 'dns-bind9', state, since: null, restarts: 0, message: null }] },
});

testSituations([
  // Fleet
  { is: 'approval revoked', spoil: pairing({ state: 'revoked' }), level: 'CRITICAL', says: [/revoked/] },
  { is: 'code rejected', spoil: pairing({ state: 'code_rejected' }), level: 'DEGRADED', says: [/code/] },
  {
    is: 'another certificate than pinned',
    spoil: pairing({ state: 'pin_mismatch', pin_mismatch: true }),
    level: 'DEGRADED',
    says: [/certificate|pin/i],
  },
  { is: 'awaiting approval', spoil: pairing({ state: 'awaiting', approved_at: null }), level: 'UNKNOWN', says: [/approv/] },
  {
    is: 'control plane refuses',
    spoil: controlPlane({ tcp_ok: false, tls_ok: null, http_ok: null }),
    level: 'DEGRADED',
    says: [/control plane unreachable/],
  },
  { is: 'join failed', spoil: join('failed', 'token expired'), level: 'DEGRADED', says: [/join.*token expired/] },
  { is: 'joining', spoil: join('joining'), level: 'HEALTHY', says: [] },
  {
    is: 'watchdog gave up',
    spoil: { supervisor: { restart_cap_hit: true, watchdog: { state: 'cap_hit', since: null } } },
    level: 'CRITICAL',
    says: [/supervisor/],
  },
  { is: 'a service unhealthy', spoil: service('unhealthy'), level: 'DEGRADED', says: [/dns-bind9/] },
  { is: 'a service starts', spoil: service('starting'), level: 'HEALTHY', says: [] },
  {
    is: 'a first boot, k3s not started yet',
    spoil: { ...firstBoot(false), k3s: { unit_state: 'activating', readyz: 'unknown' } },
    level: 'UNKNOWN',
    says: [/^first boot: starting k3s/],
  },
  {
    is: 'a first boot, k3s failed',
    spoil: { ...firstBoot(false), k3s: { unit_state: 'failed' } },
    level: 'CRITICAL',
    says: [/k3s failed/],
  },
  { is: 'a first boot that failed', spoil: firstBoot(true), level: 'CRITICAL', says: [/^first boot failed at starting k3s/] },
  // Pull
  {
    is: 'configuration failed',
    spoil: pull({
      state: 'failed',
      failed: { version: 43, phase: 'validate', outcome: 'reverted', message: 'line 12', attempts: 2, retry_at: null },
    }),
    level: 'DEGRADED',
    says: [/43/],
  },
  { is: 'device revoked', spoil: pull({ identity: 'revoked', code: 'ENR-403' }), level: 'CRITICAL', says: [/revoked/i] },
  { is: 'device cloned', spoil: pull({ identity: 'cloned', code: 'ENR-409' }), level: 'CRITICAL', says: [/clone|copy|another/i] },
]);
