import { draftValue, newDraft, setValue } from '#installer/wizard/draft.ts';
import { keptIdentity, lines, networkModeOf, orNothing, withAnswer, words } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Draft, Item, Option, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { Answers, NetworkAnswers } from '#model/answers.ts';
import { DEFAULT_DNS } from '#model/limits.ts';
import type { NetInterface } from '#model/machine.ts';
import { plain } from '#rules/disks.ts';
import { pad } from '#ui/text.ts';

const ANY = 'any';
const PORT_HEAD = `  ${pad('Port', 15)} ${pad('Link', 7)} ${pad('Speed', 10)} ${pad('Address', 18)} Driver`;

function rowOf(port: NetInterface): Option {
  const link = port.linkUp === null ? 'link ?' : port.linkUp ? 'up' : 'no link';
  const speed = port.speedMbps === null ? '' : port.speedMbps >= 1000 ? `${port.speedMbps / 1000} Gbit/s` : `${port.speedMbps} Mbit/s`;
  const address = port.addresses.find((text) => !text.includes(':')) ?? port.addresses[0] ?? 'no address';
  const label = [pad(plain(port.name), 15), pad(link, 7), pad(speed, 10), pad(plain(address), 18), plain(port.driver ?? '')].join(' ');
  return { value: port.name, label: label.trimEnd() };
}

function ports(state: WizardState, isStatic: boolean): readonly Option[] {
  const any: Option = { value: ANY, label: 'any port that gets an address' };
  const rows = (state.machine.interfaces ?? []).map(rowOf);
  const answered = state.answers.network?.interface;
  const unknown = answered !== undefined && !rows.some((row) => row.value === answered);
  const listed = unknown ? [...rows, { value: answered, label: `${plain(answered)} (not in this machine)` }] : rows;
  return isStatic && listed.length > 0 ? listed : [any, ...listed];
}

/** What the running system holds on that port, offered as a start for a static address. */
function liveValues(state: WizardState, name: string): { ip: string; prefix: string; gateway: string; dns: string } {
  const port = state.machine.interfaces?.find((candidate) => candidate.name === name);
  const [ip = '', prefix = ''] = port?.addresses.find((text) => !text.includes(':'))?.split('/') ?? [];
  const resolvers = state.machine.resolvers.filter((server) => !server.startsWith('127.'));
  return { ip, prefix: prefix || '24', gateway: port?.gateway4 ?? '', dns: (resolvers.length > 0 ? resolvers : DEFAULT_DNS).join(' ') };
}

const firstPort = (state: WizardState): string => {
  const list = state.machine.interfaces ?? [];
  return (list.find((port) => port.gateway4 !== null) ?? list.find((port) => port.linkUp) ?? list[0])?.name ?? ANY;
};

/** The network of the installation whose data is kept, as answers; undefined when there is none to keep. */
function keptNetwork(state: WizardState): NetworkAnswers | undefined {
  const kept = keptIdentity(state);
  const value = (name: string): string | undefined => kept?.get(name);
  const mode = value('network_mode');
  if (mode === undefined) return undefined;
  const dns = value('network_dns');
  const all = {
    mode,
    interface: value('network_interface'),
    ip: value('network_ip'),
    prefix: value('network_prefix'),
    gateway: value('network_gateway'),
    dns: dns === undefined ? undefined : words(dns),
    ip6: value('network6_ip'),
    prefix6: value('network6_prefix'),
    gateway6: value('network6_gateway'),
    mtu: value('network_mtu'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== undefined)) as NetworkAnswers;
}

