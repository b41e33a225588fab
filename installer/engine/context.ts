/** What every step is given: the plan, the way to run commands, and the way to speak. */
import type { InstallSecrets } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import type { EngineEvent, Plan, SecretName, StepAction, StepKind, VerifyCheck } from '#model/plan.ts';
import type { Secret } from '#model/secret.ts';
import type { Log } from '#system/log.ts';
import { CommandError, type Runner, type RunOptions, type RunResult, succeeded } from '#system/run.ts';

export interface EngineOptions {
  readonly secrets: InstallSecrets;
  /** The system image of the medium, as it was built; never the running session. */
  readonly sourceSquashfs: string;
  /** Directory on the medium for the log, the journal and what `extraLogs` adds; made when missing. */
  readonly logDir: string;
  /** Looks at the machine again. */
  readonly reprobe: () => Promise<Machine>;
  readonly onEvent: (event: EngineEvent) => void;
  /** Default `/mnt/target`. */
  readonly targetRoot?: string;
  /** Ends the run at the next safe place. */
  readonly signal?: AbortSignal;
  /** The rules, asked once more about the freshly probed machine; an error stops the run with nothing written. */
  readonly judgeAgain?: (machine: Machine) => readonly Finding[];
  /** More files to keep beside the installation's own log. */
  readonly extraLogs?: readonly string[];
  /** Continue a run of the same plan that was cut short: steps its journal calls done are skipped. */
  readonly resume?: boolean;
  readonly runner?: Runner;
  readonly now?: () => Date;
}

/** A step cannot go on. The message is for an operator: what is wrong, and what to do. */
export class StepFailure extends Error {
  readonly result: RunResult | null;

  constructor(message: string, result: RunResult | null = null) {
    super(message);
    this.name = 'StepFailure';
    this.result = result;
  }
}

export interface Progress {
  /** Part of this step that is done, 0 to 1. */
  readonly fraction: number;
  readonly bytesPerSecond?: number;
  readonly detail?: string;
}

export interface StepContext {
  readonly plan: Plan;
  readonly options: EngineOptions;
  readonly root: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly checks: VerifyCheck[];
  readonly warnings: string[];
  /** Runs a command to any end; it and its output go to the log. */
  readonly tryRun: (argv: readonly string[], options?: RunOptions) => Promise<RunResult>;
  /** Runs a command that must succeed; gives its output. Throws CommandError. */
  readonly run: (argv: readonly string[], options?: RunOptions) => Promise<string>;
  /** The same, inside the installed system. */
  readonly runInTarget: (argv: readonly string[], options?: RunOptions) => Promise<string>;
  readonly progress: (progress: Progress) => void;
  /** Told right before the first byte of a disk changes. */
  readonly willWrite: () => void;
  readonly nothingWritten: () => boolean;
  readonly warn: (text: string) => void;
}

export type StepRunner<K extends StepKind> = (action: Extract<StepAction, { kind: K }>, context: StepContext) => Promise<void>;

const LONG_MS = 600_000;

/** Command runners that write to the log. Secrets are registered with the log, and arguments never hold any. */
export function loggedRunners(runner: Runner, log: Log, root: string, signal: AbortSignal) {
  const tryRun = async (argv: readonly string[], options: RunOptions = {}): Promise<RunResult> => {
    log.write(`$ ${argv.map((a) => (/^[A-Za-z0-9_./:=,@%+-]+$/.test(a) ? a : JSON.stringify(a))).join(' ')}`);
    const result = await runner(argv, {
      timeoutMs: LONG_MS,
      signal,
      ...options,
      onLine: (line, stream) => (options.onLine ? options.onLine(line, stream) : log.write(`  ${line}`)),
    });
    if (!succeeded(result)) log.write(`  -> ${result.kind === 'exited' ? `exit status ${result.code}` : result.kind}`);
    return result;
  };
  const run = async (argv: readonly string[], options: RunOptions = {}): Promise<string> => {
    const result = await tryRun(argv, options);
    if (!succeeded(result)) throw new CommandError(result);
    return result.stdout;
  };
  const runInTarget = (argv: readonly string[], options: RunOptions = {}) => run(['chroot', root, ...argv], options);
  return { tryRun, run, runInTarget };
}

/** The secret of that name. Throws StepFailure when the run was started without it. */
export function secretOf(secrets: InstallSecrets, name: SecretName): Secret {
  const byName: Readonly<Record<SecretName, Secret | null>> = {
    admin_password: secrets.adminPassword,
    admin_password_hash: secrets.adminPasswordHash,
    pairing_code: secrets.pairingCode,
  };
  const secret = byName[name];
  if (secret === null) throw new StepFailure(`the plan needs ${name}, and this run was started without it`);
  return secret;
}
