/** What the machine is: firmware, maker, processor, memory, the accounts of the running image. */
import os from 'node:os';
import type { Firmware, Machine } from '#model/machine.ts';
import type { Sources } from './sources.ts';

/** UEFI exactly when the kernel has its tables. */
export const probeFirmware = async (sources: Sources): Promise<Firmware> =>
  (await sources.names('/sys/firmware/efi')).length > 0 ? 'uefi' : 'bios';

const DMI = '/sys/class/dmi/id';
/** What makers leave in when they fill nothing in. */
const FILLER =
  /^(?:to be filled by o\.e\.m\.|default string|system (?:manufacturer|product name|serial number)|not specified|none|n\/a|0+|o\.e\.m\.)$/i;

async function dmiText(sources: Sources, name: string): Promise<string | null> {
  const text = await sources.text(`${DMI}/${name}`);
  return text === null || FILLER.test(text) ? null : text;
}

/** From SMBIOS, without what makers leave unfilled; null when nothing is left. */
export async function probeProduct(sources: Sources): Promise<Machine['product']> {
  const [vendor, name, serial, uuid] = await Promise.all(
    ['sys_vendor', 'product_name', 'product_serial', 'product_uuid'].map((field) => dmiText(sources, field)),
  );
  const product = { vendor: vendor ?? null, name: name ?? null, serial: serial ?? null, uuid: uuid ?? null };
  return Object.values(product).every((v) => v === null) ? null : product;
}

/** Logical processors that are on, from the kernel's own list. */
export async function probeCpuCount(sources: Sources): Promise<number | null> {
  const ranges = (await sources.text('/sys/devices/system/cpu/online'))?.split(',') ?? [];
  const counts = ranges.map((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return first === undefined || last === undefined || Number.isNaN(first) || Number.isNaN(last) ? 0 : last - first + 1;
  });
  const total = counts.reduce((a, b) => a + b, 0);
  return total > 0 ? total : null;
}

/** MemTotal: what the kernel has, a little less than what is fitted. */
export async function probeMemoryBytes(sources: Sources): Promise<number | null> {
  const kib = /^MemTotal:\s+(\d+) kB$/m.exec((await sources.text('/proc/meminfo')) ?? '')?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

/** Names in the running image's passwd: no operator may have one of them. null: it cannot be read. */
export async function probeAccounts(sources: Sources): Promise<readonly string[] | null> {
  const passwd = await sources.text('/etc/passwd');
  if (passwd === null) return null;
  return passwd.split('\n').flatMap((line) => {
    const name = line.split(':')[0] ?? '';
    return name === '' || name.startsWith('#') ? [] : [name];
  });
}

/** As `uname -m` prints it. */
export const probeArchitecture = (): string => os.machine();
