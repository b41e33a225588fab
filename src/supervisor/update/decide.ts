/** What to do about the published release: a table. Pure. See docs/decisions/0017-updates.md. */
import type { ReleaseManifest } from '#model/pull.ts';
import { isBadRelease, type UpdateState } from './state.ts';
import { compareVersions } from './version.ts';

export interface Standing {
  /** What the running supervisor says of itself; null when it does not answer. A file on disk proves nothing about it. */
  readonly running: string | null;
  /** What would start next: version and hash of the file. */
  readonly installed: { readonly version: string; readonly sha256: string };
  readonly state: UpdateState;
  readonly channel: string;
  /** An apply of a configuration is under way, or was and has no verdict yet. */
  readonly isApplying: boolean;
  readonly freeBytes: number;
}

export type Decision =
  | { readonly act: 'nothing'; readonly why: string }
  /** The new file is there, and an old process runs. */
  | { readonly act: 'restart'; readonly why: string }
  | { readonly act: 'later'; readonly why: string }
  | { readonly act: 'refuse'; readonly code: RefusalCode; readonly why: string }
  | { readonly act: 'install' };

export type RefusalCode = 'republished' | 'bad' | 'downgrade' | 'min_version' | 'channel' | 'space' | 'order';

/** What must stay free on /var after an update: logs and configurations go on being written. */
export const RESERVE_BYTES = 256 * 1024 * 1024;

const refuse = (code: RefusalCode, why: string): Decision => ({ act: 'refuse', code, why });

function sameVersion(manifest: ReleaseManifest, standing: Standing): Decision {
  const { running, installed } = standing;
  if (installed.version === manifest.version && installed.sha256 !== manifest.sha256)
    return refuse('republished', `version ${manifest.version} was published again with other content; a version never changes`);
  if (running === manifest.version) return { act: 'nothing', why: `version ${running} is the published one` };
  // A supervisor that does not answer is for the service manager to see to; only a wrong process is ours.
  if (running === null) return { act: 'nothing', why: `version ${manifest.version} is installed; what runs does not answer` };
  return { act: 'restart', why: `version ${manifest.version} is installed, but ${running} runs` };
}

function checkOrder(manifest: ReleaseManifest, against: string): Decision | null {
  const order = compareVersions(manifest.version, against);
  if (order === null) return refuse('order', `there is no order between ${against}, which runs, and ${manifest.version}`);
  if (order <= 0 && manifest.allow_downgrade !== true)
    return refuse('downgrade', `${manifest.version} is not newer than ${against}, and its manifest does not allow a downgrade`);
  if (manifest.min_version !== undefined && !((compareVersions(against, manifest.min_version) ?? -1) >= 0))
    return refuse('min_version', `${manifest.version} can be installed from ${manifest.min_version} on; ${against} runs`);
  return null;
}

/** The manifest's signature has been checked. */
export function decide(manifest: ReleaseManifest, standing: Standing): Decision {
  const { running, installed, state } = standing;
  if (manifest.channel !== standing.channel)
    return refuse('channel', `the manifest is for channel ${manifest.channel}; this appliance follows ${standing.channel}`);
  if (installed.version === manifest.version) return sameVersion(manifest, standing);
  // The process is the old one and its file is gone: the version is the same all the same.
  if (running === manifest.version && running !== installed.version)
    return { act: 'restart', why: `${installed.version} is installed, but ${running} runs` };
  if (isBadRelease(state, manifest)) return refuse('bad', `${manifest.version} failed here before and is not tried again`);
  const order = checkOrder(manifest, running ?? installed.version);
  if (order !== null) return order;
  if (standing.isApplying) return { act: 'later', why: 'a configuration is being applied' };
  const needBytes = 2 * manifest.size + RESERVE_BYTES;
  if (standing.freeBytes < needBytes)
    return refuse('space', `${Math.floor(standing.freeBytes / 1e6)} MB are free; the update needs ${Math.ceil(needBytes / 1e6)} MB`);
  return { act: 'install' };
}
