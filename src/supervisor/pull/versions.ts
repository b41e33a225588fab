/** May this version follow that one? See docs/panel-api.md. */

export interface VersionMark {
  readonly epoch: string | undefined;
  readonly version: number;
  readonly sha256: string;
}

export type VersionVerdict = 'accept' | 'same' | 'reused' | 'regressed';

/**
 * `stored` is the newest that was accepted, null when there is none. `reused`: the number stays and the content differs; it is
 * taken and warned about, since to refuse would strand a box that nobody can log into.
 */
export function judgeVersion(incoming: VersionMark, stored: VersionMark | null): VersionVerdict {
  if (stored === null || incoming.epoch !== stored.epoch || incoming.version > stored.version) return 'accept';
  if (incoming.version < stored.version) return 'regressed';
  return incoming.sha256 === stored.sha256 ? 'same' : 'reused';
}
