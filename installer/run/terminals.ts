/** Which terminals the wizard talks on. */
import path from 'node:path';
import type { TerminalSpec } from '#installer/wizard-main.tsx';
import { openTty, ownTerminal } from '#system/tty.ts';
import { detectProfile, type Environment, type ProfileFlags, type TerminalProfile } from '#ui/profile.ts';
import { Refusal } from './load.ts';
import type { InstallOptions } from './options.ts';

function profileFlags(options: InstallOptions): ProfileFlags {
  return { ...(options.glyphs ? { glyphs: options.glyphs } : {}), ...(options.monochrome ? { colour: 'mono' } : {}) };
}

/** A virtual terminal is `linux`; of a serial line only the oldest common ground is known. */
const environmentOf = (device: string): Environment =>
  /^tty\d+$/.test(path.basename(device)) ? { TERM: 'linux', LANG: 'C.UTF-8' } : { TERM: 'vt220' };

function specOf(device: string, flags: ProfileFlags): TerminalSpec | null {
  try {
    const { input, output } = openTty(device);
    // A line that is pulled out takes only itself away, never a running installation.
    for (const stream of [input, output]) stream.on('error', () => undefined);
    return { name: path.basename(device), input, output, profile: detectProfile(environmentOf(device), flags) };
  } catch {
    return null; // named as a console, but not in this box
  }
}

/**
 * The given devices, or the terminal this was started from.
 * @throws Refusal when there is none to talk on
 */
export function openTerminals(devices: readonly string[], options: InstallOptions): readonly TerminalSpec[] {
  const flags = profileFlags(options);
  if (devices.length > 0) {
    const specs = devices.flatMap((device) => specOf(device, flags) ?? []);
    if (specs.length === 0) throw new Refusal([`none of ${devices.join(', ')} can be opened as a terminal`]);
    return specs;
  }
  const own = ownTerminal();
  if (!own)
    throw new Refusal(['The wizard needs a terminal on standard input and output. For an answer file: --plan, or --check-preseed.']);
  const profile: TerminalProfile = detectProfile(process.env, flags);
  return [{ name: 'this terminal', ...own, profile }];
}
