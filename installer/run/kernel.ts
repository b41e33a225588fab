/** What the kernel of the medium was told, and which consoles it talks on. */
import { PATHS } from '#model/limits.ts';
import { exists, readTextIfExists } from '#system/files.ts';

/** Words of a kernel command line; double quotes keep blanks together. */
export const kernelWords = (cmdline: string): readonly string[] => cmdline.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];

/** Words after `---` belong to the installed system too, as Debian's installer has it. */
export function wordsForTarget(cmdline: string): readonly string[] {
  const words = kernelWords(cmdline);
  const mark = words.lastIndexOf('---');
  return mark < 0 ? [] : words.slice(mark + 1).filter((word) => /^[\w.,:=/@+%-]+$/.test(word));
}

/**
 * Devices of the kernel's consoles, from /sys/class/tty/console/active (`tty0 ttyS0`). tty0 is whichever virtual
 * terminal is in front, so the first one stands for it.
 */
export const consoleDevices = (active: string): readonly string[] => {
  const names = active.split(/\s+/).filter((name) => /^[A-Za-z][A-Za-z0-9]*$/.test(name));
  return [...new Set(names.map((name) => (name === 'tty0' ? '/dev/tty1' : `/dev/${name}`)))];
};

export async function readConsoleDevices(): Promise<readonly string[]> {
  return consoleDevices((await readTextIfExists('/sys/class/tty/console/active')) ?? '');
}

export const readKernelCommandLine = async (): Promise<string> => (await readTextIfExists('/proc/cmdline')) ?? '';

/** Is this the medium of an image that nobody may log in to? */
export const isLockedImage = (): Promise<boolean> => exists(PATHS.lockedMark);
