/** What only a supervisor adds to the network: do the gateway and the name servers answer, and is an edit waiting to be kept? */
import dns from 'node:dns';
import { MANAGED_PROFILES } from '#boot/network-adopt.ts';
import { networkReport } from '#boot/network-command.ts';
import { CONNECTIONS } from '#boot/render.ts';
import type { SectionData } from '#model/status.ts';
import { plainText } from '#status/sanitise.ts';
import type { Clock } from '#status/store.ts';
import { errnoOf } from '#system/files.ts';
import type { HostView } from '#system/observe.ts';

type Network = SectionData['network'];
type Connectivity = NonNullable<Network['connectivity']>;

const DNS_MS = 2000;
/** A question a minute to each server, which its cache answers. */
const DNS_EVERY_MS = 60_000;
const ADOPT_EVERY_MS = 30_000;
/** One question that is lost is noise. */
const LOST_BEFORE_DOWN = 2;
/** Of c-ares: nothing came back. Every other error is an answer. */
const SILENT = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/** Does the kernel know the gateway's hardware address? A row without one was asked for and not answered; null: no row, so nobody asked. */
export function gatewayAnswers(arp: string, gateway: string): boolean | null {
  const row = arp
    .split('\n')
    .map((l) => l.trim().split(/\s+/))
    .find((f) => f[0] === gateway);
  return row === undefined ? null : (Number(row[2]) & 2) !== 0;
}

/** true when the server says anything at all. */
export async function dnsAnswers(server: string): Promise<boolean> {
  const resolver = new dns.promises.Resolver({ timeout: DNS_MS, tries: 1 });
  try {
    resolver.setServers([server]);
    await resolver.resolveNs('.');
    return true;
  } catch (error) {
    return !SILENT.has(errnoOf(error) ?? '');
  }
}

/** @param ask does one server answer? null: nobody may be asked, as for a file tree */
export function connectivityOf(host: HostView, clock: Clock, ask: ((server: string) => Promise<boolean>) | null) {
  let last: { readonly atMs: number; readonly servers: string; readonly at: string } | null = null;
  let lost = 0;
  let known: Connectivity['dns'] = null;
  const lookUp = async (servers: readonly string[]): Promise<void> => {
    const at = clock.now();
    last = { atMs: clock.monoMs(), servers: servers.join(' '), at };
    const answers = await Promise.all(servers.map((s) => (ask ? ask(s) : false)));
    lost = answers.includes(true) ? 0 : lost + 1;
    known = lost === 0 ? { ok: true, checked_at: at } : lost >= LOST_BEFORE_DOWN ? { ok: false, checked_at: at } : known;
  };
  return async (gateway: string | null, servers: readonly string[]): Promise<Connectivity> => {
    if (ask !== null && servers.length > 0) {
      if (last?.servers !== servers.join(' ')) [lost, known] = [0, null];
      // It may take seconds, and the next look has the answer.
      if (last?.servers !== servers.join(' ') || clock.monoMs() - last.atMs >= DNS_EVERY_MS) void lookUp(servers).catch(() => undefined);
    } else known = null;
    const arp = gateway === null ? null : await host.text('/proc/net/arp');
    const answers = arp === null || gateway === null ? null : gatewayAnswers(arp, gateway);
    return { gateway: answers === null ? null : { ok: answers, checked_at: clock.now() }, dns: known };
  };
}

/** Whether the managed profile differs from STATE; null where STATE has no configuration. Looked at every half minute. */
export function adoptionOf(host: HostView, root: string, clock: Clock): () => Promise<Network['adopt']> {
  let last: { readonly atMs: number; readonly adopt: Network['adopt'] } | null = null;
  const look = async (): Promise<Network['adopt']> => {
    const report = await networkReport(root).catch(() => null);
    if (report === null) return null;
    const names = (await host.names(CONNECTIONS)).filter((n) => n.endsWith('.nmconnection'));
    const managed: readonly string[] = MANAGED_PROFILES;
    return {
      managed: report.profile !== null,
      keyfile: report.profile,
      drift: report.drift.map((d) => ({ key: d.key, state: plainText(d.state), live: plainText(d.profile) })),
      unadoptable: report.notAdoptable.map(plainText),
      extra_profiles: names.filter((n) => !managed.includes(n)).map((n) => plainText(n.replace(/\.nmconnection$/, ''))),
    };
  };
  return async () => {
    if (last === null || clock.monoMs() - last.atMs >= ADOPT_EVERY_MS) last = { atMs: clock.monoMs(), adopt: await look() };
    return last.adopt;
  };
}
