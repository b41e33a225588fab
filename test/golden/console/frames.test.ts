/** Whole frames as text. A change of a frame is a change of a file that can be read in review. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import type { ScreenState } from '#console/screen-state.ts';
import { textOf } from '#console/style.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';
import { SCREEN_SIZES } from '../../support/console-fixtures.ts';
import { PAGES } from '../../support/frame-pages.ts';
import { STATES, WORK } from '../../support/frame-states.ts';

const frame = (state: ScreenState, columns: number, rows: number): string =>
  `${composeFrame(state, { columns, rows })
    .map((l) => textOf(l).trimEnd())
    .join('\n')}\n`;
const file = (name: string): string => path.join(import.meta.dirname, 'frames', `${name}.txt`);

describe.each(Object.entries({ ...STATES, ...WORK }))('%s', (name, state) => {
  it.each(SCREEN_SIZES)('%ix%i', async (columns, rows) => {
    await expect(frame(state, columns, rows)).toMatchFileSnapshot(file(`${name}.${columns}x${rows}`));
  });
  it('80x24 in ASCII has no other character', async () => {
    const ascii = [...frame(state, 80, 24)].map((c) => (c > '~' ? toAscii(c) : c)).join('');
    expect(ascii).not.toMatch(/[^\n\x20-\x7e]/);
    await expect(ascii).toMatchFileSnapshot(file(`${name}.80x24.ascii`));
  });
});

describe.each(Object.entries(PAGES))('%s', (name, state) => {
  it.each([
    [80, 24],
    [120, 34],
  ])('%ix%i', async (columns, rows) => {
    await expect(frame(state, columns, rows)).toMatchFileSnapshot(file(`${name}.${columns}x${rows}`));
  });
  it('shows no secret that is being typed', () => {
    expect(frame(state, 80, 24)).not.toMatch(/secret|12345678/);
  });
});
