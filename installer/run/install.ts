/** `spatium-install` without an option: find the answers, then the unattended run or the wizard. */
import { probeMachine } from '#machine/probe.ts';
import type { Answers } from '#model/answers.ts';
import { isError } from '#model/finding.ts';
import type { Host } from '#model/host.ts';
import { PRODUCT_NAME } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import { type Found, findAnswerFile } from '#preseed/find.ts';
import { findPorts } from '#preseed/find-ports.ts';
import { lintRead } from '#preseed/lint.ts';
import { messageOf } from '#system/complain.ts';
import { ConsoleLines } from '#system/console-lines.ts';
import { run } from '#system/run.ts';
import { halt, installUnattended, type Surroundings } from './installation.ts';
import { isLockedImage, readConsoleDevices, readKernelCommandLine } from './kernel.ts';
import { NO_ANSWERS, Refusal, readAnswerFile } from './load.ts';
import { findSystemImage } from './medium.ts';
import type { InstallOptions } from './options.ts';
import { findingText } from './prepare.ts';
import { installByWizard } from './wizard.ts';

const NO_IMAGE = [
  'No system image was found: this is not the installer medium.',
  'Start the machine from the medium, or name an image with --source FILE.',
  'To try the wizard without touching a disk: spatium-install --rehearse',
];

async function find(options: InstallOptions, machine: Machine, cmdline: string): Promise<Found> {
  if (options.preseed === null) return findAnswerFile(findPorts(machine, cmdline, run));
  return { kind: 'found', source: options.preseed, read: await readAnswerFile(options.preseed), skipped: [] };
}

interface Start {
  readonly options: InstallOptions;
  readonly host: Host;
  readonly machine: Machine;
  readonly around: Surroundings;
  readonly devices: readonly string[];
  readonly consoles: ConsoleLines;
}

/** What was found decides who answers the rest: nobody, or a person. */
async function act(start: Start, found: Found): Promise<number> {
  const { consoles, machine, around } = start;
  await consoles.lines(found.skipped.map((s) => `passed over: ${s.source}: ${s.why}`));
  if (found.kind === 'halt') return halt(consoles, found.reasons, found.source, { machine, planDisks: [] });
  let answers: Answers = NO_ANSWERS;
  if (found.kind === 'found') {
    const lint = lintRead(found.read, machine);
    const errors = lint.findings.filter(isError);
    if (errors.length > 0) {
      const reasons = errors.map((f) => `ERROR: line ${f.line}, column ${f.column}: ${findingText(f)}`);
      return halt(consoles, reasons, found.source, { machine, planDisks: [] });
    }
    answers = found.read.answers;
    if (lint.isFullyUnattended) return installUnattended(answers, machine, around, consoles, found.source);
    await consoles.lines([`answers: ${found.source}; still to be asked: ${lint.willAsk.join(', ') || 'nothing'}`]);
  }
  return installByWizard({ ...start, answers });
}

/** @throws Refusal when there is nothing to install from, or this user may not */
export async function install(options: InstallOptions, host: Host): Promise<number> {
  if (process.getuid?.() !== 0) throw new Refusal(['Run as root. To try the wizard without root: spatium-install --rehearse']);
  const devices = options.allConsoles ? await readConsoleDevices() : options.terminals;
  const consoles = new ConsoleLines(devices);
  try {
    const sourceSquashfs = options.source ?? (await findSystemImage());
    if (sourceSquashfs === null) {
      if (!options.allConsoles) throw new Refusal(NO_IMAGE);
      return await halt(consoles, NO_IMAGE, null);
    }
    // On a slow machine the look takes a while, and until now the line has been dark since the boot menu.
    if (options.allConsoles) await consoles.lines([`${PRODUCT_NAME} installer ${host.version}: looking at this machine ...`]);
    const cmdline = await readKernelCommandLine();
    const machine = await probeMachine();
    const around = { sourceSquashfs, cmdline, isLocked: await isLockedImage() };
    return await act({ options, host, machine, around, devices, consoles }, await find(options, machine, cmdline));
  } catch (error) {
    if (error instanceof Refusal || !options.allConsoles) throw error;
    // Nobody reads standard error on a medium.
    return await halt(consoles, [`unexpected: ${messageOf(error)}`], null);
  } finally {
    consoles.close();
  }
}
