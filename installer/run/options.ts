/** The words of `spatium-install`, read into what is asked for. */
import { parseArgs } from 'node:util';
import { messageOf } from '#system/complain.ts';

export type InstallAction = 'install' | 'plan' | 'rehearse' | 'probe' | 'help';

export interface InstallOptions {
  readonly action: InstallAction;
  readonly preseed: string | null;
  readonly machine: string | null;
  /** Address of a control plane to look for. */
  readonly probe: string | null;
  readonly format: 'text' | 'json';
  /** Terminals to talk on, `/dev/tty1`; empty: the one this was started from. */
  readonly terminals: readonly string[];
  /** Talk on every console of the kernel. */
  readonly allConsoles: boolean;
  readonly source: string | null;
  readonly glyphs: 'ascii' | 'unicode' | null;
  readonly monochrome: boolean;
}

export const INSTALL_USAGE = `usage: spatium-install [OPTION...]

Without an option: the installer. Run as root on the installer medium; an answer file is picked up by itself.

  --check-preseed FILE...   lint answer files; touches nothing (spatium check --help)
  --plan                    with --preseed: print what an installation would do; touches nothing
  --rehearse                the real wizard on a recorded machine, ending in the printed plan; no root
  --probe URL               ask whether a control plane answers there; touches nothing
  --preseed FILE            take the answers from FILE
  --machine CAPTURE         work on a recorded machine (spatium machine capture)
  --format text|json        form of the printed plan
  --console                 talk on tty1 and every serial console of the kernel
  --terminal DEV            talk on DEV; may be given more than once
  --source FILE             squashfs to install from (default: the one on the medium)
  --ascii, --mono           plain characters, no colour
  --version, --help

exit: 0 done, 1 refused or failed with the reason printed, 2 wrong call or unreadable file
`;

/** Thrown for a wrong call; the message is one sentence. */
export class UsageError extends Error {}

const SPEC = {
  plan: { type: 'boolean' },
  rehearse: { type: 'boolean' },
  probe: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  console: { type: 'boolean' },
  ascii: { type: 'boolean' },
  mono: { type: 'boolean' },
  preseed: { type: 'string' },
  machine: { type: 'string' },
  format: { type: 'string' },
  source: { type: 'string' },
  terminal: { type: 'string', multiple: true },
} as const;

/** @throws UsageError for unknown or contradicting words */
export function readInstallOptions(argv: readonly string[]): InstallOptions {
  let values: ReturnType<typeof parse>;
  const parse = () => parseArgs({ args: [...argv], options: SPEC, strict: true, allowPositionals: false }).values;
  try {
    values = parse();
  } catch (error) {
    throw new UsageError(messageOf(error).split('. ')[0] ?? 'wrong option');
  }
  if (values.plan && values.rehearse) throw new UsageError('--plan and --rehearse exclude each other');
  const format = values.format ?? 'text';
  if (format !== 'text' && format !== 'json') throw new UsageError('--format is text or json');
  if (values.plan && !values.help && values.preseed === undefined)
    throw new UsageError('--plan needs the answers of an installation: --preseed FILE (spatium preseed init writes a starter)');
  if (values.machine && !values.plan && !values.rehearse) {
    throw new UsageError('--machine goes with --plan or --rehearse; an installation is made on this machine');
  }
  return {
    action: values.help ? 'help' : values.plan ? 'plan' : values.rehearse ? 'rehearse' : values.probe === undefined ? 'install' : 'probe',
    preseed: values.preseed ?? null,
    machine: values.machine ?? null,
    probe: values.probe ?? null,
    format,
    terminals: values.terminal ?? [],
    allConsoles: values.console ?? false,
    source: values.source ?? null,
    glyphs: values.ascii ? 'ascii' : null,
    monochrome: values.mono ?? false,
  };
}
