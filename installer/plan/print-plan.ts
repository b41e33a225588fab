/** A plan in words, for a person who is about to erase a disk. ASCII, and no line wider than 80 columns but for a longer word. */
import { menuEntries, renderGrubMenu } from '#boot/grub-menu.ts';
import { PATHS } from '#model/limits.ts';
import type { DiskLayout, FileSpec, PartitionId, Plan, Step } from '#model/plan.ts';
import { roundSize } from '#rules/disks.ts';
import { remarked, table, wrapped } from './fit.ts';
import { extentsOf, varBytes } from './layout.ts';

/** Text from devices is never sent to a terminal as it came. */
const safe = (text: string): string => text.replace(/[^\u0020-\u007e]/g, '?');

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The fingerprint of a disk in words, for a plan that does not carry the wizard's. */
function heldText(table: string): string {
  if (table === 'none') return 'holds no partition table and no file system that is known';
  const fileSystem = /^fs:([^:]*)/.exec(table)?.[1];
  if (fileSystem !== undefined) return `holds ${safe(fileSystem)} on the whole disk, without a partition table`;
  const [head = '', ...parts] = table.split(' ');
  const kind = head.split(':')[0] ?? '';
  const named = { gpt: 'a GPT', dos: 'an MBR' }[kind] ?? 'a';
  const sizes = parts.map((part) => Number(/\/(\d+)$/.exec(part)?.[1])).filter((bytes) => bytes > 0);
  return `holds ${named} partition table with ${plural(parts.length, 'partition')}${sizes.length > 0 ? `: ${sizes.map(roundSize).join(', ')}` : ''}`;
}

function contentsText({ disk, holds }: DiskLayout): string {
  if (holds === null) return 'what is on it is not recorded';
  return holds === undefined ? heldText(disk.table) : `holds ${holds}`;
}

function diskLines(layout: DiskLayout): string[] {
  const { path, sizeBytes, serial, wwn, byId } = layout.disk;
  const names = `${serial === null ? 'no serial number' : `serial ${serial}`}${wwn === null ? '' : `, wwn ${wwn}`}`;
  return [
    ...wrapped('  ', safe(`${path} ${roundSize(sizeBytes)}, ${names}`), 4),
    ...wrapped('  ', `known as ${safe(byId ?? path)}`, 4),
    ...wrapped('  ', safe(contentsText(layout)), 4),
  ];
}

function partitionLines(layout: DiskLayout, isKept: boolean): string[] {
  const extents = extentsOf(layout);
  const place = (i: number, id: PartitionId) =>
    !isKept ? `from sector ${extents[i]?.firstSector ?? '?'}` : ['state', 'var', 'bios_boot'].includes(id) ? 'kept' : 'made new';
  const rows = table(
    layout.partitions.map((p, i) => [
      String(p.number),
      p.name,
      p.sizeBytes === null ? `${roundSize(varBytes(layout))} (the rest)` : roundSize(p.sizeBytes),
      `type ${p.code}`,
      place(i, p.id),
    ]),
    '  ',
  );
  return [
    ...wrapped('', `Partitions of ${safe(layout.disk.path)} (GPT, ${layout.disk.logicalSectorBytes}-byte sectors), each with its UUID:`, 2),
    ...layout.partitions.flatMap((p, i) => [rows[i] ?? '', `     ${p.partUuid}`]),
  ];
}

const octal = (mode: number): string => `0${mode.toString(8)}`;

/** Where a path really lies: `/etc` is a slot's own, with the persistent one laid over it. */
const placeOf = (file: FileSpec, isBase: boolean): string =>
  isBase
    ? 'on the slot'
    : file.path.startsWith('/etc/')
      ? 'in the overlay'
      : file.path.startsWith('/var/lib/spatium-state/')
        ? 'on state'
        : '';