function openDraft(state: WizardState): Draft {
  const given = state.answers.network ?? keptNetwork(state);
  const isStatic = networkModeOf(given === undefined ? {} : { network: given }) === 'static';
  const port = given?.interface ?? (isStatic ? firstPort(state) : ANY);
  const live = liveValues(state, port === ANY ? firstPort(state) : port);
  return newDraft(
    {
      mode: isStatic ? 'static' : 'dhcp',
      interface: port,
      ip: given?.ip ?? live.ip,
      prefix: given?.prefix ?? (given?.ip?.includes('/') ? '' : live.prefix),
      gateway: given?.gateway ?? live.gateway,
      dns: given?.dns?.join(' ') ?? live.dns,
      v6: given?.ip6 === undefined ? 'auto' : 'static',
      ip6: given?.ip6 ?? '',
      prefix6: given?.prefix6 ?? '64',
      gateway6: given?.gateway6 ?? '',
      mtu: given?.mtu ?? '',
    },
    'mode',
  );
}

/** Marks a port that the switch to a fixed address has chosen, so that the switch back does not pin it. */
const AUTO = 'interface.auto';

function namedPort(state: WizardState, before: Draft, after: Draft): Draft {
  const isStatic = draftValue(after, 'mode') === 'static';
  const port = draftValue(after, 'interface');
  if (draftValue(before, 'mode') === draftValue(after, 'mode'))
    return port === draftValue(before, 'interface') ? after : setValue(after, AUTO, '');
  if (isStatic && port === ANY) return setValue(setValue(after, 'interface', firstPort(state)), AUTO, 'true');
  return !isStatic && draftValue(after, AUTO) === 'true' ? setValue(after, 'interface', ANY) : after;
}

const text = (id: string, label: string, hint = ''): Item => ({ kind: 'text', id, label, path: `network.${id}`, hint });

function itemsOf(state: WizardState, draft: Draft): readonly Item[] {
  const isStatic = draftValue(draft, 'mode') === 'static';
  // A fixed address belongs to a port: without one it would lead nowhere.
  const byHand: Option = { value: 'static', label: 'set by hand' };
  const mode: Item = {
    kind: 'radio',
    id: 'mode',
    label: 'Addresses',
    path: 'network.mode',
    options: [{ value: 'dhcp', label: 'from DHCP' }, ...(isStatic || ports(state, true)[0]?.value !== ANY ? [byHand] : [])],
  };
  const port: Item = {
    kind: 'list',
    id: 'interface',
    label: 'Port',
    path: 'network.interface',
    head: PORT_HEAD,
    options: ports(state, isStatic),
  };
  const mtu = text('mtu', 'MTU', 'empty: as it is');
  if (!isStatic) return draftValue(draft, 'interface') === ANY ? [mode, port] : [mode, port, mtu];
  const v6: Item = {
    kind: 'radio',
    id: 'v6',
    label: 'IPv6',
    path: 'network.ip6',
    options: [
      { value: 'auto', label: 'automatic' },
      { value: 'static', label: 'set by hand' },
    ],
  };
  const v6Fields = [text('ip6', 'IPv6 address'), text('prefix6', 'IPv6 prefix'), text('gateway6', 'IPv6 gateway', 'optional')];
  return [
    mode,
    port,
    text('ip', 'Address'),
    text('prefix', 'Prefix length', '24 is 255.255.255.0'),
    text('gateway', 'Gateway'),
    text('dns', 'DNS servers', `empty: ${DEFAULT_DNS.join(' ')}`),
    v6,
    ...(draftValue(draft, 'v6') === 'static' ? v6Fields : []),
    mtu,
  ];
}

function portless({ machine }: WizardState): readonly BodyLine[] {
  if (machine.interfaces === null) return lines('The network ports of this machine are not recorded; DHCP on any port will be set up.', '');
  return machine.interfaces.length === 0 ? lines('No network port was found; DHCP on any port will be set up.', '') : [];
}

