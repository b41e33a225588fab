/** What keeping a network edit would mean: read from `spatium network check`, whoever asks. */
import { parseJson } from '#model/json.ts';
import { list, obj, readShape, text } from '#model/shape.ts';
import { describeEnd, type Runner } from '#system/run.ts';
import type { ActionSpec } from './action-catalogue.ts';
import type { Draft } from './action-run.ts';
import { plainJson } from './sanitise.ts';

const CHECK_MS = 10_000;
/** Exit codes of the check: the two agree, they differ. */
const AGREE = 0;
const DIFFER = 10;

const REPORT = obj({ drift: list(obj({ key: text, state: text, profile: text })), notAdoptable: list(text) });

const shown = (value: string): string => (value === '' ? '(not set)' : value);

/** Refused when there is nothing to keep; the refusal says so in words for the operator. */
export async function draftNetworkAdopt(spec: ActionSpec, run: Runner): Promise<Draft> {
  const result = await run(['spatium', 'network', 'check', '--json'], { timeoutMs: CHECK_MS });
  const code = result.kind === 'exited' ? result.code : null;
  if (code !== AGREE && code !== DIFFER) return { ok: false, why: `the network cannot be compared with STATE (${describeEnd(result)})` };
  const report = readShape(REPORT, plainJson(parseJson(result.stdout)));
  if (!report.ok) return { ok: false, why: 'the comparison with STATE cannot be read' };
  const { drift, notAdoptable } = report.value;
  const lost = notAdoptable.length === 0 ? [] : [`Cannot be kept, STATE has no word for it: ${notAdoptable.join(', ')}.`];
  if (drift.length === 0) return { ok: false, why: ['the network profile and STATE agree', ...lost].join('. ') };
  const rows = drift.map((d) => `${d.key}: ${shown(d.state)} -> ${shown(d.profile)}`);
  return { ok: true, consequences: [...rows, ...lost, ...spec.consequences], typedConfirm: null };
}
