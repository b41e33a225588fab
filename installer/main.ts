/** `spatium-install`: wires the faces of an installation together. */

import { install } from '#installer/run/install.ts';
import { Refusal } from '#installer/run/load.ts';
import { probeInLines } from '#installer/run/look-outside.ts';
import { INSTALL_USAGE, readInstallOptions, UsageError } from '#installer/run/options.ts';
import { planText } from '#installer/run/plan-command.ts';
import { rehearse } from '#installer/run/rehearse.ts';
import type { Host, RunFace } from '#model/host.ts';
import { complain } from '#system/complain.ts';

const print = (text: string): void => {
  process.stdout.write(text);
};
/** A line end inside a line is spelled out too: what a file holds must not look like a line of ours. */
const complainLines = (lines: readonly string[]): void => complain(lines.map((line) => `${line.replaceAll('\n', '\\n')}\n`).join(''));

async function act(argv: readonly string[], host: Host): Promise<number> {
  const options = readInstallOptions(argv);
  switch (options.action) {
    case 'help':
      print(INSTALL_USAGE);
      return 0;
    case 'plan': {
      const { text, warnings } = await planText(options);
      complainLines(warnings);
      print(text);
      return 0;
    }
    case 'probe':
      return probeInLines(options.probe ?? '', options.format, print);
    case 'rehearse':
      return rehearse(options, host);
    case 'install':
      return install(options, host);
  }
}

export const run: RunFace = async (argv, host) => {
  try {
    return await act(argv, host);
  } catch (error) {
    if (error instanceof UsageError) {
      complainLines([`${host.program}: ${error.message}`, ...INSTALL_USAGE.split('\n').slice(0, 1), 'spatium-install --help tells more']);
      return 2;
    }
    if (!(error instanceof Refusal)) throw error;
    complainLines(error.lines);
    return error.exitCode;
  }
};
