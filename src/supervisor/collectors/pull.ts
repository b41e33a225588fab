/** How this box stands with its panel: told by the loops themselves, nothing is asked for it. */
import { PATHS } from '#model/limits.ts';
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';

export type PullSource =
  /** No pull.json: nobody manages this box from afar. */
  | { readonly kind: 'none' }
  /** It should be managed and cannot be; the message names what and the way out. */
  | { readonly kind: 'wrong'; readonly message: string }
  | {
      readonly kind: 'running';
      readonly section: () => Promise<SectionData['pull']>;
      /** Null on a box that got its identity by a token. */
      readonly pairing: (hasCode: boolean) => SectionData['pairing'] | null;
    };

export function pullCollector(source: () => PullSource): Collector<'pull'> {
  return {
    name: 'pull',
    periodMs: 1000,
    timeLimitMs: 2000,
    ttlMs: 10_000,
    source: `${PATHS.pullSettings}, ${PATHS.pullConfig}`,
    async collect() {
      const now = source();
      switch (now.kind) {
        case 'none':
          return notApplicable;
        case 'wrong':
          return { state: 'unavailable', code: 'pull', msg: now.message };
        case 'running':
          return ok(await now.section());
      }
    },
  };
}
