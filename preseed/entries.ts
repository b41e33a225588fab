/** The entries of one mapping of ours: merges applied, doubles and unknown keys reported, operator's notes skipped. */
import { KEYS, keyAt, namesIn } from '#rules/keys.ts';
import { nearest } from '#rules/nearest.ts';
import type { Sink, Span } from './sink.ts';
import type { Entry, MapTree, Tree } from './tree.ts';

export interface NamedEntry extends Entry {
  readonly key: string;
}

const MERGE = '<<';
/** Keys of other installers and of habit, with the key that is meant. */
const KNOWN_ERRORS: Readonly<Record<string, string>> = {
  password: 'admin_password',
  passwd: 'admin_password',
  password_hash: 'admin_password_hash',
  user: 'admin_user',
  username: 'admin_user',
  disk: 'target_disk',
  mirror: 'mirror_disk',
  host_name: 'hostname',
  name: 'hostname',
  ssh_keys: 'ssh_authorized_keys',
  authorized_keys: 'ssh_authorized_keys',
  time_zone: 'timezone',
  tz: 'timezone',
  ntp: 'ntp_servers',
  keyboard: 'keymap',
  address: 'network.ip',
  netmask: 'network.prefix',
  nameservers: 'network.dns',
  url: 'control_plane_url',
  server_url: 'control_plane_url',
  token: 'pairing_code',
  code: 'pairing_code',
  wipe: 'confirm_wipe',
  erase: 'confirm_wipe',
  keyboard_layout: 'keymap',
  layout: 'keymap',
  iface: 'network.interface',
  nic: 'network.interface',
  device: 'network.interface',
  type: 'network.mode',
  dhcp: 'network.mode',
  cidr: 'network.prefix',
  mask: 'network.prefix',
  dns_servers: 'network.dns',
  nameserver: 'network.dns',
  gw: 'network.gateway',
  cluster_cidr: 'k3s.pod_cidr',
  reboot: 'after_install',
  poweroff: 'after_install',
};

const isNote = (key: string): boolean => key.startsWith('x-');
const looksSecret = (key: string): boolean => /pass|pwd|secret|token|code|hash|credential|private/i.test(key);

/** What somebody meant by a key that does not exist; null when there is no telling. */
function meantKey(key: string, block: string): string | null {
  const plain = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
  const names = namesIn(block);
  const full = (name: string): string => (block === '' ? name : `${block}.${name}`);
  if (names.includes(plain)) return full(plain);
  const close = nearest(plain, names);
  if (close) return full(close);
  const known = KNOWN_ERRORS[plain];
  if (known !== undefined) return known;
  // A key of another block, or one written at the wrong level.
  return KEYS.find((spec) => spec.path === plain || spec.path.endsWith(`.${plain}`))?.path ?? null;
}

/** In a broken file a value may stand where a key is wanted, so what does not look like a key is never repeated. */
const isKeyLike = (key: string): boolean => /^[A-Za-z_~0-9<][A-Za-z0-9_.<-]{0,59}$/.test(key);

/** In the place of a name that is not to be repeated. */
export const UNREADABLE_KEY = '(unreadable key)';

function pathOf(key: string, block: string): string {
  const name = isKeyLike(key) ? key : UNREADABLE_KEY;
  return block === '' ? name : `${block}.${name}`;
}

function hideAll(tree: Tree, sink: Sink): void {
  if (tree.kind === 'scalar') sink.hide(tree.text);
  else if (tree.kind === 'list') for (const item of tree.items) hideAll(item, sink);
  else for (const entry of tree.entries) hideAll(entry.value, sink);
}

