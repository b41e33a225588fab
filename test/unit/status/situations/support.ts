/** Situations of a box, and what its operator would expect to be told: the level, and words that the reason must hold. */
import { expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf } from '#console/style.ts';
import type { Level, Section, SectionName } from '#model/status.ts';
import { stateOf } from '../../../support/console-fixtures.ts';
import { judge } from '../../../support/spoils.ts';
import { healthyView, type Spoil } from '../../../support/status-fixtures.ts';

type Envelopes = { readonly [K in SectionName]?: Partial<Section<unknown>> };

export interface Situation {
  readonly is: string;
  readonly spoil?: Spoil;
  readonly envelopes?: Envelopes;
  readonly level: Level;
  /** Each is found in one reason; none: no reason at all. */
  readonly says: readonly RegExp[];
}

export const GONE = { state: 'unavailable', data: null, error: { code: 'x', msg: 'cannot be read' } } as const;
export const NEVER = { state: 'unknown', data: null, observed_at: null, age_ms: null } as const;

/** Each situation is judged, and looked up on the screen. */
export function testSituations(situations: readonly Situation[]): void {
  it.each(situations.map((s) => [s.is, s] as const))('%s', (_is, { spoil = {}, envelopes = {}, level, says }) => {
    const view = healthyView(spoil, envelopes);
    const { verdict } = judge(view, judge(view).memory, 16 * 60_000);
    const texts = verdict.reasons.map((r) => r.text);
    expect({ level: verdict.level, texts }).toEqual({
      level,
      texts: says.length === 0 ? [] : expect.arrayContaining(says.map((s) => expect.stringMatching(s))),
    });
    // The worst one is on the screen at 80x24, whatever else is.
    const state = { ...stateOf(spoil, envelopes), verdict };
    const frame = composeFrame(state, { columns: 80, rows: 24 }).map((l) => textOf(l));
    expect(frame).toHaveLength(24);
    expect(frame.every((l) => [...l].length <= 80)).toBe(true);
    expect(frame.join('\n')).toContain(level);
    // What wraps, or is cut, begins with the same words.
    const words = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, ' ').trim();
    expect(words(frame.join(' '))).toContain(words((texts[0] ?? level).slice(0, 24)));
  });
}