function networkOf(draft: Draft): NetworkAnswers {
  const isStatic = draftValue(draft, 'mode') === 'static';
  const port = draftValue(draft, 'interface') === ANY ? undefined : orNothing(draftValue(draft, 'interface'));
  const field = (id: string): string | undefined => orNothing(draftValue(draft, id));
  const hasV6 = isStatic && draftValue(draft, 'v6') === 'static';
  const all = {
    mode: draftValue(draft, 'mode'),
    interface: port,
    ...(isStatic ? { ip: field('ip'), prefix: field('prefix'), gateway: field('gateway'), dns: words(draftValue(draft, 'dns')) } : {}),
    ...(hasV6 ? { ip6: field('ip6'), prefix6: field('prefix6'), gateway6: field('gateway6') } : {}),
    mtu: isStatic || port !== undefined ? field('mtu') : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as NetworkAnswers;
}

const HELP: Readonly<Record<string, string>> = {
  mode: 'DHCP takes whatever address the network gives; a server that others must find should have a fixed one. Left and right switch it.',
  interface: 'The port that carries the address. Link and speed are what the cable shows now.',
  ip: 'The IPv4 address of this machine. It must not be in use by another one.',
  prefix: 'How many leading bits of the address name the network. 24 is the same as the mask 255.255.255.0.',
  gateway: 'The router of this network. It lies in the same network as the address.',
  dns: 'Addresses of DNS servers, separated by blanks. The appliance asks them for everything it does not know itself.',
  v6: 'Automatic takes what the router announces. Set by hand gives this machine one fixed IPv6 address.',
  ip6: 'The fixed IPv6 address, without the prefix length. Link-local addresses come by themselves and are not set here.',
  prefix6: 'Length of the IPv6 network, nearly always 64. It goes with the address above.',
  gateway6: 'The IPv6 router; a link-local address is right here. Leave it empty to take the one that is announced.',
  mtu: 'Largest packet in bytes, 576 to 9000. Leave it empty unless your network needs another value than the port has.',
};

function summaryOf(answers: Answers): string {
  const { network } = answers;
  if (network?.mode === undefined) return '';
  const port = network.interface === undefined ? 'any port' : plain(network.interface);
  const mtu = network.mtu === undefined ? '' : `, MTU ${network.mtu}`;
  if (networkModeOf(answers) === 'dhcp') return `DHCP, ${port}${mtu}`;
  const v6 = network.ip6 === undefined ? '' : `, ${network.ip6}`;
  return `${network.ip ?? '?'}${network.prefix === undefined ? '' : `/${network.prefix}`} via ${network.gateway ?? '?'}, ${port}${v6}${mtu}`;
}

export const networkScreen: ScreenDefinition = {
  id: 'network',
  title: 'Network',
  name: 'Network',
  keys: ['network'],
  applies: () => true,
  isAnswered: (answers) => answers.network?.mode !== undefined,
  open: openDraft,
  body: (state, draft) => ({
    intro: portless(state),
    items: itemsOf(state, draft),
    aside: [],
  }),
  commit: (answers, draft) => withAnswer(answers, 'network', networkOf(draft)),
  extraKeys: [{ key: 'f6', word: 'test', does: 'test it', effect: (state) => [{ type: 'test-network', network: networkOf(state.draft) }] }],
  /** A port that was chosen for a static address fills in what is live there, where nothing was typed. */
  settleDraft: (state, before, after) => {
    const movedPort = draftValue(before, 'interface') !== draftValue(after, 'interface');
    const becameStatic = draftValue(before, 'mode') === 'dhcp' && draftValue(after, 'mode') === 'static';
    const named = namedPort(state, before, after);
    if (!(movedPort || becameStatic)) return named;
    const old = liveValues(state, draftValue(before, 'interface') === ANY ? firstPort(state) : draftValue(before, 'interface'));
    const live = liveValues(state, draftValue(named, 'interface'));
    return (['ip', 'prefix', 'gateway', 'dns'] as const).reduce(
      (draft, id) => (draftValue(draft, id) === old[id] || draftValue(draft, id) === '' ? setValue(draft, id, live[id]) : draft),
      named,
    );
  },
  help: (item) => HELP[item] ?? '',
  summary: (state) => summaryOf(state.answers),
};
