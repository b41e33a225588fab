/** An installed appliance of the open image, with an administrator and planted secrets that are made anew for each run. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { answerVolume, blankDisk, directBoot } from './media.ts';
import { ISO } from './medium.ts';
import { Vm } from './qemu.ts';

/** Milliseconds, in software emulation beside other work. */
export const INSTALL_MS = 1_500_000;

/** Files kept from another run, to look at the later steps alone: the disk, and beside it the mark that its secrets come from. */
const READY_DISK = process.env['SPATIUM_OPEN_DISK'] ?? '';
const markFile = `${READY_DISK}.mark`;

export const ADMIN = 'ops';

export interface OpenBox {
  readonly disk: string;
  readonly password: string;
  readonly pairingCode: string;
  /** Looks like a key, is none. */
  readonly key: string;
}

function answersOf(mark: string, { password, pairingCode }: Pick<OpenBox, 'password' | 'pairingCode'>): string {
  return `#cloud-config
spatium_preseed:
  unattended: true
  target_disk: /dev/vda
  confirm_wipe: true
  hostname: act-${mark.slice(0, 6)}
  admin_user: ${ADMIN}
  admin_password: "${password}"
  timezone: UTC
  after_install: poweroff
  role: appliance
  network: { mode: static, interface: enp0s2, ip: 10.0.2.15, prefix: 24, gateway: 10.0.2.2, dns: 10.0.2.3 }
  control_plane_url: "https://cp.example.test"
  pairing_code: "${pairingCode}"
`;
}

/** Installs one, in `dir`; a value that was built in could not make a test pass. */
export async function openBox(dir: string): Promise<OpenBox> {
  const isReady = READY_DISK !== '' && fs.existsSync(READY_DISK);
  const mark = isReady ? fs.readFileSync(markFile, 'utf8') : createHash('sha256').update(`${process.pid} ${Date.now()}`).digest('hex');
  const secrets = {
    password: `Zx9-${mark.slice(0, 14)}`,
    pairingCode: String(10_000_000 + (Number.parseInt(mark.slice(20, 28), 16) % 89_999_999)),
    key: `planted-${mark.slice(30, 44)}`,
  };
  if (isReady) {
    const disk = path.join(dir, 'ready.qcow2');
    fs.copyFileSync(READY_DISK, disk);
    return { disk, ...secrets };
  }
  const beganMs = Date.now();
  const disk = blankDisk(dir, 40);
  const volumes = [answerVolume(dir, answersOf(mark, secrets))];
  const vm = await Vm.start({ firmware: 'bios', iso: ISO, disk, volumes, hardware: directBoot(ISO, dir) });
  try {
    await vm.ended(INSTALL_MS, /HALTED|FAILED at .*|service ended: .*/);
    expect(vm.screen.raw).toMatch(/100%\] installed; (\d+) of \1 checks passed/);
  } finally {
    await vm.stop();
  }
  console.info(`installed: ${Math.round((Date.now() - beganMs) / 1000)} s`);
  if (READY_DISK !== '') {
    fs.copyFileSync(disk, READY_DISK);
    fs.writeFileSync(markFile, mark);
  }
  return { disk, ...secrets };
}