function reportUnknown(entry: Entry, block: string, sink: Sink): void {
  const key: Span = { start: entry.keyStart, end: entry.keyEnd };
  if (entry.key === null) {
    sink.report(block, 'key.unknown', 'a key must be a plain text', key);
    return;
  }
  const meant = meantKey(entry.key, block);
  const isSecret = looksSecret(entry.key) || (meant !== null && keyAt(meant)?.type === 'secret');
  // Shown like a value, not like a key of ours: the name may be a password that slipped to the left of its colon.
  if (isKeyLike(entry.key)) sink.visible.push(key);
  if (isSecret) hideAll(entry.value, sink);
  const where = block === '' ? 'the answer file has no such key' : `${block} has no such key`;
  const noBlank = /^([a-z0-9_]+):./.exec(entry.key)?.[1];
  const other =
    noBlank !== undefined && namesIn(block).includes(noBlank)
      ? `put a blank after ${noBlank}:`
      : 'take it out; your own notes start with x-';
  const fix = meant === null ? other : `did you mean ${meant}?`;
  sink.report(pathOf(entry.key, block), 'key.unknown', `unknown key: ${where}`, key, fix);
}

function mergedMaps(entry: Entry, block: string, sink: Sink): readonly MapTree[] {
  const values = entry.value.kind === 'list' ? entry.value.items : [entry.value];
  const maps = values.filter((value) => value.kind === 'map');
  if (maps.length !== values.length)
    sink.report(block, 'yaml.merge', 'a merge (<<) must name a mapping, or a list of mappings', {
      start: entry.keyStart,
      end: entry.keyEnd,
    });
  return maps;
}

/** Every entry with merged ones behind the written ones, the first of a name winning, as YAML's merge has it. */
function flatten(map: MapTree, block: string, sink: Sink): { readonly own: readonly Entry[]; readonly merged: readonly Entry[] } {
  const own: Entry[] = [];
  const merged: Entry[] = [];
  for (const entry of map.entries) {
    if (entry.key === MERGE && entry.isPlainKey)
      for (const inner of mergedMaps(entry, block, sink)) {
        const flat = flatten(inner, block, sink);
        merged.push(...flat.own, ...flat.merged);
      }
    else own.push(entry);
  }
  return { own, merged };
}

/** Reports a key that stands twice, naming both lines; the last one counts, as it does for other readers. */
export function reportDoubles(map: MapTree, block: string, sink: Sink): void {
  const lineOf = (offset: number): number => sink.lines.positionOf(offset).line;
  const first = new Map<string, Entry>();
  for (const entry of map.entries) {
    if (entry.key === null || entry.key === MERGE) continue;
    const before = first.get(entry.key);
    if (!before) first.set(entry.key, entry);
    else {
      sink.doubled.add(block);
      const [a, b] = [lineOf(before.keyStart), lineOf(entry.keyStart)];
      sink.report(
        pathOf(entry.key, block),
        'key.duplicate',
        `duplicate key: it stands on line ${a} and again on line ${b}`,
        { start: entry.keyStart, end: entry.keyEnd },
        'keep one of the two',
      );
    }
  }
}

/** The entries that count, by name; what must be said about the others has been said. */
export function entriesOf(map: MapTree, block: string, sink: Sink): readonly NamedEntry[] {
  reportDoubles(map, block, sink);
  const known = new Set(namesIn(block));
  const { own, merged } = flatten(map, block, sink);
  const byName = new Map<string, NamedEntry>();
  const unknown = new Set<string>();
  for (const entry of own) {
    if (entry.key !== null && isNote(entry.key)) continue;
    if (entry.key === null || !known.has(entry.key)) reportUnknown(entry, block, sink);
    else byName.set(entry.key, entry as NamedEntry);
  }
  for (const entry of merged) {
    if (entry.key !== null && (isNote(entry.key) || byName.has(entry.key) || unknown.has(entry.key))) continue;
    if (entry.key === null || !known.has(entry.key)) {
      reportUnknown(entry, block, sink);
      if (entry.key !== null) unknown.add(entry.key);
    } else byName.set(entry.key, entry as NamedEntry);
  }
  return [...byName.values()];
}
