/**
 * What an edit of the managed profile means in terms of STATE: which values differ, and which settings STATE has no
 * word for. Pure; the file is NetworkManager's keyfile.
 */
import { DHCP_PROFILE, STATIC_PROFILE } from './network-profile.ts';

export type Keyfile = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Sections and keys of a keyfile; comments and what is neither are skipped. */
function parseKeyfile(text: string): Keyfile {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | null = null;
  for (const line of text.split(/\r?\n/)) {
    const header = /^\[([^\]]+)\]\s*$/.exec(line)?.[1];
    const [, key, value] = /^([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (header !== undefined) {
      current = sections.get(header) ?? new Map<string, string>();
      sections.set(header, current);
    } else if (key !== undefined && value !== undefined) current?.set(key, value);
  }
  return sections;
}

/** Keys that STATE models, or that NetworkManager writes of itself without meaning. */
const MODELLED: Readonly<Record<string, readonly string[]>> = {
  connection: ['id', 'uuid', 'type', 'interface-name', 'autoconnect', 'autoconnect-priority', 'timestamp'],
  ethernet: ['mtu'],
  ipv4: ['method', 'address1', 'gateway', 'dns'],
  ipv6: ['method', 'address1', 'gateway', 'dns', 'addr-gen-mode'],
  proxy: [],
};

interface Address {
  readonly ip: string;
  readonly prefix: string;
  readonly gateway: string;
}

/** `address1=IP/PREFIX,GATEWAY`, or with the gateway on a line of its own, as nmtui writes it. */
function addressOf(section: ReadonlyMap<string, string> | undefined): Address {
  const [cidr = '', inline = ''] = (section?.get('address1') ?? '').split(',');
  const [ip = '', prefix = ''] = cidr.split('/');
  return { ip, prefix, gateway: section?.get('gateway') ?? inline };
}

const servers = (section: ReadonlyMap<string, string> | undefined): string[] =>
  (section?.get('dns') ?? '').split(';').filter((server) => server !== '');

/** The on-link route to a gateway outside the prefix is rendered from STATE, so it is no setting of its own. */
const isOwnRoute = (section: ReadonlyMap<string, string> | undefined, key: string, value: string): boolean =>
  key === 'route1' && value.split('/')[0] === addressOf(section).gateway;

export interface ProfileFacts {
  /** Keys of spatium-config.yaml with what the profile says; the MTU always, because clearing it is a change too. */
  readonly values: ReadonlyMap<string, string>;
  /** `ipv4.route1`: settings that the next boot would lose, and that cannot be kept. */
  readonly notAdoptable: readonly string[];
}

export function factsOfProfile(text: string): ProfileFacts {
  const file = parseKeyfile(text);
  const v4 = file.get('ipv4');
  const v6 = file.get('ipv6');
  const values = new Map<string, string>();
  const isStatic = v4?.get('method') === 'manual';
  values.set('network_mode', isStatic ? 'static' : 'dhcp');
  values.set('network_interface', file.get('connection')?.get('interface-name') ?? '');
  values.set('network_mtu', file.get('ethernet')?.get('mtu') ?? '');
  if (isStatic) {
    const { ip, prefix, gateway } = addressOf(v4);
    // An address beside `auto`: its gateway is the announced one.
    const own6 = v6?.get('method') === 'manual' || (v6?.get('method') === 'auto' && v6.has('address1')) ? addressOf(v6) : null;
    const rows: readonly (readonly [string, string])[] = [
      ['network_ip', ip],
      ['network_prefix', prefix],
      ['network_gateway', gateway],
      ['network_dns', [...servers(v4), ...servers(v6)].join(' ')],
      ['network6_mode', own6 ? 'static' : 'auto'],
      ['network6_ip', own6?.ip ?? ''],
      ['network6_prefix', own6?.prefix ?? ''],
      ['network6_gateway', own6?.gateway ?? ''],
    ];
    for (const [key, value] of rows) values.set(key, value);
  }
  const notAdoptable = [...file].flatMap(([name, keys]) =>
    [...keys].filter(([key, value]) => !MODELLED[name]?.includes(key) && !isOwnRoute(keys, key, value)).map(([key]) => `${name}.${key}`),
  );
  return { values, notAdoptable };
}

export interface Drift {
  readonly key: string;
  readonly state: string;
  readonly profile: string;
}

/** Keys in which the profile differs from STATE. `rendered`: what STATE itself renders to, so that spellings do not count. */
export function driftOf(profile: ProfileFacts, rendered: ProfileFacts): readonly Drift[] {
  return [...profile.values].flatMap(([key, value]) => {
    const state = rendered.values.get(key) ?? '';
    return state === value ? [] : [{ key, state, profile: value }];
  });
}

/** The managed profiles, the one that STATE would render first. */
export const MANAGED_PROFILES = [STATIC_PROFILE, DHCP_PROFILE] as const;
