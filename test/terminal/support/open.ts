/** Consoles, wizards and status sockets that end with the test that opened them. */
import path from 'node:path';
import { atEnd } from '../../support/at-end.ts';
import { tempDir } from '../../support/temp.ts';
import { type ConsoleOptions, startConsole, statusStand } from './console.ts';
import { KEYS, type Pty } from './pty.ts';
import { startWizard, type WizardOptions } from './wizard.ts';

export function openConsole(options: ConsoleOptions): Pty {
  const pty = startConsole(options);
  atEnd(() => pty.close());
  return pty;
}

/** A healthy box behind a status socket in a folder of its own; `absent` sections do not apply. */
export async function openStand(absent: Parameters<typeof statusStand>[1] = []) {
  const socket = path.join(tempDir(), 'status.sock');
  const stand = await statusStand(socket, absent);
  atEnd(() => stand.close());
  return { socket, ...stand };
}

export function openWizard(options: WizardOptions = {}): Pty {
  const pty = startWizard(options);
  atEnd(() => pty.close());
  return pty;
}

/** Waits for the screen with that title. */
export const at = (pty: Pty, title: string): Promise<string> => pty.waitFor(new RegExp(`^ ${title} `));

/** Goes on from the screens at the start, which ask nothing, to the first that does. */
export async function pastStart(pty: Pty, next: string): Promise<void> {
  for (const title of ['Welcome', 'What this machine has']) {
    await at(pty, title);
    pty.send(KEYS.enter);
  }
  await at(pty, next);
}
