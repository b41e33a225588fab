/** `spatium machine`: record a machine, make one from a listing, and say which of its disks may be installed on. */
import path from 'node:path';
import type { Host, RunFace } from '#model/host.ts';
import type { Firmware, Machine } from '#model/machine.ts';
import { disksAsJson, disksAsText } from '#rules/disk-report.ts';
import { judgeDisks, plain } from '#rules/disks.ts';
import { messageOf } from '#system/complain.ts';
import { NotAFileError, writeAtomic } from '#system/files.ts';
import { writeCapture } from './capture-file.ts';
import { listingGaps, machineFromLsblk } from './from-lsblk.ts';
import { FileError, loadCapture, named, readMachineFile, whyUnwritable } from './load-capture.ts';

const OK = 0;
const FAILED = 1;
const USAGE = 2;

const usageOf = (program: string): string => `usage: ${program} capture [-o FILE] [--inventory]
       ${program} import --lsblk FILE [--firmware uefi|bios] [-o FILE]
       ${program} disks [--machine FILE] [--format text|json]

capture    record this machine as JSON (standard output, or FILE); run it as root, or much stays unknown
import     make a capture from nothing but the output of: lsblk -J -b -O (which knows no firmware: UEFI, if --firmware is left out)
disks      say for every disk of this machine, or of a capture, whether it may be installed on, and why not
FILE -     standard input or output

exit status: 0 done, 1 the file cannot be used or probing failed, 2 usage error or unreadable file
`;

/** Wrong command line: answered with the usage and exit status 2. */
class UsageError extends Error {}

interface Words {
  readonly options: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
}

/** Splits `--name value`, `--name=value`, `-o value` and bare flags; anything else is a usage error. */
function readWords(argv: readonly string[], withValue: readonly string[], flags: readonly string[] = []): Words {
  const options = new Map<string, string>();
  const seen = new Set<string>();
  for (let i = 0; i < argv.length; i += 1) {
    const [, name = '', glued] = /^(-o|--[a-z0-9-]+)(?:=(.*))?$/s.exec(argv[i] ?? '') ?? [];
    if (flags.includes(name) && glued === undefined) {
      seen.add(name);
      continue;
    }
    if (!withValue.includes(name)) throw new UsageError(`unexpected argument "${argv[i]}"`);
    const value = glued ?? argv[i + 1];
    if (value === undefined || value === '') throw new UsageError(`${name} needs a value`);
    if (options.has(name)) throw new UsageError(`${name} is given twice`);
    options.set(name, value);
    if (glued === undefined) i += 1;
  }
  return { options, flags: seen };
}

async function writeOutput(file: string | undefined, text: string): Promise<void> {
  if (file === undefined || file === '-') {
    await new Promise<void>((done) => process.stdout.write(text, () => done()));
    return;
  }
  try {
    await writeAtomic(path.resolve(file), text);
  } catch (error) {
    if (error instanceof NotAFileError) throw new FileError(`cannot write: ${error.message}; leave -o out to write to standard output`);
    throw new FileError(`cannot write ${file}: ${whyUnwritable(file, error)}`);
  }
}

function firmwareOf(word: string | undefined): Firmware {
  if (word === undefined || word === 'uefi') return 'uefi';
  if (word === 'bios') return 'bios';
  throw new UsageError(`--firmware is uefi or bios, not "${word}"`);
}

async function importListing(argv: readonly string[]): Promise<number> {
  const { options } = readWords(argv, ['--lsblk', '--firmware', '-o', '--output']);
  const file = options.get('--lsblk');
  if (file === undefined) throw new UsageError('import needs --lsblk FILE');
  const firmware = firmwareOf(options.get('--firmware'));
  const bytes = await readMachineFile(file);
  const machine = named(file, () => machineFromLsblk(bytes, { firmware }));
  const gaps = listingGaps(bytes);
  if (gaps !== null) process.stderr.write(`note: ${plain(gaps)}\n`);
  await writeOutput(options.get('-o') ?? options.get('--output'), writeCapture(machine));
  return OK;
}

/** Much of a machine is readable by root only, and would silently be missing. */
function noteIfNotRoot(): void {
  if (process.getuid?.() !== 0) process.stderr.write('note: not root, so serial numbers, maker and what is on the disks may be missing\n');
}

async function capture(argv: readonly string[]): Promise<number> {
  const { options, flags } = readWords(argv, ['-o', '--output'], ['--inventory']);
  noteIfNotRoot();
  const { probeMachine } = await import('./probe.ts');
  const machine = await probeMachine({ raw: true, inventory: flags.has('--inventory') });
  await writeOutput(options.get('-o') ?? options.get('--output'), writeCapture(machine));
  return OK;
}

async function machineOf(file: string | undefined): Promise<Machine> {
  if (file === undefined) {
    noteIfNotRoot();
    const { probeMachine } = await import('./probe.ts');
    return probeMachine();
  }
  return loadCapture(file);
}

async function disks(argv: readonly string[]): Promise<number> {
  const { options } = readWords(argv, ['--machine', '--format']);
  const format = options.get('--format') ?? 'text';
  if (format !== 'text' && format !== 'json') throw new UsageError(`--format is text or json, not "${format}"`);
  const machine = await machineOf(options.get('--machine'));
  const verdicts = judgeDisks(machine);
  await writeOutput(undefined, format === 'json' ? disksAsJson(verdicts) : disksAsText(machine, verdicts));
  return OK;
}

async function dispatch(argv: readonly string[], host: Host): Promise<number> {
  const [command, ...rest] = argv;
  if (command === '--help' || command === '-h' || rest.includes('--help') || rest.includes('-h')) {
    await writeOutput(undefined, usageOf(host.program));
    return OK;
  }
  switch (command) {
    case 'capture':
      return capture(rest);
    case 'import':
      return importListing(rest);
    case 'disks':
      return disks(rest);
    case undefined:
      throw new UsageError('a command is needed');
    default:
      throw new UsageError(`no such command "${command}"`);
  }
}

export const run: RunFace = async (argv, host) => {
  try {
    return await dispatch(argv, host);
  } catch (error) {
    // A message may quote a file or an argument; neither may move the cursor of a terminal.
    const message = plain(messageOf(error));
    if (error instanceof UsageError) {
      process.stderr.write(`${host.program}: ${message}\n${usageOf(host.program)}`);
      return USAGE;
    }
    process.stderr.write(`${host.program}: ${message}\n`);
    return error instanceof FileError ? USAGE : FAILED;
  }
};
