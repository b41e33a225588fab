/** Starting the shipped medium: the boot menu is worked over the serial line, so the ISO under test is the ISO that ships. */
import fs from 'node:fs';
import path from 'node:path';
import type { Vm } from './qemu.ts';
import { TEST_WORDS } from './words.ts';

export const ISO = process.env['SPATIUM_ISO'] ?? path.resolve(import.meta.dirname, '../../../dist/spatium.iso');

const MENU_TIMEOUT_MS = 120_000;
const KEY_QUIET_MS = 400;
/** UEFI firmware draws its console on more rows than the programs after it use. */
const FIRMWARE_ROWS = 60;
const SERIAL_ROWS = 24;
const TYPE_GAP_MS = 15;

export function requireIso(): void {
  if (!fs.existsSync(ISO)) throw new Error(`${ISO} does not exist; run "npm run build" and, as root, "npm run image"`);
}

/** Picks an entry, adds the test's kernel words to it, after `---` so that the installed system has them too, and starts it. */
export async function bootMedium(vm: Vm, entry: 'install' | 'rescue', words = ''): Promise<void> {
  const { screen } = vm;
  screen.setRows(FIRMWARE_ROWS);
  await screen.waitFor(/Install SpatiumDDI/, MENU_TIMEOUT_MS, 'boot menu of the medium');
  for (let i = 0; i < (entry === 'rescue' ? 2 : 0); i++) {
    screen.key('down');
    await screen.settle(KEY_QUIET_MS, 5000);
  }
  screen.type('e');
  await screen.waitFor(/setparams/, 20_000, 'editor of the boot menu');
  await screen.settle(KEY_QUIET_MS, 10_000);
  screen.key('down', 'down');
  await screen.settle(KEY_QUIET_MS, 5000);
  screen.key('ctrl-e');
  await screen.settle(KEY_QUIET_MS, 5000);
  for (const c of ` ${TEST_WORDS.join(' ')}${words === '' ? '' : ` ${words}`}`) {
    screen.type(c);
    await new Promise((resolve) => setTimeout(resolve, TYPE_GAP_MS));
  }
  await screen.waitFor(/--- norandmaps/, 10_000, 'kernel words in the editor');
  await screen.settle(KEY_QUIET_MS, 10_000);
  screen.key('ctrl-x');
  screen.setRows(SERIAL_ROWS);
}
