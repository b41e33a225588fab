/** What the wizard needs from outside. The composition root hands it in; a rehearsal gets ports that touch nothing. */

import type { CheckLine } from '#installer/wizard/types.ts';
import type { Answers, InstallSecrets } from '#model/answers.ts';
import type { DiskIdentity, Machine } from '#model/machine.ts';
import type { EngineEvent, Plan } from '#model/plan.ts';

export interface WizardPorts {
  /** Settled answers to a plan. Throws with a sentence for the operator when they cannot make one. */
  makePlan(answers: Answers): Plan;
  printPlan(plan: Plan): string;
  /**
   * Runs a plan. Resolves when it ended, well or not: the last event is `finished` or `failed`.
   * Not called in a rehearsal.
   * @param confirmedDisk identity taken when erasing was confirmed; null when the answer file confirmed it
   */
  runPlan(plan: Plan, secrets: InstallSecrets, onEvent: (event: EngineEvent) => void, confirmedDisk: DiskIdentity | null): Promise<void>;
  /** The installation that was cut short, going on; absent when there is none that can. */
  readonly unfinished?: {
    readonly plan: Plan;
    /** As `runPlan`. */
    run(secrets: InstallSecrets, onEvent: (event: EngineEvent) => void): Promise<void>;
  };
  /** Probes the machine again; absent on a recorded machine. */
  probeAgain?(): Promise<Machine>;
  /** Switches the light of a disk's bay. Rejects with a sentence. */
  setLight?(kname: string, isOn: boolean): Promise<void>;
  /** Loads a console keyboard layout now. Resolves to what went wrong, or null. */
  applyKeymap?(keymap: string): Promise<string | null>;
  /** Body of an http(s) page with public keys, at most 64 KiB, within 10 s. Rejects with a sentence. */
  fetchText?(url: string): Promise<string>;
  /** Is there a control plane? One line a layer: name, connection, certificate, version. */
  probeControlPlane?(url: string, onLines: (lines: readonly CheckLine[]) => void): Promise<void>;
  /** Link, address, gateway, names, control plane: one line each, in order. Changes nothing. */
  testNetwork?(answers: Answers, onLines: (lines: readonly CheckLine[]) => void): Promise<void>;
  /** Copies the logs to where an operator can take them. Resolves to a sentence that says where. */
  saveLogs?(): Promise<string>;
}
