/** What the supervisor tells its panel about updates: read from the disk, where the updater writes it. */
import { PATHS } from '#model/limits.ts';
import type { StatusReport } from '#model/pull.ts';
import { updateReport } from './report.ts';
import { VersionStore } from './store.ts';

/** `running`: version of the process that asks. Undefined when nothing was ever updated here. */
export async function updateFacts(
  running: string,
  places = { agent: PATHS.agentVersions, state: PATHS.updateState },
): Promise<StatusReport['update']> {
  const state = await new VersionStore(places).peek().catch(() => null);
  return state === null || (state.last === undefined && state.pending === undefined) ? undefined : updateReport(running, state);
}
