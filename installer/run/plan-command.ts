/** `spatium-install --plan`: what would be done, printed; nothing is touched. */
import { randomUUID } from 'node:crypto';
import { printPlan } from '#installer/plan/print-plan.ts';
import { isError } from '#model/finding.ts';
import { lintRead } from '#preseed/lint.ts';
import { isLockedImage, readKernelCommandLine, wordsForTarget } from './kernel.ts';
import { loadMachine, Refusal, readAnswerFile } from './load.ts';
import { type InstallOptions, UsageError } from './options.ts';
import { findingLines, preparePlan } from './prepare.ts';

/** JSON that a terminal may show: what is not ASCII is escaped, which reads back the same. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Text or JSON of the plan.
 * @throws Refusal naming every error of the answers, with line and column
 */
export async function planText(options: InstallOptions): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  if (options.preseed === null) throw new UsageError('--plan needs --preseed FILE');
  const read = await readAnswerFile(options.preseed);
  const machine = await loadMachine(options.machine);
  const errors = lintRead(read, machine, 'install').findings.filter(isError);
  if (errors.length > 0) throw new Refusal(errors.map((f) => `${f.file}:${f.line}:${f.column}: ${f.message}${f.fix ? ` (${f.fix})` : ''}`));
  const prepared = preparePlan(read.answers, machine, {
    uuids: randomUUID,
    isLocked: options.machine === null && (await isLockedImage()),
    extraKernelWords: options.machine === null ? wordsForTarget(await readKernelCommandLine()) : [],
  });
  if (prepared.kind === 'refused') throw new Refusal(findingLines(prepared.findings));
  const text = options.format === 'json' ? `${asciiJson(prepared.plan)}\n` : printPlan(prepared.plan);
  return { text, warnings: findingLines(prepared.findings) };
}
