import { EventEmitter } from 'node:events';
import { Terminal as Emulator } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { detectProfile } from '#ui/profile.ts';
import { parseFrame } from '#ui/terminal/cells.ts';
import { diffGrids } from '#ui/terminal/diff.ts';
import { Screen } from '#ui/terminal/screen.ts';

const plain = detectProfile({ TERM: 'linux', LANG: 'C.UTF-8' });

/** A line that holds its bytes back until `release`, like a slow serial port. */
class SlowLine extends EventEmitter {
  columns = 20;
  rows = 4;
  writes: string[] = [];
  #waiting: (() => void)[] = [];
  write(text: string, done?: () => void): boolean {
    this.writes.push(text);
    if (done) this.#waiting.push(done);
    return true;
  }
  release(): void {
    for (const done of this.#waiting.splice(0)) done();
  }
}

const paint = async (writes: readonly string[], columns = 20, rows = 4): Promise<string[]> => {
  const emulator = new Emulator({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => emulator.write(writes.join(''), resolve));
  return Array.from({ length: rows }, (_, y) => emulator.buffer.active.getLine(y)?.translateToString(true) ?? '');
};

describe('Screen', () => {
  it('sends only what changed', async () => {
    const line = new SlowLine();
    const screen = new Screen(line, { profile: plain });
    screen.write('load  1.00\nup 3 days');
    line.release();
    screen.write('load  1.25\nup 3 days');
    line.release();
    expect(line.writes[1]).toBe('\x1b[1;9H25');
    expect(await paint(line.writes)).toEqual(['load  1.25', 'up 3 days', '', '']);
    screen.write('load  1.25\nup 3 days');
    expect(line.writes).toHaveLength(2);
  });

  it('lets the newest frame win while the line is busy', async () => {
    const line = new SlowLine();
    const screen = new Screen(line, { profile: plain });
    for (const text of ['one', 'two', 'three', 'four']) screen.write(text);
    expect(line.writes).toHaveLength(1);
    line.release();
    expect(line.writes).toHaveLength(2);
    expect(await paint(line.writes)).toEqual(['four', '', '', '']);
  });

  it('clears what a shorter frame leaves behind', async () => {
    const line = new SlowLine();
    const screen = new Screen(line, { profile: plain });
    screen.write('a long first line\nsecond\nthird');
    line.release();
    screen.write('short');
    expect(await paint(line.writes)).toEqual(['short', '', '', '']);
  });

  it('writes the last column and goes on in the next line', async () => {
    const line = new SlowLine();
    const screen = new Screen(line, { profile: plain });
    screen.write(`${'x'.repeat(20)}\n${'y'.repeat(25)}\nz`);
    expect(await paint(line.writes)).toEqual(['x'.repeat(20), 'y'.repeat(20), 'z', '']);
  });

  it('never reports a size of 0 and takes the one it was told', () => {
    const line = new SlowLine();
    line.columns = 0;
    line.rows = 0;
    const screen = new Screen(line, { profile: plain });
    expect([screen.columns, screen.rows]).toEqual([80, 24]);
    line.emit('resize');
    expect([screen.columns, screen.rows]).toEqual([80, 24]);
    screen.resize({ columns: 132, rows: 43 });
    expect([screen.columns, screen.rows]).toEqual([132, 43]);
  });

  it('paints everything again after repaint', () => {
    const line = new SlowLine();
    const screen = new Screen(line, { profile: plain });
    screen.write('hello');
    line.release();
    screen.repaint();
    expect(line.writes[1]).toContain('\x1b[2J');
    expect(line.writes[1]).toContain('hello');
  });

  it('restores cursor and colours at the end, once, and stays silent afterwards', () => {
    const line = new SlowLine();
    const screen = new Screen(line, { profile: plain });
    screen.write('hello');
    line.release();
    screen.end();
    screen.end();
    screen.write('late');
    expect(line.writes).toHaveLength(2);
    expect(line.writes[1]).toContain('\x1b[m');
    expect(line.writes[1]).toContain('\x1b[?25h');
  });

  it('hides from Ink that it keeps the cursor hidden', () => {
    const line = new SlowLine();
    const screen = new Screen(line, { profile: plain });
    screen.write('\x1b[?25h');
    screen.write('\x1b[?2004h');
    expect(line.writes).toEqual(['\x1b[?2004h']);
  });
});

describe('parseFrame', () => {
  const options = { columns: 20, rows: 4, colour: 'ansi16', glyphs: 'unicode' } as const;
  const draw = (frame: string, changes: Partial<Parameters<typeof parseFrame>[1]> = {}): string =>
    diffGrids([], parseFrame(frame, { ...options, ...changes }), 20);

  it('keeps 16 colours and attributes, and drops colours for a monochrome terminal', () => {
    expect(draw('\x1b[31;1mred\x1b[39;22m ok')).toBe('\x1b[H\x1b[0;1;31mred\x1b[m ok'.replace('\x1b[H', '\x1b[1H'));
    expect(draw('\x1b[31;1mred\x1b[39;22m ok', { colour: 'mono' })).toBe('\x1b[1H\x1b[0;1mred\x1b[m ok');
  });

  it('replaces glyphs cell for cell on an ASCII terminal', () => {
    expect(draw('┌──┐ █░ ü 漢', { glyphs: 'ascii' })).toBe('\x1b[1H+--+ #. u ??');
  });

  it('never lets control characters or foreign sequences through', () => {
    expect(draw('a\x07\x1b]0;title\x1b[2Jb\x9bc')).not.toMatch(/[\x07\x9b]|\x1b\]|2J/);
  });

  it('gives a wide character two cells and a combining mark none', () => {
    const [row] = parseFrame('漢e\u0301x', options);
    expect(row?.map((cell) => cell.text)).toEqual(['漢', '', 'e\u0301', 'x']);
  });
});
