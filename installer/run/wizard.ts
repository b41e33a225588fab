/** An installation that a person answers, on every console of the medium or on this terminal. */

import { printPlan } from '#installer/plan/print-plan.ts';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import { probeMachine } from '#machine/probe.ts';
import { probeSurroundings } from '#machine/surroundings.ts';
import type { Answers } from '#model/answers.ts';
import type { Host } from '#model/host.ts';
import { PRODUCT_NAME } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import type { EngineEvent } from '#model/plan.ts';
import { run } from '#system/run.ts';
import { runHere, type Surroundings } from './installation.ts';
import { wordsForTarget } from './kernel.ts';
import { applyKeymap } from './keyboard.ts';
import { locatableDisks, setLight } from './locate.ts';
import { fetchKeys, probeControlPlane } from './look-outside.ts';
import { afterWizard, endMedium, LOG_DIR, leavesTo, markForShell } from './medium.ts';
import type { InstallOptions } from './options.ts';
import { loadWizard, planMaker } from './rehearse.ts';
import { plainVersion } from './release.ts';
import { machineForRetry } from './retry.ts';
import { saveLogs } from './save-logs.ts';
import { openTerminals } from './terminals.ts';
import { testNetwork } from './test-network.ts';
import { findUnfinished, type Unfinished } from './unfinished.ts';

export interface WizardStart {
  readonly options: InstallOptions;
  readonly host: Host;
  readonly machine: Machine;
  readonly answers: Answers;
  readonly around: Surroundings;
  readonly devices: readonly string[];
}

/** The run that was cut short, going on. Its journal is put in place once: a second attempt goes on from the first. */
function continuing({ plan, view, resumeIn }: Unfinished, around: Surroundings): NonNullable<WizardPorts['unfinished']> {
  let isInPlace = false;
  return {
    plan,
    run: async (secrets, onEvent) => {
      if (!isInPlace) await resumeIn(LOG_DIR);
      isInPlace = true;
      const given: Answers = {
        ...view.answers,
        confirm_wipe: 'true',
        ...(secrets.adminPassword ? { admin_password: secrets.adminPassword } : {}),
        ...(secrets.adminPasswordHash ? { admin_password_hash: secrets.adminPasswordHash } : {}),
        ...(secrets.pairingCode ? { pairing_code: secrets.pairingCode } : {}),
      };
      // The first part has written, whatever this one does.
      await runHere({ plan, answers: given, secrets, resume: { needs: view.needs } }, around, (event) =>
        onEvent(event.type === 'failed' ? { ...event, nothingWritten: false } : event),
      );
    },
  };
}

function portsFor(start: WizardStart, begun: Unfinished | null): WizardPorts {
  let machine = start.machine;
  let judged = start.answers;
  let planDisks: readonly string[] = [];
  let hasWritten = false;
  const makePlan = planMaker(() => machine, wordsForTarget(start.around.cmdline), start.around.isLocked);
  return {
    ...(begun !== null && begun.view.refusal === null ? { unfinished: continuing(begun, start.around) } : {}),
    makePlan: (answers) => {
      judged = answers;
      return makePlan(answers);
    },
    printPlan,
    runPlan: async (plan, secrets, onEvent) => {
      planDisks = plan.disks.map(({ disk }) => disk.kname);
      const failures: Extract<EngineEvent, { type: 'failed' }>[] = [];
      const result = await runHere({ plan, answers: judged, secrets }, start.around, (event) =>
        event.type === 'failed' ? failures.push(event) : onEvent(event),
      );
      // Before the failure is shown, since trying again is offered with it.
      if (result.failure && !result.nothingWritten)
        machine = await probeMachine().then(
          (now) => machineForRetry(plan, machine, now),
          () => machine,
        );
      hasWritten ||= !result.nothingWritten;
      // The engine knows this run only; an earlier one may have written.
      for (const failure of failures) onEvent({ ...failure, nothingWritten: !hasWritten });
    },
    probeAgain: async () => {
      machine = await probeMachine();
      return machine;
    },
    // Probed again: a disk for the logs is plugged in after the failure.
    saveLogs: async () => saveLogs(await probeMachine(), { logDir: LOG_DIR, planDisks, runner: run, now: new Date() }),
    setLight: (kname, isOn) => setLight(machine, kname, isOn),
    applyKeymap: (keymap) => applyKeymap(keymap),
    fetchText: fetchKeys,
    probeControlPlane: (url, onLines) => probeControlPlane(url, onLines),
    // The links may have changed since the start.
    testNetwork: async (answers, onLines) => testNetwork(answers, { ...machine, interfaces: (await probeMachine()).interfaces }, onLines),
  };
}

/** Exit code 0 when the appliance was installed. */
export async function installByWizard(start: WizardStart): Promise<number> {
  const runWizard = await loadWizard(start.host);
  const found = await probeSurroundings(start.machine);
  const { sourceSquashfs, cmdline } = start.around;
  const [begun = null] = await findUnfinished(start.machine, { sourceSquashfs, extraKernelWords: wordsForTarget(cmdline) });
  const facts = { cmdline, isLocked: start.around.isLocked, allConsoles: start.options.allConsoles };
  const { outcome, plan } = await runWizard({
    unfinished: begun?.view ?? null,
    machine: start.machine,
    answers: start.answers,
    mode: 'install',
    surroundings: {
      product: PRODUCT_NAME,
      version: found.imageVersion ?? plainVersion(start.host.version),
      now: new Date().toISOString(),
      buildDate: found.buildDate,
      offeredNtp: found.offeredNtp,
      gatewayAnswers: found.gatewayAnswers,
      locatable: await locatableDisks(start.machine),
      leavesTo: leavesTo(facts),
    },
    terminals: openTerminals(start.devices, start.options),
    ports: portsFor(start, begun),
  });
  const after = afterWizard(outcome, plan?.settings.afterInstall ?? 'reboot', facts);
  if (after === 'shell') await markForShell();
  else if (after !== 'stay') await endMedium(after, run);
  return outcome === 'installed' ? 0 : 1;
}
