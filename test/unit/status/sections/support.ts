/** One document of another supervisor, and what must follow from it: the verdict, and what stands on the console's first screen. */
import { expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf, widthOfLine } from '#console/style.ts';
import { applyFrame, clientVerdict, clientView, EMPTY_MODEL } from '#status/client-model.ts';
import { EMPTY_MEMORY } from '#status/verdict.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';
import { stateOf } from '../../../support/console-fixtures.ts';
import { type DATA, foreignSnapshot, NOW } from '../../../support/foreign-status.ts';

export type Changed = { readonly [section: string]: unknown };
type State = Parameters<typeof composeFrame>[0];
type Judged = State & { readonly verdict: NonNullable<State['verdict']> };

export interface Case {
  readonly is: string;
  readonly changed: Changed;
  readonly without?: readonly (keyof typeof DATA)[];
  /** Several where the inventory leaves the level open. */
  readonly level: string;
  /** What the first reason says; absent: nothing is asked of it. */
  readonly first?: RegExp;
  readonly shows?: readonly RegExp[];
  readonly hides?: readonly RegExp[];
  /** Where `shows` and `hides` are looked up; 80x24 where absent. */
  readonly at?: readonly [number, number];
  readonly over?: Partial<State>;
}

const SIZES: readonly (readonly [number, number])[] = [
  [80, 24],
  [80, 30],
  [120, 34],
  [160, 50],
  [213, 52],
  [60, 20],
  [40, 10],
  [300, 80],
];
/** What no document may put on a screen, whatever it holds. */
const NEVER_SHOWN = /undefined|\bnull\b|NaN|Infinity|\[object|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

export function stateFor(changed: Changed, without: readonly (keyof typeof DATA)[] = [], over: Partial<State> = {}): Judged {
  const got = applyFrame(EMPTY_MODEL, JSON.parse(JSON.stringify(foreignSnapshot(changed, without))), 0);
  if (!got.ok) throw new Error(got.why);
  const { verdict } = clientVerdict(got.model, 0, EMPTY_MEMORY);
  return { ...stateOf({}, {}, { view: clientView(got.model, 0), wallMs: Date.parse(NOW), ...over }), verdict };
}

const shown = (state: State, columns: number, rows: number): string =>
  composeFrame(state, { columns, rows })
    .map((l) => textOf(l).trimEnd())
    .join('\n');

function expectFits(state: Judged, columns: number, rows: number): void {
  const frame = composeFrame(state, { columns, rows });
  const where = `${columns}x${rows}`;
  expect(frame, where).toHaveLength(rows);
  for (const line of frame) expect(widthOfLine(line), `${where}: ${textOf(line)}`).toBeLessThanOrEqual(columns);
  const text = frame.map(textOf).join('\n');
  expect(text, where).not.toMatch(NEVER_SHOWN);
  expect([...text].map((c) => (c > '~' ? toAscii(c) : c)).join(''), where).not.toMatch(/[^\n\x20-\x7e]/);
  expect(text, where).toContain(state.verdict.level);
}

export function testCases(cases: readonly Case[]): void {
  it.each(cases.map((c) => [c.is, c] as const))('%s', (_is, c) => {
    const state = stateFor(c.changed, c.without, c.over);
    const { level, reasons } = state.verdict;
    const said = reasons.map((r) => `${r.level} ${r.text}`).join('; ');
    expect(c.level.split('|'), said).toContain(level);
    if (c.first !== undefined) expect(reasons[0]?.text).toMatch(c.first);
    const [columns, rows] = c.at ?? [80, 24];
    const text = shown(state, columns, rows);
    for (const wanted of c.shows ?? []) expect(text).toMatch(wanted);
    for (const unwanted of c.hides ?? []) expect(text).not.toMatch(unwanted);
    for (const [w, h] of SIZES) expectFits(state, w, h);
  });
}
