/** What a console may look at by itself when no supervisor answers (console inventory 7.6): files only, never a process. */
import type { SectionData } from '#model/status.ts';
import { type HostView, hostView } from '#system/observe.ts';
import type { AnyCollector } from './collector.ts';
import { disksCollector } from './local/disks.ts';
import { firewallCollector } from './local/firewall.ts';
import { identityCollector } from './local/identity.ts';
import { type NetworkExtras, networkCollector } from './local/network.ts';
import { psiCollector } from './local/psi.ts';
import { storageCollector } from './local/storage.ts';
import { vitalsCollector } from './local/vitals.ts';
import type { Clock } from './store.ts';

/** What only a supervisor can add to these sections. */
export interface LocalExtras {
  readonly network?: NetworkExtras;
  readonly firewall?: Parameters<typeof firewallCollector>[2];
  readonly topCpu?: () => Promise<SectionData['vitals']['top_cpu']>;
  readonly secondEsp?: () => Promise<SectionData['storage']['second_esp']>;
}

/** The collectors that need no supervisor. The supervisor runs the same ones. */
export function localCollectors(host: HostView, clock: Clock, extras: LocalExtras = {}): AnyCollector[] {
  return [
    identityCollector(host),
    networkCollector(host, () => clock.monoMs(), extras.network),
    vitalsCollector(host, extras.topCpu),
    psiCollector(host),
    disksCollector(host),
    storageCollector(host, extras.secondEsp),
    firewallCollector(host, () => Date.parse(clock.now()), extras.firewall),
  ];
}

export { hostView };
