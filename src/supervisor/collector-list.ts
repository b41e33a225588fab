/** Every collector of the supervisor, one a section. What needs no supervisor comes from the list that the console has too. */
import { type AnyCollector, parseUptime } from '#status/collector.ts';
import { topCpu } from '#status/local/top-cpu.ts';
import { localCollectors } from '#status/local-facts.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';
import type { Runner } from '#system/run.ts';
import { Announcer } from './collectors/announcer.ts';
import { applicationCollectors } from './collectors/application.ts';
import { certsCollector } from './collectors/certs.ts';
import { eventsCollector, nodesCollector, podsCollector } from './collectors/cluster-sections.ts';
import { ControlPlaneWatch } from './collectors/control-plane-look.ts';
import { etcdCollector } from './collectors/etcd.ts';
import { etcdAlarms } from './collectors/etcd-alarms.ts';
import { firewallSelfCheck } from './collectors/firewall-check.ts';
import { firstBoot } from './collectors/first-boot.ts';
import { controlPlaneCollector, pairingCollector } from './collectors/fleet.ts';
import { imageImport } from './collectors/image-import.ts';
import { k3sCollector } from './collectors/k3s-unit.ts';
import { lastReboot } from './collectors/last-reboot.ts';
import { clusterVip, loadbalancerCollector } from './collectors/loadbalancer.ts';
import { metaCollector } from './collectors/meta.ts';
import { adoptionOf, connectivityOf, dnsAnswers } from './collectors/network-look.ts';
import { postgresCollector } from './collectors/postgres.ts';
import { powerCollector } from './collectors/power.ts';
import { type PullSource, pullCollector } from './collectors/pull.ts';
import { clusterOpsCollector, hostConfigCollector, upgradeCollector } from './collectors/release-state.ts';
import { assignedRoles, roleServices } from './collectors/role-services.ts';
import { secondEsp } from './collectors/second-esp.ts';
import { slotsCollector } from './collectors/slots.ts';
import { supervisorCollector } from './collectors/supervisor.ts';
import { timeCollector } from './collectors/time.ts';
import { usageCollector } from './collectors/usage.ts';
import { askText, getText } from './http-text.ts';
import type { Cluster } from './kube/cluster.ts';

export interface Surroundings {
  readonly view: HostView;
  /** Where `view` looks; left out: nobody is asked, and nothing compared. */
  readonly root?: string;
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly instance: string;
  readonly version: string;
  readonly late: () => Readonly<Record<string, number>>;
  /** How often the supervisor was started within a day before this time; null: not known. */
  readonly restarts24h: number | null;
  /** Processes are started on this machine only, never for a file tree. */
  readonly run: Runner;
  readonly pull: () => PullSource;
}

export function collectorsFor({
  view,
  root,
  clock,
  cluster,
  instance,
  version,
  late,
  restarts24h,
  run,
  pull,
}: Surroundings): AnyCollector[] {
  const wallMs = (): number => Date.parse(clock.now());
  const hostname = async (): Promise<string> => (await view.word('/proc/sys/kernel/hostname')) ?? '';
  const usage = usageCollector(cluster, hostname);
  const controlPlane = new ControlPlaneWatch(clock.monoMs);
  const announcer = new Announcer(cluster);
  const bootMs = async (): Promise<number | null> => {
    const seconds = parseUptime(await view.text('/proc/uptime'));
    return seconds === null ? null : wallMs() - seconds * 1000;
  };
  const services = async () => {
    const roles = await assignedRoles(view);
    return { roles, services: roleServices(roles, cluster.pods(), await hostname(), wallMs()) };
  };
  return [
    ...localCollectors(view, clock, {
      network: {
        vip: () => clusterVip(cluster, announcer.node),
        connectivity: connectivityOf(view, clock, root === '/' ? dnsAnswers : null),
        ...(root === undefined ? {} : { adopt: adoptionOf(view, root, clock) }),
      },
      topCpu: topCpu(view, clock.monoMs),
      secondEsp: secondEsp(view, clock, run),
      firewall: firewallSelfCheck(view, clock, run),
    }),
    metaCollector(view, clock, { instance, startedAt: clock.now() }, firstBoot(view, run)),
    slotsCollector(view),
    powerCollector(view, lastReboot(view, run, bootMs)),
    supervisorCollector(view, clock, { version, pid: process.pid, late, restarts24h, services }),
    k3sCollector({ host: view, clock, run, readiness: () => cluster.readiness(), importing: imageImport(view, clock) }),
    timeCollector(view, run),
    podsCollector(cluster, wallMs, clock.monoMs),
    nodesCollector(cluster, hostname, (node) => usage.ofNode(node)),
    etcdCollector(view, clock, cluster, getText, etcdAlarms(view, clock)),
    eventsCollector(cluster),
    usage,
    ...applicationCollectors({ cluster, clock, ask: askText }),
    postgresCollector(cluster, askText, hostname),
    loadbalancerCollector(cluster, announcer),
    hostConfigCollector(view),
    clusterOpsCollector(view),
    upgradeCollector(view, wallMs),
    pairingCollector(view, controlPlane, (hasCode) => {
      const now = pull();
      return now.kind === 'running' ? now.pairing(hasCode) : null;
    }),
    controlPlaneCollector(view, controlPlane),
    certsCollector(view, wallMs),
    pullCollector(pull),
  ];
}
