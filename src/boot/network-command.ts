/** `spatium network check|adopt`, also called `spatium-network-adopt`: keep an edit of the managed profile, or show it. */
import { PATHS } from '#model/limits.ts';
import { parseStateConfig, withStateValues } from '#rules/state-config.ts';
import { readTextIfExists, writeAtomic } from '#system/files.ts';
import { type Drift, driftOf, factsOfProfile, MANAGED_PROFILES, type ProfileFacts } from './network-adopt.ts';
import { renderNetwork } from './network-profile.ts';
import { CONNECTIONS } from './render.ts';
import { inRoot, type Target } from './target.ts';

export const NETWORK_USAGE = `usage: spatium network check [--json]
       spatium network adopt [--json]

The network profile is rendered from the STATE partition at every boot, so an edit made with nmtui lasts until then.

  check   compare the profile with STATE
  adopt   write the edit into STATE, so that the next boot renders it

spatium-network-adopt --check and --adopt are the same. Settings that STATE has no word for are listed and not kept.
exit: 0 the two agree (adopt: now), 10 they differ, 1 error, 2 wrong call
`;

export interface NetworkReport {
  readonly profile: string | null;
  readonly drift: readonly Drift[];
  readonly notAdoptable: readonly string[];
}

const NOTHING: ProfileFacts = { values: new Map(), notAdoptable: [] };

/** @throws Error when STATE has no configuration */
async function compareNetwork(target: Pick<Target, 'root'>): Promise<NetworkReport & { readonly config: string }> {
  const config = await readTextIfExists(inRoot(target, PATHS.stateConfig));
  if (config === null) throw new Error(`${PATHS.stateConfig} does not exist`);
  const { profile: wanted } = renderNetwork(parseStateConfig(config).values, () => '');
  for (const name of MANAGED_PROFILES) {
    const text = await readTextIfExists(inRoot(target, `${CONNECTIONS}/${name}`));
    if (text === null) continue;
    const facts = factsOfProfile(text);
    const drift = driftOf(facts, wanted === null ? NOTHING : factsOfProfile(wanted.text));
    return { config, profile: name, drift, notAdoptable: facts.notAdoptable };
  }
  // No managed profile and none wanted: DHCP on any port. One wanted and gone: the next boot writes it again.
  return { config, profile: null, drift: [], notAdoptable: [] };
}

/** How the managed profile below `root` compares with STATE; reads only. @throws Error when STATE has no configuration */
export async function networkReport(root: string): Promise<NetworkReport> {
  const { profile, drift, notAdoptable } = await compareNetwork({ root });
  return { profile, drift, notAdoptable };
}

/** Writes the differences into STATE in one step. */
async function adoptNetwork(target: Target): Promise<NetworkReport> {
  const { config, ...report } = await compareNetwork(target);
  if (report.drift.length > 0) {
    const changes = new Map(report.drift.map((d) => [d.key, d.profile]));
    await writeAtomic(inRoot(target, PATHS.stateConfig), withStateValues(config, changes), { mode: 0o644 });
  }
  return report;
}

function reportText(report: NetworkReport, isAdopted: boolean): string {
  const lines = report.drift.map((d) => `${d.key}: ${d.state || '(not set)'} -> ${d.profile || '(not set)'}`);
  if (lines.length === 0) lines.push('profile and STATE agree');
  else lines.unshift(isAdopted ? 'written to STATE:' : 'the next boot would undo these:');
  if (report.notAdoptable.length > 0) lines.push(`cannot be kept, STATE has no word for it: ${report.notAdoptable.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

export interface NetworkCall {
  readonly adopt: boolean;
  readonly json: boolean;
}

/** Words after `network`; null for a wrong call. `adopt --check` is the link's way to say `check`. */
export function readNetworkCall(words: readonly string[], isLink: boolean): NetworkCall | null {
  // The link has no verb; its flags say what is wanted.
  const [verb, ...flags] = isLink ? ['adopt', ...words] : words;
  if (verb !== 'check' && verb !== 'adopt') return null;
  if (flags.some((f) => !['--check', '--adopt', '--json'].includes(f))) return null;
  const asksCheck = verb === 'check' || flags.includes('--check');
  const asksAdopt = flags.includes('--adopt');
  if (asksCheck && asksAdopt) return null;
  const json = flags.includes('--json');
  // The bare link only reports: a tool must not write because it was called without a word.
  if (!asksCheck && !asksAdopt && isLink) return json ? { adopt: false, json } : null;
  return { adopt: !asksCheck, json };
}

export async function networkCommand(target: Target, call: NetworkCall): Promise<{ text: string; code: number }> {
  const { profile, drift, notAdoptable } = call.adopt ? await adoptNetwork(target) : await compareNetwork(target);
  const report = { profile, drift, notAdoptable };
  const text = call.json ? `${JSON.stringify({ ...report, adopted: call.adopt && drift.length > 0 })}\n` : reportText(report, call.adopt);
  return { text, code: drift.length > 0 && !call.adopt ? 10 : 0 };
}
