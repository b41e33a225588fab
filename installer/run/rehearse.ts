/** `spatium-install --rehearse`: the real wizard on a recorded machine. Touches nothing and needs no root. */
import { randomUUID } from 'node:crypto';
import { printPlan } from '#installer/plan/print-plan.ts';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import type { Surroundings as WizardSurroundings } from '#installer/wizard/types.ts';
import type { WizardOptions, WizardResult } from '#installer/wizard-main.tsx';
import type { Answers } from '#model/answers.ts';
import { isError } from '#model/finding.ts';
import type { Host } from '#model/host.ts';
import { PRODUCT_NAME } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import type { Plan } from '#model/plan.ts';
import { lintRead } from '#preseed/lint.ts';
import { loadMachine, NO_ANSWERS, Refusal, readAnswerFile } from './load.ts';
import type { InstallOptions } from './options.ts';
import { findingLines, findingText, preparePlan } from './prepare.ts';
import { plainVersion } from './release.ts';
import { openTerminals } from './terminals.ts';

/** Makes plans for the wizard; a refusal is thrown as one sentence a fault, as its port asks for. */
export const planMaker =
  (machine: () => Machine, extraKernelWords: readonly string[], isLocked: boolean) =>
  (answers: Answers): Plan => {
    const prepared = preparePlan(answers, machine(), { uuids: randomUUID, extraKernelWords, isLocked });
    if (prepared.kind === 'refused') throw new Refusal(findingLines(prepared.findings));
    return prepared.plan;
  };

export async function loadWizard(host: Host): Promise<(options: WizardOptions) => Promise<WizardResult>> {
  const face = (await host.load('wizard')) as { runWizard(options: WizardOptions): Promise<WizardResult> };
  return face.runWizard;
}

const surroundings = (version: string): WizardSurroundings => ({
  product: PRODUCT_NAME,
  version: plainVersion(version),
  now: new Date().toISOString(),
  buildDate: null,
  offeredNtp: [],
  gatewayAnswers: null,
});

/** As on the medium, a file with errors is told and not asked about; what only this machine lacks, such as its disk, is asked. */
async function answersOf(file: string): Promise<Answers> {
  const read = await readAnswerFile(file);
  const errors = lintRead(read, null).findings.filter(isError);
  if (errors.length === 0) return read.answers;
  const lines = errors.map((f) => `${f.file}:${f.line}:${f.column}: ${findingText(f)}`);
  throw new Refusal([...lines, 'The installer would stop at this file. spatium-install --check-preseed FILE tells all of it.']);
}

/** Exit code 0 when the plan was reached, 1 when the operator left before. */
export async function rehearse(options: InstallOptions, host: Host): Promise<number> {
  const machine = await loadMachine(options.machine ?? 'demo');
  const answers = options.preseed === null ? NO_ANSWERS : await answersOf(options.preseed);
  const ports: WizardPorts = {
    makePlan: planMaker(() => machine, [], false),
    printPlan,
    runPlan: () => Promise.reject(new Error('a rehearsal runs no plan')),
  };
  const runWizard = await loadWizard(host);
  const { outcome } = await runWizard({
    machine,
    answers,
    mode: 'rehearse',
    surroundings: surroundings(host.version),
    terminals: openTerminals(options.terminals, options),
    ports,
  });
  return outcome === 'rehearsed' ? 0 : 1;
}
