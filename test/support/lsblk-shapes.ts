/**
 * Prints made-up devices as the versions of lsblk do: all strings, booleans and numbers, one mount point or a list, a tree that
 * repeats a node under each parent, a merged one, a flat list. A case is written once and read in every shape.
 */

/** A device as a case names it. `in`: parents by kernel name; one parent given as a word makes it a partition. */
export interface OddDevice {
  kname?: string;
  in?: string | string[];
  type?: string;
  size: number | string;
  mnt?: string[];
  log?: number;
  phy?: number;
  ro?: boolean;
  rm?: boolean;
  hotplug?: boolean;
  [column: string]: unknown;
}

export interface LsblkShape {
  name: string;
  columns: readonly string[];
  /** Everything in quotes, "0" and "1" for booleans: before util-linux 2.33. */
  strings?: boolean;
  mounts: 'one' | 'list-null' | 'list-empty';
  /** `merged`: -M. `flat`: -l. `upside-down`: -s. These tell one parent of several at most. */
  layout: 'tree' | 'merged' | 'flat' | 'upside-down';
}

const BASE = [
  'name',
  'kname',
  'pkname',
  'type',
  'size',
  'model',
  'vendor',
  'serial',
  'wwn',
  'rm',
  'ro',
  'log-sec',
  'phy-sec',
  'rota',
  'fstype',
];
const OLD_ALL = [
  ...BASE,
  'path',
  'label',
  'uuid',
  'partlabel',
  'partuuid',
  'parttype',
  'state',
  'hotplug',
  'tran',
  'subsystems',
  'zoned',
  'maj:min',
  'hctl',
  'pttype',
  'ptuuid',
];
const ALL = [...OLD_ALL, 'fsver', 'fsroots', 'start', 'alignment', 'disc-gran'];
export const SHAPES: readonly LsblkShape[] = [
  { name: '2.32', columns: OLD_ALL, strings: true, mounts: 'one', layout: 'tree' },
  { name: '2.33', columns: OLD_ALL, mounts: 'one', layout: 'tree' },
  { name: '2.38', columns: ALL, mounts: 'list-null', layout: 'tree' },
  { name: '2.41', columns: ALL, mounts: 'list-empty', layout: 'tree' },
  { name: '2.38 few columns', columns: [...BASE, 'tran'], mounts: 'list-null', layout: 'tree' },
  { name: '2.41 -M', columns: ALL, mounts: 'list-empty', layout: 'merged' },
  { name: '2.41 -l', columns: ALL, mounts: 'list-empty', layout: 'flat' },
  { name: '2.41 -s', columns: ALL, mounts: 'list-empty', layout: 'upside-down' },
];

const UNITS: Record<string, number> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };
const bytesOf = (size: number | string): number =>
  typeof size === 'number' ? size : Number(size.slice(0, -1)) * (UNITS[size.slice(-1)] ?? Number.NaN);

interface Known extends OddDevice {
  name: string;
  kname: string;
  parents: string[];
}

function known(have: Record<string, OddDevice>): Known[] {
  return Object.entries(have).map(([name, d]) => {
    const parents = d.in === undefined ? [] : Array.isArray(d.in) ? d.in : [d.in];
    return { ...d, name, kname: d.kname ?? name, parents, type: d.type ?? (typeof d.in === 'string' ? 'part' : 'disk') };
  });
}

function cell(d: Known, column: string, parent: string | null): unknown {
  if (column === 'pkname') return parent;
  if (column === 'size') return bytesOf(d.size);
  if (column === 'log-sec') return d.log ?? 512;
  if (column === 'phy-sec') return d.phy ?? d.log ?? 512;
  if (column === 'rm' || column === 'ro' || column === 'hotplug') return d[column] ?? false;
  if (column === 'rota') return false;
  if (column === 'path') return d.type === 'disk' || d.type === 'part' || d.name === d.kname ? `/dev/${d.name}` : `/dev/mapper/${d.name}`;
  if (column === 'fsroots') return [];
  return d[column] ?? null;
}

function row(d: Known, parent: string | null, shape: LsblkShape): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const column of shape.columns) {
    const value = cell(d, column, parent);
    const text = typeof value === 'boolean' ? String(Number(value)) : value === null ? null : String(value);
    out[column] = shape.strings ? text : value;
  }
  if (shape.mounts === 'one') out['mountpoint'] = d.mnt?.[0] ?? null;
  else out['mountpoints'] = d.mnt ?? (shape.mounts === 'list-null' ? [null] : []);
  return out;
}

function tree(all: Known[], d: Known, parent: string | null, shape: LsblkShape): Record<string, unknown> {
  const up = shape.layout === 'upside-down';
  const next = up ? all.filter((o) => d.parents.includes(o.kname)) : all.filter((o) => o.parents.includes(d.kname));
  const out = row(d, parent, shape);
  if (next.length > 0) out['children'] = next.map((o) => tree(all, o, up ? (o.parents[0] ?? null) : d.kname, shape));
  return out;
}

/** -M: what several devices carry is printed once, on the top level, with the last of them as its parent. */
function merged(all: Known[], shape: LsblkShape): Record<string, unknown>[] {
  const alone = all.map((d) => (d.parents.length > 1 ? { ...d, parents: [] } : d));
  return alone
    .filter((d) => d.parents.length === 0)
    .map((d) => {
      const out = tree(alone, d, null, shape);
      return { ...out, pkname: all.find((o) => o.kname === d.kname)?.parents.at(-1) ?? null };
    });
}

function flat(all: Known[], shape: LsblkShape): Record<string, unknown>[] {
  return all.map((d) => row(d, d.parents[0] ?? null, shape));
}

/** The text that `lsblk -J -b` of this shape prints for these devices. */
export function lsblkText(have: Record<string, OddDevice>, shape: LsblkShape): string {
  const all = known(have);
  const roots = all.filter((d) => d.parents.length === 0);
  const leaves = all.filter((d) => !all.some((o) => o.parents.includes(d.kname)));
  const rows: Record<LsblkShape['layout'], () => Record<string, unknown>[]> = {
    tree: () => roots.map((d) => tree(all, d, null, shape)),
    merged: () => merged(all, shape),
    flat: () => flat(all, shape),
    'upside-down': () => leaves.map((d) => tree(all, d, d.parents[0] ?? null, shape)),
  };
  return JSON.stringify({ blockdevices: rows[shape.layout]() }, null, 1);
}
