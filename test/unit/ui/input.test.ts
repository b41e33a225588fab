import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TtyInput } from '#ui/terminal/input.ts';
import type { Key } from '#ui/terminal/keys.ts';
import { askSize, SIZE_QUERY, terminalSize } from '#ui/terminal/size.ts';
import { waitFor } from '../../support/wait-for.ts';

const setup = (waitMs = 20): { line: PassThrough; input: TtyInput; keys: string[] } => {
  const line = new PassThrough();
  const input = new TtyInput(line, waitMs);
  const keys: string[] = [];
  input.on('key', (key: Key) => keys.push(key.text ? `${key.name}:${key.text}` : key.name));
  return { line, input, keys };
};

describe('TtyInput', () => {
  it('puts a sequence together that arrives byte by byte', async () => {
    const { line, keys } = setup(2000);
    for (const byte of '\x1b[15~') {
      line.write(byte);
      await sleep(10);
    }
    await waitFor(() => keys.length > 0, 'a key');
    expect(keys).toEqual(['f5']);
  });

  it('puts a UTF-8 character together that arrives byte by byte', async () => {
    const { line, keys } = setup();
    for (const byte of Buffer.from('ü')) {
      line.write(Buffer.from([byte]));
      await sleep(5);
    }
    await waitFor(() => keys.length > 0, 'a key');
    expect(keys).toEqual(['text:ü']);
  });

  it('gives out a lone Esc after a pause', async () => {
    const { line, keys } = setup();
    line.write('\x1b');
    expect(keys).toEqual([]);
    await waitFor(() => keys.length > 0, 'a key');
    expect(keys).toEqual(['escape']);
  });

  it('waits longer for the rest of a sequence that has begun than after a lone Esc', async () => {
    const { line, keys } = setup();
    for (const part of ['\x1b[', '15', '~', '\x1bO', 'P']) {
      line.write(part);
      await sleep(120);
    }
    expect(keys).toEqual(['f5', 'f1']);
  });

  it('keeps function keys, reports and Ctrl-L from Ink and passes on the rest', async () => {
    const { line, input } = setup();
    const passed: string[] = [];
    let repaints = 0;
    input.on('data', (text: string) => passed.push(text));
    input.on('repaint', () => repaints++);
    line.write('a\x1bOP\x0c\x1b[24;80R\x1b[A');
    await sleep(10);
    expect(passed.join('')).toBe('a\x1b[A');
    expect(repaints).toBe(1);
  });

  it('stores nothing while nobody reads it', async () => {
    const { line, input } = setup();
    for (let i = 0; i < 100; i++) line.write('abcdef');
    await sleep(10);
    expect(input.readableLength).toBe(0);
  });

  it('says when the line was hung up', async () => {
    const { line, input } = setup();
    let hangups = 0;
    input.on('hangup', () => hangups++);
    line.end();
    await sleep(10);
    expect(hangups).toBe(1);
  });
});

describe('terminalSize', () => {
  it('believes a size that is there', async () => {
    const { input } = setup();
    expect(await terminalSize({ columns: 132, rows: 43, write: () => expect.unreachable() }, input)).toEqual({ columns: 132, rows: 43 });
  });

  it('asks a line that reports 0x0', async () => {
    const { line, input } = setup();
    const asked: string[] = [];
    const size = terminalSize(
      {
        columns: 0,
        rows: 0,
        write: (text) => {
          asked.push(text);
          line.write('\x1b[25;80R');
        },
      },
      input,
    );
    expect(await size).toEqual({ columns: 80, rows: 25 });
    expect(asked).toEqual([SIZE_QUERY]);
  });

  it('gives up on a line that does not answer', async () => {
    const { input } = setup();
    expect(await askSize({ write: () => true }, input, 20)).toBeNull();
    expect(input.listenerCount('cursor')).toBe(0);
  });
});
