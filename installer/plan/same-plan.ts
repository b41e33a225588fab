/** Would two plans do the same? Identifiers are drawn anew for each plan, and a begun one has changed the disk that the next is made for. */
import type { Plan } from '#model/plan.ts';
import { canonicalJson } from './print-plan.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FAT_ID = /^[0-9A-F]{4}-[0-9A-F]{4}$/;
const MACHINE_ID = /^systemd\.machine_id=([0-9a-f]{32})$/;

/** Every identifier that was drawn for a plan, by what it names; null when one of them is none. */
function drawnIds(plan: Plan): ReadonlyMap<string, string> | null {
  const words = plan.steps.flatMap(({ action }) => (action.kind === 'boot-menu' ? action.extraKernelWords : []));
  const machineId = words.map((word) => MACHINE_ID.exec(word)?.[1]).find((id) => id !== undefined);
  const { esp, ...filesystems } = plan.filesystemUuids;
  const uuids: readonly [string, string][] = [
    ...plan.disks.flatMap(({ tableUuid, partitions }, disk): [string, string][] => [
      [`table-${disk}`, tableUuid],
      ...partitions.map(({ id, partUuid }): [string, string] => [`partition-${disk}-${id}`, partUuid]),
    ]),
    ...Object.entries(filesystems).map(([id, uuid]): [string, string] => [`filesystem-${id}`, uuid]),
  ];
  const fatIds: readonly [string, string][] = [['esp', esp], ...(plan.esp2Uuid === null ? [] : [['esp2', plan.esp2Uuid] as const])].map(
    ([name, id]) => [name ?? '', id ?? ''],
  );
  const isSound = uuids.every(([, id]) => UUID.test(id)) && fatIds.every(([, id]) => FAT_ID.test(id)) && machineId !== undefined;
  return isSound ? new Map([...uuids, ...fatIds, ['machine', machineId]]) : null;
}

/** The plan's text with names for its identifiers, and without what was on the disks before. */
function anonymous(plan: Plan): string | null {
  const ids = drawnIds(plan);
  if (ids === null) return null;
  const bare = <T extends { readonly table: string; readonly kname: string }>(disk: T) => ({ ...disk, table: '', kname: '' });
  const disks = plan.disks.map(({ holds: _holds, disk, ...layout }) => ({ ...layout, disk: bare(disk) }));
  let text = canonicalJson({ ...plan, target: bare(plan.target), disks });
  for (const [name, id] of ids) text = text.replaceAll(id, `<${name}>`);
  return text;
}

/** False as well when one of the two carries an identifier that this program never draws. */
export function samePlan(one: Plan, other: Plan): boolean {
  const text = anonymous(one);
  return text !== null && text === anonymous(other);
}
