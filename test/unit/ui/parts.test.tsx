/** The parts as Ink draws them. */
import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Field } from '#ui/parts/field.tsx';
import { Frame, TooSmall } from '#ui/parts/frame.tsx';
import { KeyBar } from '#ui/parts/key-bar.tsx';
import { Lines } from '#ui/parts/lines.tsx';
import { Progress } from '#ui/parts/progress.tsx';
import { Radio, Toggle } from '#ui/parts/radio.tsx';
import { SelectList } from '#ui/parts/select-list.tsx';
import { Table } from '#ui/parts/table.tsx';

const open: { unmount(): void }[] = [];
afterEach(() => {
  for (const o of open.splice(0)) o.unmount();
});

/** Rows as drawn, colours and reverse video taken off. */
function rows(node: ReactElement): string[] {
  const shown = render(node);
  open.push(shown);
  return (shown.lastFrame() ?? '').replace(/\x1b\[[0-9;]*m/g, '').split('\n');
}

/** What is in reverse video. */
function marked(node: ReactElement): string[] {
  const shown = render(node);
  open.push(shown);
  return [...(shown.lastFrame() ?? '').matchAll(/\x1b\[7m(.*?)\x1b\[27m/g)].map((m) => m[1] as string);
}

describe('SelectList', () => {
  const options = Array.from({ length: 7 }, (_, i) => ({ value: `v${i}`, label: `entry ${i}` }));
  const list = (selected: string, shownRows = 10) => (
    <SelectList options={options} selected={selected} focused rows={shownRows} width={30} />
  );
  it('marks one row by a sign and by reverse video', () => {
    expect(rows(list('v2'))[2]).toBe('> entry 2');
    expect(rows(list('v2'))[1]).toBe('  entry 1');
    expect(marked(list('v2'))).toEqual(['entry 2']);
  });
  it('marks none for a value that is not there', () => {
    expect(rows(list('other')).join('')).not.toContain('>');
  });
  it('shows the page the highlight is on, and which rows these are', () => {
    expect(rows(list('v6', 4))).toEqual(['  entry 4', '  entry 5', '> entry 6', '  5-7 of 7']);
    expect(rows(list('v0', 4)).at(-1)).toBe('  1-3 of 7');
  });
  it('cuts a label, and takes control characters out of it', () => {
    const evil = [{ value: 'a', label: `dev\x1b[2J${'x'.repeat(60)}` }];
    const [row] = rows(<SelectList options={evil} selected="a" focused rows={3} width={20} />);
    expect(row).toHaveLength(20);
    expect(row).toMatch(/^> dev\?\[2Jx+\.\.\.$/);
  });
});

describe('Field', () => {
  const field = (over: Partial<Parameters<typeof Field>[0]>) => (
    <Field label="Name" labelWidth={6} state={{ value: 'abc', cursor: 1 }} focused faulty={false} width={8} {...over} />
  );
  it('shows the cursor as a reverse cell', () => {
    expect(rows(field({}))).toEqual(['> Name   [abc     ]']);
    expect(marked(field({}))).toEqual(['b']);
  });
  it('without focus has no cursor; a fault has a sign of its own', () => {
    expect(marked(field({ focused: false }))).toEqual([]);
    expect(rows(field({ faulty: true }))[0]).toContain('![abc');
  });
  it('a secret is stars, its length included, and nothing else', () => {
    const [row] = rows(field({ secret: true, state: { value: 'pässwörd', cursor: 8 }, width: 12 }));
    expect(row).toContain('[********    ]');
    expect(row).not.toMatch(/[pwd]ä?s?r?d/);
  });
  it('a hint is there only while nothing is typed', () => {
    expect(rows(field({ hint: 'such as x' }))[0]).not.toContain('such');
    expect(rows(field({ hint: 'such as x', state: { value: '', cursor: 0 } }))[0]).toContain('such as x');
  });
  it('a long text shows the part around the cursor', () => {
    const value = 'abcdefghijklmnop';
    expect(rows(field({ state: { value, cursor: 16 } }))[0]).toContain('p');
    expect(rows(field({ state: { value, cursor: 0 } }))[0]).toContain('[abcdefg>]');
    expect(rows(field({ state: { value, cursor: 9 } }))[0]).toMatch(/\[<[a-p]{6}>\]/);
  });
});

describe('Frame', () => {
  const frame = (columns: number, shownRows: number) => (
    <Frame columns={columns} rows={shownRows} title="Disk" corner="3 of 11" keys={[{ key: 'Enter', does: 'continue' }]}>
      <Lines lines={Array.from({ length: 40 }, (_, i) => ({ text: `row ${i}` }))} />
    </Frame>
  );
  it.each([
    [80, 24],
    [100, 30],
  ])('%ix%i is exactly that, whatever is in it', (columns, shownRows) => {
    const shown = rows(frame(columns, shownRows));
    expect(shown).toHaveLength(shownRows);
    for (const row of shown) expect(row.length).toBeLessThanOrEqual(columns);
    expect(shown[0]).toMatch(/^ Disk .*3 of 11$/);
    expect(shown.at(-1)).toContain('Enter continue');
  });
  it('too small says what it is and what it should be', () => {
    expect(rows(<TooSmall columns={40} rows={5} needed="80x24" />).join(' ')).toMatch(/40x5; the screens need\s+80x24/);
  });
});

describe('KeyBar', () => {
  it('leaves out whole what does not fit, the last first', () => {
    const keys = ['one', 'two', 'three'].map((does) => ({ key: 'F1', does }));
    expect(rows(<KeyBar columns={24} keys={keys.map((k, i) => ({ ...k, key: `F${i + 1}` }))} />)[0]?.trimEnd()).toBe(' F1 one  F2 two');
  });
});

describe('Dialog', () => {
  it('wraps its text inside the box and marks one choice', () => {
    const choices = [
      { value: 'no', label: 'No' },
      { value: 'yes', label: 'Yes, erase it' },
    ];
    const node = (
      <Dialog title="Erase?" paragraphs={['Everything on the disk will be lost for good.']} width={30} choices={choices} selected="no" />
    );
    const shown = rows(node);
    for (const row of shown) expect(row.length).toBe(30);
    expect(shown.join('\n')).toContain('> No');
    expect(marked(node)).toEqual(['> No ']);
  });
});

describe('small parts', () => {
  it('Progress: unknown is no zero', () => {
    expect(rows(<Progress fraction={null} width={15} />)[0]).toMatch(/\?$/);
    expect(rows(<Progress fraction={0} width={15} />)[0]).toBe('░░░░░░░░░░   0%');
    expect(rows(<Progress fraction={0.5} width={15} />)[0]).toBe('█████░░░░░  50%');
    expect(rows(<Progress fraction={7} width={15} />)[0]).toBe('██████████ 100%');
  });
  it('Radio and Toggle say what is chosen without colour', () => {
    const options = ['a', 'b'].map((value) => ({ value, label: value }));
    expect(rows(<Radio label="R" labelWidth={2} options={options} selected="b" focused />)[0]).toContain('( ) a  (*) b');
    expect(rows(<Toggle label="T" on focused={false} />)[0]).toBe('  [x] T');
    expect(rows(<Toggle label="T" on={false} focused />)[0]).toBe('> [ ] T');
  });
  it('Table: columns as wide as their content', () => {
    const shown = rows(
      <Table
        head={['A', 'B']}
        rows={[
          ['long cell', 'x'],
          ['s', 'y'],
        ]}
        width={40}
      />,
    );
    expect(shown).toEqual(['A          B', 'long cell  x', 's          y']);
  });
  it('Lines: no text makes a second row', () => {
    expect(rows(<Lines lines={[{ text: 'a\nb' }, { text: '' }, { text: 'c' }]} />)).toEqual(['a?b', ' ', 'c'].map((t) => t.trimEnd()));
  });
});
