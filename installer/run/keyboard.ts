/** Switches the console keyboard of the running medium to a layout (ckbcomp, loadkeys). */
import { keyboardOf } from '#installer/plan/system-files.ts';
import { describeEnd, type Runner, run, succeeded } from '#system/run.ts';

/** Resolves to a sentence when it did not work, else to null. Without the tools nothing happens and nothing is said. */
export async function applyKeymap(keymap: string, runner: Runner = run): Promise<string | null> {
  const { layout, variant, model } = keyboardOf(keymap);
  const compiled = await runner(['ckbcomp', '-model', model, layout, ...(variant === '' ? [] : [variant])], { timeoutMs: 10_000 });
  if (compiled.kind === 'not_started') return null;
  if (!succeeded(compiled)) return `There is no keyboard layout called ${keymap}.`;
  const loaded = await runner(['loadkeys', '-'], { stdin: compiled.stdout, timeoutMs: 10_000 });
  if (loaded.kind === 'not_started' || succeeded(loaded)) return null;
  return `The keyboard could not be switched now (${describeEnd(loaded)}); the layout holds for the installed system.`;
}
