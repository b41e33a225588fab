/** What a verdict rule is, and the fixed order of its codes. */
import type { VerdictReason } from '#model/status.ts';
import type { View } from './freshness.ts';

export interface Candidate {
  readonly code: string;
  readonly level: VerdictReason['level'];
  readonly subject: string | null;
  readonly text: string;
  readonly section: string;
  /** Key that helps. */
  readonly hint: string | null;
  /** When the source itself knows since when. RFC 3339 UTC. */
  readonly since?: string | undefined;
  /** Reported only once the condition has held this long. */
  readonly holdMs?: number;
  /** Stays reported until the condition has been gone this long, and a shorter gap does not start `holdMs` anew. */
  readonly clearMs?: number;
  /** Not bad enough to be reported, and not good enough to end what was reported. */
  readonly onlyHeld?: boolean;
}

/** For what comes and goes: a link, a service that restarts. */
export const FLAP_MS = 30_000;

export interface RuleInput {
  readonly view: View;
  /** RFC 3339 UTC. */
  readonly now: string;
}

export type Rule = (input: RuleInput) => readonly Candidate[];

/** Inside one level the earlier code comes first. A code that is not listed comes last. */
export const CODE_ORDER: readonly string[] = [
  'etcd.restoring',
  'etcd.quorum_lost',
  'etcd.alarm',
  'pod.state',
  'pod.flapping',
  'host_config.failing',
  'webui.blocked',
  'boot.first_failed',
  'k3s.failed',
  'disk.readonly',
  'disk.full',
  'md.failed',
  'md.degraded',
  'mpath.no_path',
  'pairing.revoked',
  'pull.cloned',
  'pull.revoked',
  'pull.config_failed',
  'supervisor.cap_hit',
  'cert.expired',
  'k3s.not_ready',
  'control_plane.unreachable',
  'pairing.failed',
  'pull.no_dmi',
  'pull.denied',
  'pull.no_token',
  'pull.placeholder',
  'pull.not_a_token',
  'pull.damaged_token',
  'pull.token_refused',
  'pull.used_elsewhere',
  'pull.token_expired',
  'pull.retired',
  'pull.no_contact',
  'pull.behind',
  'pull.update_failed',
  'api.unreachable',
  'api.degraded',
  'platform.failing',
  'postgres.no_primary',
  'node.not_ready',
  'node.missing',
  'node.pressure',
  'node.cordoned',
  'etcd.at_risk',
  'etcd.space',
  'etcd.write_failures',
  'etcd.restore_failed',
  'etcd.unstable',
  'pod.unschedulable',
  'pod.warning',
  'psi.memory_full',
  'psi.memory_some',
  'psi.cpu_some',
  'memory.low',
  'disk.inodes',
  'disk.errors',
  'md.unknown',
  'mpath.paths',
  'lb.speakers',
  'lb.vip',
  'postgres.waiting',
  'postgres.lag',
  'postgres.connections',
  'host_config.retrying',
  'firewall.refused',
  'firewall.drift',
  'supervisor.stale',
  'supervisor.restarts',
  'supervisor.service',
  'upgrade.failed',
  'slots.trial',
  'power.pending',
  'network.mtu_refused',
  'network.no_link',
  'network.gateway',
  'network.dns',
  'time.unsynced',
  'cert.expiring',
  'esp.absent',
  'esp.drift',
  'cluster.join_failed',
  'supervisor.unreachable',
  'boot.first',
  'supervisor.no_verdict',
  'k3s.unknown',
  'disk.unknown',
  'cert.unknown',
  'identity.config',
  'pairing.waiting',
  'pull.enrolling',
  'pull.awaiting_approval',
  'pull.unassigned',
  'section.unknown',
];
