/** The wizard's composition root: one dialogue, shown on every terminal that was handed in. */
import '#ui/terminal/ink-environment.ts';

import { type Instance, render } from 'ink';
import { isInterrupt } from '#installer/wizard/keys.ts';
import { startLineMode } from '#installer/wizard/line-mode.ts';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import { relevantAnswers } from '#installer/wizard/questions.ts';
import { WizardStore } from '#installer/wizard/store.ts';
import type { Surroundings, WizardMode, WizardOutcome } from '#installer/wizard/types.ts';
import type { UnfinishedView } from '#installer/wizard/unfinished-view.ts';
import { App } from '#installer/wizard/view/app.tsx';
import { fits } from '#installer/wizard/view/fits.ts';
import { WARM_KEYS, WARM_MACHINE, WARM_PORTS, WARM_SURROUNDINGS } from '#installer/wizard/warm-up.ts';
import type { Answers } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import type { Plan } from '#model/plan.ts';
import { detectProfile, type TerminalProfile } from '#ui/profile.ts';
import type { RawInput } from '#ui/terminal/input.ts';
import { LineReader } from '#ui/terminal/line-reader.ts';
import type { RawOutput } from '#ui/terminal/screen.ts';
import { guardTerminals, inkOptions, openTerminal, type Terminal } from '#ui/terminal/terminal.ts';

const WARM_KEY_MS = 90;

export interface TerminalSpec {
  /** What an operator calls it: `tty1`, `ttyS0`. */
  readonly name: string;
  readonly input: RawInput;
  readonly output: RawOutput;
  readonly profile: TerminalProfile;
}

export interface WizardOptions {
  readonly machine: Machine;
  /** Pre-filled from an answer file; empty when there is none. */
  readonly answers: Answers;
  readonly mode: WizardMode;
  readonly surroundings: Surroundings;
  /** At least one. Whoever types drives; all show the same. */
  readonly terminals: readonly TerminalSpec[];
  readonly ports: WizardPorts;
  /** An installation that was cut short on a disk of this machine; left out: none was looked for. */
  readonly unfinished?: UnfinishedView | null;
}

export interface WizardResult {
  readonly outcome: WizardOutcome;
  /** As given, those included that the chosen role does not use. */
  readonly answers: Answers;
  /** null when the operator left before there was one. */
  readonly plan: Plan | null;
}

const untilOver = (store: WizardStore): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (store.getState().outcome === null) return;
      stop();
      resolve();
    };
    const stop = store.subscribe(look);
    look();
  });

function show(store: WizardStore, terminal: Terminal, name: string, isShared: boolean): Instance {
  terminal.input.on('key', (key) => {
    if (fits(terminal.screen) || isInterrupt(key)) store.send({ type: 'key', key, terminal: name });
  });
  return render(<App store={store} isShared={isShared} />, inkOptions(terminal));
}

/** A terminal that shows the dialogue; `end` gives it back. */
interface Shown {
  end(): void;
}

async function showOnScreen(
  store: WizardStore,
  spec: TerminalSpec,
  isShared: boolean,
  onHangup: () => void,
): Promise<Shown & { terminal: Terminal }> {
  const terminal = await openTerminal(spec.input, spec.output, spec.profile);
  terminal.input.on('hangup', onHangup);
  const instance = show(store, terminal, spec.name, isShared);
  const end = (): void => {
    instance.unmount();
    terminal.close();
  };
  return { terminal, end };
}

function showInLines(store: WizardStore, spec: TerminalSpec, onHangup: () => void): Shown & { interrupt(): void } {
  const reader = new LineReader(spec.input, spec.output);
  const { over, interrupt } = startLineMode(store, reader, (text) => spec.output.write(text));
  void over.then(onHangup);
  return { interrupt, end: () => reader.close() };
}

/** When nobody is left to answer: at once, or when the disk is no longer being written. */
function endUnwatched(store: WizardStore): void {
  const { outcome, screen, run } = store.getState();
  if (outcome !== null) return;
  if (screen === 'progress') {
    const stop = store.subscribe(() => {
      stop();
      endUnwatched(store);
    });
    return;
  }
  store.send({ type: 'finished', outcome: run?.finished ? 'installed' : run?.failure ? 'failed' : 'left' });
}

/** Runs the dialogue to its end. In a rehearsal the plan is then printed on every terminal. */
export async function runWizard(options: WizardOptions): Promise<WizardResult> {
  const store = new WizardStore(options, options.ports);
  const isShared = options.terminals.length > 1;
  // A line that hangs up takes only itself away, unless it was the last one.
  let left = options.terminals.length;
  const onHangup = (): void => {
    left--;
    if (left === 0) endUnwatched(store);
  };
  const onScreens = await Promise.all(
    options.terminals.filter((spec) => spec.profile.addressable).map((spec) => showOnScreen(store, spec, isShared, onHangup)),
  );
  const inLines = options.terminals.filter((spec) => !spec.profile.addressable).map((spec) => showInLines(store, spec, onHangup));
  const onInterrupt = (): void => inLines[0]?.interrupt();
  const stopGuarding = guardTerminals(
    onScreens.map((shown) => shown.terminal),
    inLines.length > 0 ? onInterrupt : undefined,
  );
  await untilOver(store);
  for (const shown of [...onScreens, ...inLines]) shown.end();
  stopGuarding();
  const { outcome, plan } = store.getState();
  if (outcome === 'rehearsed' && plan) {
    const text = options.ports.printPlan(plan);
    for (const spec of options.terminals) spec.output.write(`${text}\n`);
  }
  return { outcome: outcome ?? 'left', answers: relevantAnswers(store.getState()), plan };
}

/** Called by the build on a terminal that leads nowhere, before the code cache is made. */
export async function warm(fake: {
  readonly stdin: RawInput & { write(text: string): unknown; end(): unknown };
  readonly stdout: RawOutput;
}): Promise<void> {
  const profile = detectProfile({ TERM: 'linux', LANG: 'C.UTF-8' });
  const over = runWizard({
    machine: WARM_MACHINE,
    answers: {},
    mode: 'rehearse',
    surroundings: WARM_SURROUNDINGS,
    terminals: [{ name: 'warm', input: fake.stdin, output: fake.stdout, profile }],
    ports: WARM_PORTS,
  });
  for (const keys of WARM_KEYS) {
    await new Promise((resolve) => setTimeout(resolve, WARM_KEY_MS));
    fake.stdin.write(keys);
  }
  fake.stdin.end();
  await over;
}
