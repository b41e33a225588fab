/** The boot menu as text, from what is known; nothing is looked up here. Used by the installer and at re-rendering. */

export interface SlotEntry {
  /** UUID of the slot's file system; of the array's file system on a mirror, never of a member. */
  readonly uuid: string;
  /** Version shown in the title; null: a bare title. */
  readonly version: string | null;
}

export interface GrubMenu {
  readonly product: string;
  readonly slotA: SlotEntry;
  readonly slotB: SlotEntry;
  /** Words the operator had on the medium's command line, taken over to every entry. */
  readonly extraKernelWords: readonly string[];
  /** A locked image offers no shell, so no rescue entries (ruling R34). */
  readonly offersRescue: boolean;
}

/** grubenv of a fresh installation, as `grub-editenv set` arguments. */
export const FRESH_GRUBENV = ['saved_entry=slot_a', 'spatium_verbose=0'] as const;

const TIMEOUT_SECONDS = 3;
const CONSOLES = ['console=tty0', 'console=ttyS0,115200n8'];
const QUIET = ['quiet', 'loglevel=3', 'systemd.show_status=false'];
/** gpt_auto off: the generator waits 90 s for nodes that a multipath or array member never gets (measured). */
const ALWAYS = ['audit=0', 'systemd.gpt_auto=0', 'systemd.ssh_auto=no', ...CONSOLES];

/** A word as GRUB's script reads it: bare when plainly safe, in single quotes otherwise. Throws RangeError for what no quoting can carry. */
export function grubWord(word: string): string {
  if (/^[A-Za-z0-9_.,:=/@%+-]+$/.test(word)) return word;
  if (word === '' || /['\u0000-\u0020\u007f-\uffff]/.test(word))
    throw new RangeError(
      `kernel word ${JSON.stringify(word)} cannot stand in a boot menu: blanks, quotes, control or non-ASCII characters`,
    );
  return `'${word}'`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function slotTitle(menu: GrubMenu, letter: 'A' | 'B', slot: SlotEntry, note: string): string {
  const version = slot.version === null ? '' : ` ${slot.version}`;
  return `${menu.product}${version} (slot ${letter}${note})`.replace(/[^A-Za-z0-9 .,_:+~()/-]/g, '');
}

function entry(menu: GrubMenu, id: string, title: string, slot: SlotEntry, words: readonly string[]): string {
  if (!UUID.test(slot.uuid)) throw new RangeError(`slot UUID ${JSON.stringify(slot.uuid)} is no file system UUID`);
  const line = [`root=UUID=${slot.uuid}`, 'ro', ...words, ...ALWAYS, ...menu.extraKernelWords.map(grubWord)].join(' ');
  return [
    `menuentry '${title}' --id ${id} {`,
    `  search --no-floppy --fs-uuid --set=root ${slot.uuid}`,
    `  linux /boot/vmlinuz ${line}`,
    '  initrd /boot/initrd.img',
    '}',
    '',
  ].join('\n');
}

/** `$mode_words` is set from spatium_verbose, so one entry serves the dashboard, the text console and the verbose dashboard. */
const HEAD = `# Written by the installer and by every re-rendering; edits are lost.
insmod part_gpt
insmod ext2
insmod diskfilter
insmod mdraid1x
insmod search_fs_uuid

if [ -s $prefix/grubenv ]; then
  load_env
fi
if [ -n "$next_entry" ]; then
  # One boot only: forgotten before it is tried.
  set default="$next_entry"
  set next_entry=
  save_env next_entry
elif [ -n "$saved_entry" ]; then
  set default="$saved_entry"
else
  set default=slot_a
fi

if [ "$spatium_verbose" = "1" ]; then
  set mode_words="spatium-console=off"
elif [ "$spatium_verbose" = "2" ]; then
  set mode_words="systemd.show_status=true"
else
  set mode_words="${QUIET.join(' ')}"
fi
export mode_words

if serial --unit=0 --speed=115200; then
  terminal_input console serial
  terminal_output console serial
fi
set timeout=${TIMEOUT_SECONDS}
`;

/** The whole grub.cfg. Throws RangeError for a word or UUID that the menu cannot carry. */
export function renderGrubMenu(menu: GrubMenu): string {
  const { slotA, slotB } = menu;
  const verbose = ['systemd.show_status=true', 'loglevel=7'];
  const rescue = ['systemd.unit=rescue.target', 'systemd.show_status=true', 'spatium-console=off'];
  const entries = [
    entry(menu, 'slot_a', slotTitle(menu, 'A', slotA, ''), slotA, ['$mode_words']),
    entry(menu, 'slot_b', slotTitle(menu, 'B', slotB, ''), slotB, ['$mode_words']),
    entry(menu, 'slot_a_verbose', slotTitle(menu, 'A', slotA, ', verbose boot'), slotA, verbose),
  ];
  if (menu.offersRescue) entries.push(entry(menu, 'rescue', slotTitle(menu, 'A', slotA, ', rescue'), slotA, rescue));
  entries.push(entry(menu, 'slot_b_verbose', slotTitle(menu, 'B', slotB, ', verbose boot'), slotB, verbose));
  if (menu.offersRescue) entries.push(entry(menu, 'rescue_b', slotTitle(menu, 'B', slotB, ', rescue'), slotB, rescue));
  return [HEAD, ...entries].join('\n');
}

/** Every file system UUID that a menu names, each once, for checking that they exist. */
export const uuidsNamedIn = (menuText: string): string[] =>
  [...new Set([...menuText.matchAll(/(?:--set=root |root=UUID=)([0-9A-Fa-f-]+)/g)].map((m) => m[1] ?? ''))].sort();

/** A version as titles show it; the stamps that mean "not known" are null. */
export function titleVersion(stamp: string | null | undefined): string | null {
  const text = stamp?.trim() ?? '';
  return ['', 'unknown', 'unstamped', 'unreadable'].includes(text) ? null : text;
}