/** Files that steps make by other means than writing a text of the plan. */
function madeBy({ action }: Step): [string, string][] {
  switch (action.kind) {
    case 'link-timezone':
      return [
        ['link', `/etc/localtime -> /usr/share/zoneinfo/${safe(action.zone)}`],
        ['0644', '/etc/timezone'],
      ];
    case 'boot-menu':
      return ['grub.cfg', 'grubenv'].map((name) => ['FAT', `${PATHS.grubDir}/${name}`]);
    default:
      return [];
  }
}

function fileLines(plan: Plan): string[] {
  const rows = plan.steps.flatMap((step): [string, string][] => {
    const { action } = step;
    const made = madeBy(step).map(([mode, path]): [string, string] => [
      `  ${mode.padEnd(4)}  ${path}`,
      action.kind === 'boot-menu' ? 'the boot menu' : 'in the overlay',
    ]);
    if (action.kind !== 'write-base-files' && action.kind !== 'write-files') return made;
    const isBase = action.kind === 'write-base-files';
    return action.files.map((f) => {
      const remarks = [placeOf(f, isBase), f.secrets?.length ? `holds ${f.secrets.join(', ')}` : ''];
      return [`  ${octal(f.mode)}  ${f.path}`, remarks.filter((r) => r !== '').join(', ')];
    });
  });
  const removed = plan.steps.flatMap(({ action }) =>
    action.kind === 'write-files' ? action.remove : action.kind === 'remove-live-parts' ? action.paths : [],
  );
  return ['Files written:', ...remarked(rows, 60, 8), '', 'Removed from the copy, where present:', ...removed.map((p) => `  ${p}`)];
}

/** The entries that the boot menu gets. The version in their titles is the image's, which a plan does not know. */
function menuLines(plan: Plan): string[] {
  return plan.steps.flatMap(({ action }) => {
    if (action.kind !== 'boot-menu') return [];
    const text = renderGrubMenu({
      product: plan.product,
      slotA: { uuid: action.rootAUuid, version: null },
      slotB: { uuid: action.rootBUuid, version: null },
      extraKernelWords: [],
      offersRescue: !action.isLocked,
      isLocked: action.isLocked,
    });
    return [
      'Boot menu entries (the version is added to the titles):',
      ...table(
        menuEntries(text).map(({ id, title }) => [id, title]),
        '  ',
      ),
      ...(action.extraKernelWords.length === 0
        ? []
        : wrapped('  ', `Kernel words added to each: ${action.extraKernelWords.map(safe).join(' ')}`, 4)),
      '',
    ];
  });
}

/** What the step does, where its title does not say all. */
function detail(plan: Plan, { action }: Step): string {
  switch (action.kind) {
    case 'format':
      return `${action.filesystem}, label ${action.label}, UUID ${action.uuid}`;
    case 'make-array':
      return `RAID1, metadata 1.2, /dev/md/${action.name}`;
    case 'copy-system':
      return "from the medium's image, not from the running session";
    case 'boot-menu':
      return 'the entries listed above; slot_a starts by itself';
    case 'boot-loader':
      return `${safe(plan.disks[action.diskIndex]?.disk.path ?? '?')}; ${action.required ? 'must work' : 'a failure only warns'}`;
    case 'link-timezone':
      return safe(action.zone);
    case 'create-account':
      return [
        action.password === 'admin_password' ? 'password as typed' : 'password from its hash',
        plural(action.authorizedKeys.length, 'SSH key'),
        action.setRootPassword ? 'the same password for root' : 'root stays locked',
      ].join(', ');
    case 'check-identity':
    case 'release-disks':
    case 'partition':
    case 'mount-target':
    case 'keep-data':
    case 'remove-live-parts':
    case 'link-kernel':
    case 'write-base-files':
    case 'lock-root':
    case 'snapshot-etc':
    case 'mount-overlay':
    case 'write-files':
    case 'mask-time-sources':
    case 'array-config':
    case 'multipath-config':
    case 'sync-esp':
    case 'clone-slot':
    case 'verify':
    case 'save-logs':
    case 'unmount':
      return '';
  }
}

