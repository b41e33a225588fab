/** The locked image: its medium, an answer file for it, and a machine laid down from both. */
import fs from 'node:fs';
import path from 'node:path';
import { answerVolume, directBoot } from './media.ts';
import { Vm } from './qemu.ts';

const ISO = process.env['SPATIUM_LOCKED_ISO'] ?? path.resolve(import.meta.dirname, '../../../dist/spatium-locked.iso');
/** An installed disk that is there already, to look at the later steps of a test alone; empty: there is none. */
export const LOCKED_DISK = process.env['SPATIUM_LOCKED_DISK'] ?? '';
export const BOOT_MS = 900_000;
const INSTALL_MS = 1_500_000;

export interface LockedNames {
  readonly hostname: string;
  readonly password: string;
}

const answers = ({ hostname, password }: LockedNames): string => `#cloud-config
spatium_preseed:
  unattended: true
  target_disk: /dev/vda
  confirm_wipe: true
  hostname: ${hostname}
  admin_user: ops
  admin_password: "${password}"
  timezone: UTC
  after_install: poweroff
  role: appliance
  network: { mode: dhcp }
  control_plane_url: "https://cp.example.test"
  pairing_code: "73519264"
`;

/** Gives the medium's path. @throws Error that says how it is made */
export function lockedIso(): string {
  if (!fs.existsSync(ISO)) throw new Error(`${ISO} does not exist; run "npm run build" and, as root, "npm run image -- --profile locked"`);
  return ISO;
}

/** Installs onto a blank disk without a key. `said`: all that came over the serial line. */
export async function installLocked(dir: string, disk: string, names: LockedNames): Promise<{ said: string; kernelWords: string }> {
  const iso = lockedIso();
  const hardware = directBoot(iso, dir);
  const volumes = [answerVolume(dir, answers(names))];
  const install = async (): Promise<string> => {
    const vm = await Vm.start({ firmware: 'bios', iso, disk, volumes, hardware });
    try {
      await vm.ended(INSTALL_MS, /HALTED|FAILED at .*|service ended: .*/);
      return vm.screen.raw;
    } finally {
      await vm.stop();
    }
  };
  // An emulator that is gone without a word of the guest has told nothing about the image; seen once on a crowded host.
  const said = (await install()) || (await install());
  return { said, kernelWords: hardware.at(-1) ?? '' };
}
