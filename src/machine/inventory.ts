/** One-off hardware inventory for a capture. Slow and heavy: the package is loaded, and its tools started, only when asked for. */

import type { RawCapture } from '#model/machine.ts';
import { messageOf } from '#system/complain.ts';
import { boundedText } from './raw.ts';

const INVENTORY_TIMEOUT_MS = 60_000;

async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The parts an operator sends along with a hardware question; a part that fails says why. */
export async function readInventory(): Promise<RawCapture> {
  const { default: si } = await import('systeminformation');
  const parts: Readonly<Record<string, () => Promise<unknown>>> = {
    system: () => si.system(),
    bios: () => si.bios(),
    baseboard: () => si.baseboard(),
    cpu: () => si.cpu(),
    memoryLayout: () => si.memLayout(),
    graphics: () => si.graphics(),
    diskLayout: () => si.diskLayout(),
  };
  const raw: Record<string, string> = {};
  for (const [name, read] of Object.entries(parts)) {
    try {
      raw[`inventory/${name}`] = boundedText(JSON.stringify(await within(read(), INVENTORY_TIMEOUT_MS)));
    } catch (error) {
      raw[`inventory/${name}`] = `not read: ${messageOf(error)}`;
    }
  }
  return raw;
}
