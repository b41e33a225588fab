/** The kinds of appliance that this program can be. A new one is a folder beside `lb` and a line here. */
import type { ApplianceKind } from '#model/pull.ts';
import type { Runner } from '#system/run.ts';
import type { Daemon, Kind } from './kind.ts';
import { lbDaemon, lbKind } from './lb/index.ts';
import { systemdService } from './service.ts';

export interface KindParts {
  readonly kind: Kind;
  readonly daemon: (run: Runner) => Daemon;
}

const KINDS: Readonly<Partial<Record<ApplianceKind, KindParts>>> = {
  lb: { kind: lbKind(), daemon: (run) => lbDaemon(systemdService(lbKind().unit, run), run) },
};

export const kindParts = (kind: ApplianceKind): KindParts | null => KINDS[kind] ?? null;
export const KIND_NAMES: readonly string[] = Object.keys(KINDS);
