/** The one dialogue that all terminals share: the reducer's state, and the work it starts. */

import type { Effect } from '#installer/wizard/effects.ts';
import { openQuestions } from '#installer/wizard/judging.ts';
import { planSoFar } from '#installer/wizard/plan-so-far.ts';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import { relevantAnswers } from '#installer/wizard/questions.ts';
import { initialState, update, type WizardStart } from '#installer/wizard/state.ts';
import type { CheckLine, WizardEvent, WizardState } from '#installer/wizard/types.ts';
import type { InstallSecrets, NetworkAnswers } from '#model/answers.ts';
import type { EngineEvent, Plan } from '#model/plan.ts';
import { settleSecrets } from '#rules/settle.ts';

type OutsideEffect = Extract<Effect, { type: 'light' | 'probe' | 'test-network' | 'fetch-keys' | 'apply-keymap' | 'save-logs' }>;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class WizardStore {
  #state: WizardState;
  readonly #ports: WizardPorts;
  readonly #listeners = new Set<() => void>();

  constructor(start: WizardStart, ports: WizardPorts) {
    this.#state = initialState(start);
    this.#ports = ports;
  }

  readonly getState = (): WizardState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Takes an event; listeners hear only of changes. */
  send(event: WizardEvent): void {
    const { state, effects } = update(this.#state, event);
    if (state !== this.#state) {
      this.#state = state;
      for (const listener of this.#listeners) listener();
    }
    for (const effect of effects) this.#perform(effect);
  }

  /** Enter on one item, from the line dialogue. True when the screen did something of its own with it. */
  submit(id: string): boolean {
    const before = this.#state;
    this.send({ type: 'submit', id });
    return this.#state !== before;
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'finish':
        this.send({ type: 'finished', outcome: effect.outcome });
        break;
      case 'show-plan':
        this.#showPlan();
        break;
      case 'rehearse':
        this.#rehearse();
        break;
      case 'install':
        void this.#install();
        break;
      case 'continue':
        void this.#continue();
        break;
      case 'rescan':
        void this.#rescan();
        break;
      case 'light':
      case 'probe':
      case 'test-network':
      case 'fetch-keys':
      case 'apply-keymap':
      case 'save-logs':
        void this.#outside(effect);
        break;
    }
  }

  #showPlan(): void {
    const isComplete = openQuestions(this.#state).length === 0;
    const summary = planSoFar(this.#state);
    try {
      const text = isComplete ? this.#ports.printPlan(this.#makePlan()).split('\n') : [];
      this.send({ type: 'plan-text', lines: isComplete ? [...summary, '', ...text] : summary });
    } catch (error) {
      this.send({ type: 'plan-text', lines: [...summary, '', reasonOf(error)] });
    }
  }

  #makePlan(): Plan {
    return this.#ports.makePlan(relevantAnswers(this.#state));
  }

  #rehearse(): void {
    try {
      this.send({ type: 'plan', plan: this.#makePlan() });
      this.send({ type: 'finished', outcome: 'rehearsed' });
    } catch (error) {
      this.send({ type: 'trouble', message: reasonOf(error) });
    }
  }

  async #install(): Promise<void> {
    let plan: Plan;
    try {
      plan = this.#makePlan();
    } catch (error) {
      return this.send({ type: 'trouble', message: reasonOf(error) });
    }
    const { confirmedDisk } = this.#state;
    await this.#run(plan, (secrets, onEvent) => this.#ports.runPlan(plan, secrets, onEvent, confirmedDisk));
  }

  async #continue(): Promise<void> {
    const { unfinished } = this.#ports;
    if (!unfinished) return this.send({ type: 'trouble', message: 'A rehearsal goes on with nothing.' });
    await this.#run(unfinished.plan, (secrets, onEvent) => unfinished.run(secrets, onEvent));
  }

  async #run(plan: Plan, work: (secrets: InstallSecrets, onEvent: (event: EngineEvent) => void) => Promise<void>): Promise<void> {
    this.send({ type: 'plan', plan });
    let ended = false;
    const onEvent = (event: EngineEvent): void => {
      ended ||= event.type === 'failed' || event.type === 'finished';
      this.send({ type: 'engine', event });
    };
    try {
      await work(settleSecrets(relevantAnswers(this.#state)), onEvent);
      if (!ended) throw new Error('the installation ended without saying how');
    } catch (error) {
      if (ended) return;
      const failure = { type: 'failed', id: 'run', message: reasonOf(error), command: null, output: [], nothingWritten: false } as const;
      this.send({ type: 'engine', event: failure });
    }
  }

  async #rescan(): Promise<void> {
    const probe = this.#ports.probeAgain;
    if (!probe) return this.send({ type: 'trouble', message: 'This is a recorded machine; its disks do not change.' });
    try {
      const machine = await probe();
      this.send({ type: 'machine', machine, note: 'Looked again.' });
    } catch (error) {
      this.send({ type: 'trouble', message: `The disks could not be read again: ${reasonOf(error)}` });
    }
  }

  async #probe(url: string): Promise<string | null> {
    const { probeControlPlane } = this.#ports;
    if (probeControlPlane) await probeControlPlane(url, this.#linesFor(url));
    const isAwaited = this.#state.awaiting === url;
    this.send({ type: 'asked', about: url });
    return probeControlPlane || isAwaited ? null : 'A rehearsal asks no control plane.';
  }

  /** Shows the lines of a look-up on the screen that asked for it. */
  #linesFor(about: string): (lines: readonly CheckLine[]) => void {
    const { screen } = this.#state;
    return (lines) => this.send({ type: 'lookup', screen, about, lines, running: lines.some((line) => line.state === 'running') });
  }

  /** @param network what the screen holds now; left out: as answered */
  async #testNetwork(network: NetworkAnswers | undefined): Promise<string | null> {
    const { testNetwork } = this.#ports;
    if (!testNetwork) return 'A rehearsal tests no network.';
    const answers = relevantAnswers(this.#state);
    await testNetwork(network === undefined ? answers : { ...answers, network }, this.#linesFor('network'));
    return null;
  }

  async #outside(effect: OutsideEffect): Promise<void> {
    try {
      const said = await this.#askOutside(effect);
      if (said !== null) this.send({ type: 'trouble', message: said });
    } catch (error) {
      this.send({ type: 'trouble', message: reasonOf(error) });
    }
  }

  async #askOutside(effect: OutsideEffect): Promise<string | null> {
    switch (effect.type) {
      case 'light':
        await this.#ports.setLight?.(effect.kname, effect.isOn);
        return null;
      case 'apply-keymap':
        return this.#ports.applyKeymap ? this.#ports.applyKeymap(effect.keymap) : null;
      case 'save-logs':
        return (await this.#ports.saveLogs?.()) ?? 'There is nowhere to save the logs to.';
      case 'fetch-keys': {
        if (!this.#ports.fetchText) return 'A rehearsal fetches nothing; paste the key instead.';
        this.send({ type: 'keys-fetched', text: await this.#ports.fetchText(effect.url) });
        return null;
      }
      case 'probe':
        return this.#probe(effect.url);
      case 'test-network':
        return this.#testNetwork(effect.network);
    }
  }
}
