import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RawInput } from '#ui/terminal/input.ts';
import { LineReader } from '#ui/terminal/line-reader.ts';

/** A terminal: what is typed arrives as data, and whether it echoes by itself is recorded. */
class Keyboard extends EventEmitter {
  isRaw = false;
  setEncoding = () => this;
  resume = () => this;
  pause = () => this;
  setRawMode = (on: boolean) => {
    this.isRaw = on;
  };
  type(text: string): void {
    this.emit('data', text);
  }
}

let keyboard: Keyboard;
let shown: string;
let reader: LineReader;
beforeEach(() => {
  keyboard = new Keyboard();
  shown = '';
  reader = new LineReader(keyboard as unknown as RawInput, { write: (text) => (shown += text) });
});

describe('a terminal', () => {
  it('is shown what is typed ahead only at its question, and a secret never', async () => {
    keyboard.type('ddi-1\rgeh');
    keyboard.type('eim\rno');
    expect([keyboard.isRaw, shown]).toEqual([true, '']);
    expect(await reader.ask('Host name: ')).toBe('ddi-1');
    expect(await reader.ask('Password: ', true)).toBe('geheim');
    const last = reader.ask('Again? ');
    keyboard.type('t\r');
    expect(await last).toBe('not');
    expect(shown).toBe('Host name: ddi-1\nPassword: \nAgain? not\n');
    reader.close();
    expect(keyboard.isRaw).toBe(false);
  });

  it('is not shown a secret that was begun before its question, nor one that is taken back', async () => {
    keyboard.type('gehe');
    const asked = reader.ask('Password: ', true);
    keyboard.type('imx\x7f\r');
    expect(await asked).toBe('geheim');
    expect(shown).toBe('Password: \n');
  });

  it('takes back a character, a word, the line, with the cells that each took', async () => {
    const asked = reader.ask('? ');
    keyboard.type('ab\x7f\x7f\x7f');
    expect(shown).toBe('? ab\b \b\b \b');
    keyboard.type('one two\x17x\x15\u{1f600}\x7fend\r');
    expect(await asked).toBe('end');
    expect(shown.endsWith('x\b \b\b \b\b \b\b \b\b \b\u{1f600}\b \b\b \bend\n')).toBe(true);
  });

  it('keeps cursor keys and control characters out of the line, and direction characters off the screen', async () => {
    const asked = reader.ask('? ');
    keyboard.type('a\x1b[Ab\x1bOPc\x1b[1;5');
    keyboard.type('Dd\x9be\u202ef\x00\x01\r');
    expect(await asked).toBe('abcde\u202ef');
    expect(shown).toBe('? abcde?f\n');
  });

  it('takes CR LF for one line, in one piece or in two', async () => {
    keyboard.type('a\r\nb\r');
    keyboard.type('\n');
    expect(await reader.ask('1 ')).toBe('a');
    expect(await reader.ask('2 ')).toBe('b');
    const third = reader.ask('3 ');
    keyboard.type('c\n');
    expect(await third).toBe('c');
  });

  it('drops what was typed ahead at Ctrl-C, and ends at Ctrl-D on an empty line', async () => {
    let interrupts = 0;
    reader.onInterrupt = () => {
      interrupts += 1;
    };
    keyboard.type('early\rmore\x03');
    const asked = reader.ask('? ');
    keyboard.type('x\x04\x7f\x04');
    expect([await asked, interrupts]).toEqual([null, 1]);
    expect(await reader.ask('? ')).toBeNull();
  });
});

it('leaves a pipe as it is: no echo, no line ends of its own', async () => {
  const pipe = new EventEmitter() as unknown as RawInput & EventEmitter;
  Object.assign(pipe, { setEncoding: () => pipe, resume: () => pipe, pause: () => pipe });
  const piped = new LineReader(pipe, { write: (text) => (shown += text) });
  pipe.emit('data', 'one\ntwo');
  expect(await piped.ask('1 ')).toBe('one');
  const asked = piped.ask('2 ', true);
  pipe.emit('end');
  expect(await asked).toBe('two');
  expect(shown).toBe('1 2 ');
});
