/** Waiting for something that is not on the screen of a machine. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Vm } from './qemu.ts';

const LOOK_MS = 200;

/** @throws Error with the screen and `more()` when the time is up or the machine is gone */
export async function until(vm: Vm | null, check: () => boolean, what: string, waitMs: number, more: () => string): Promise<void> {
  for (const endMs = Date.now() + waitMs; !check(); await pause(LOOK_MS))
    if (Date.now() > endMs || !vm?.running) throw new Error(`no ${what}; ${more()}\n${vm?.screen.text()}`);
}