function networkText(plan: Plan): string {
  const { mode, interface: port, ipv4, ipv6, dns, mtu } = plan.settings.network;
  const parts = mode === 'dhcp' ? [`DHCP on ${port ?? 'any port'}`] : [`static on ${port ?? '?'}`];
  if (ipv4) parts.push(`${ipv4.address}/${ipv4.prefix} via ${ipv4.gateway}`);
  if (mode === 'static') parts.push(`DNS ${dns.length === 0 ? 'none' : dns.join(' ')}`);
  if (ipv6) parts.push(`${ipv6.address}/${ipv6.prefix}${ipv6.gateway === null ? '' : ` via ${ipv6.gateway}`}`);
  if (mtu !== null) parts.push(`MTU ${mtu}`);
  return safe(parts.join(', '));
}

/** The longest label and two blanks. */
const LABEL_WIDTH = 15;

function settingsLines(plan: Plan): string[] {
  const s = plan.settings;
  const hasAccount = plan.steps.some((step) => step.action.kind === 'create-account');
  const rows = [
    ['Role', s.role === 'control-plane' ? 'first node (control plane)' : 'additional node (appliance)'],
    ['Host name', s.hostname],
    [
      'Account',
      !hasAccount
        ? 'none: the image is locked'
        : `${s.adminUser}${s.setRootPassword ? ', root with the same password' : ', root locked'}${s.sshDisablePassword ? ', SSH by key only' : ''}`,
    ],
    ['Network', networkText(plan)],
    ['Time zone', s.timezone],
    ['Time source', s.ntpServers.length === 0 ? 'no source' : s.ntpServers.join(' ')],
    ['Keyboard', s.keymap],
    ...(s.role === 'control-plane' ? [['k3s ranges', `pods ${s.podCidr}, services ${s.serviceCidr}`]] : []),
    ...(s.controlPlaneUrl === null ? [] : [['Control plane', s.controlPlaneUrl]]),
    ...(s.hasPairingCode ? [['Pairing code', 'given (not shown)']] : []),
    ['Booted by', plan.firmware === 'uefi' ? 'UEFI' : 'BIOS'],
    ['Afterwards', s.afterInstall === 'reboot' ? 'restart' : 'power off'],
  ];
  return rows.flatMap(([label = '', value = '']) => wrapped(`  ${label.padEnd(LABEL_WIDTH)}`, safe(value), 2 + LABEL_WIDTH));
}

/** The whole plan as text, with a final line end. Holds no secret, because a plan holds none. */
export function printPlan(plan: Plan): string {
  const erased = plan.settings.keepVar
    ? 'BOTH SYSTEM SLOTS WILL BE REPLACED, /var AND STATE KEPT, ON THIS DISK'
    : plan.disks.length > 1
      ? 'BOTH DISKS WILL BE ERASED'
      : 'THIS DISK WILL BE ERASED';
  return [
    `${plan.product} installation plan. Nothing has been changed.`,
    '',
    ...settingsLines(plan),
    '',
    ...wrapped('', `${erased}:`, 2),
    ...plan.disks.flatMap(diskLines),
    '',
    ...plan.disks.flatMap((d) => [...partitionLines(d, plan.settings.keepVar), '']),
    ...fileLines(plan),
    '',
    ...menuLines(plan),
    'Steps:',
    ...remarked(
      plan.steps.map((s, i) => [`${String(i + 1).padStart(2)}. ${safe(s.title)}`, detail(plan, s)]),
      40,
      6,
    ),
    '',
  ]
    .map(safe)
    .join('\n');
}

/** Keys in order, so that equal plans give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'null';
}

/** Names a plan: two plans that would do the same have the same hash. `sha256` gives hex and comes from the caller. */
export const planHash = (plan: Plan, sha256: (text: string) => string): string => sha256(canonicalJson(plan));
