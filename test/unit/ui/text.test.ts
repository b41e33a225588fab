import { describe, expect, it } from 'vitest';
import { editText, fieldWindow, leftOut, listWindow, moveInList, type TextState } from '#ui/edit.ts';
import type { Key, KeyName } from '#ui/terminal/keys.ts';
import { cut, cutMiddle, pad, sanitise, widthOf, wrap } from '#ui/text.ts';

const key = (name: KeyName, text = ''): Key => ({ name, text, shift: false, alt: false, ctrl: name === 'ctrl' });
const edit = (start: string, ...keys: Key[]): TextState =>
  keys.reduce((state, pressed) => editText(state, pressed) ?? state, { value: start, cursor: [...start].length });

describe('text', () => {
  it('wraps at blanks, keeps the indent, and breaks what is longer than a line', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('  one two three', 8)).toEqual(['  one', '  two', '  three']);
    expect(wrap('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
    expect(wrap('', 10)).toEqual(['']);
  });

  it('breaks wide characters by the cells they take, and ends however far a text is indented', () => {
    expect(wrap('\u6f22\u5b57\u6f22\u5b57', 5)).toEqual(['\u6f22\u5b57', '\u6f22\u5b57']);
    expect(wrap(`${' '.repeat(90)}word`, 10)).toEqual(['     word']);
    expect(wrap('ab \u6f22', 1)).toEqual(['a', 'b', '\u6f22']);
    for (const width of [0, -3]) expect(wrap('a \u6f22', width)).toEqual(['a', '\u6f22']);
    expect(wrap('x'.repeat(20_000), 1)).toHaveLength(20_000);
  });

  it('cuts and pads by cells, not by characters', () => {
    expect(cut('abcdef', 5)).toBe('ab...');
    expect(widthOf(pad('漢字', 7))).toBe(7);
    expect(cut('漢字漢字', 6)).toBe('漢...');
    expect(widthOf('e\u0301')).toBe(1);
  });

  it('keeps both ends of a name', () => {
    expect(cutMiddle('very-long-pod-name-137', 15)).toBe('very-l...me-137');
    expect(cutMiddle('short', 15)).toBe('short');
    expect(cutMiddle('abcdefghijkl', 8)).toBe('abcde...');
    for (let width = 1; width < 24; width += 1)
      expect(widthOf(cutMiddle('漢字漢字e\u0301漢字abc漢字漢字', width))).toBeLessThanOrEqual(width);
  });

  it('makes text from outside harmless', () => {
    expect(sanitise('a\x1b[2Jb\x9b1m\u202ec')).toBe('a?[2Jb?1m?c');
  });

  it('lets no text through that moves a cursor, hides or starts a line, whichever way it is fitted', () => {
    const evil = 'a\x1b[2J\r\nFAKE\x00\x07\x9b\u202e\u200b\u2066\u2028\xad\ufeffz';
    const harmless = /^[ -~]*$/;
    for (const text of [cut(evil, 60), cut(evil, 5), pad(evil, 60), ...wrap(evil, 60), ...wrap(`x ${evil}`, 4)])
      expect(text).toMatch(harmless);
  });
});

describe('editText', () => {
  it('edits at the cursor, by code points', () => {
    expect(edit('ab', key('left'), key('text', 'ü'))).toEqual({ value: 'aüb', cursor: 2 });
    expect(edit('a\u{1f512}b', key('left'), key('backspace'))).toEqual({ value: 'ab', cursor: 1 });
    expect(edit('abc', key('home'), key('delete'))).toEqual({ value: 'bc', cursor: 0 });
  });

  it('knows the keys of a shell line', () => {
    expect(edit('one two', key('ctrl', 'w')).value).toBe('one ');
    expect(edit('one two', key('ctrl', 'u')).value).toBe('');
    expect(edit('one two', key('ctrl', 'a'), key('ctrl', 'k')).value).toBe('');
    expect(editText({ value: '', cursor: 0 }, key('ctrl', 'x'))).toBeNull();
  });

  it('takes no control characters, and of a paste the first line only', () => {
    expect(edit('', key('text', 'a\x07b')).value).toBe('ab');
    expect(edit('', key('paste', 'one\ntwo')).value).toBe('one');
  });

  it('takes no more than a field holds', () => {
    expect(edit('', key('text', 'x'.repeat(20_000))).value).toHaveLength(8192);
  });
});

describe('lists', () => {
  it('stop at their ends', () => {
    expect(moveInList(0, 3, key('up'))).toBeNull();
    expect(moveInList(2, 3, key('down'))).toBeNull();
    expect(moveInList(0, 30, key('pagedown'))).toBe(10);
    expect(moveInList(0, 3, key('end'))).toBe(2);
  });

  it('show pages, with the last one full', () => {
    expect(listWindow(0, 5, 10)).toEqual({ start: 0, end: 5 });
    expect(listWindow(9, 25, 10)).toEqual({ start: 0, end: 10 });
    expect(listWindow(10, 25, 10)).toEqual({ start: 10, end: 20 });
    expect(listWindow(24, 25, 10)).toEqual({ start: 15, end: 25 });
  });

  it('keep the cursor of a long text in sight', () => {
    const state = { value: 'x'.repeat(100), cursor: 100 };
    const window = fieldWindow(state, 20);
    expect(window.cursor).toBeLessThan(20);
    expect(fieldWindow({ value: 'abc', cursor: 3 }, 20)).toEqual({ text: 'abc', cursor: 3 });
  });

  it('show what was just typed, the cursor, and that there is more, wherever the cursor is', () => {
    for (const length of [7, 8, 9, 30, 31])
      for (let cursor = 0; cursor <= length; cursor += 1) {
        const value = Array.from({ length }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
        const shown = fieldWindow({ value, cursor }, 8);
        expect(shown.text.length).toBeLessThanOrEqual(8);
        expect(shown.cursor).toBeLessThan(8);
        expect(shown.text[shown.cursor] ?? '', `${length} ${cursor}`).toBe(value[cursor] ?? '');
        if (cursor > 0) expect(shown.text[shown.cursor - 1]).toMatch(/[a-z]/);
        expect(shown.text.startsWith('<')).toBe(length >= 8 && cursor >= 7);
      }
  });

  it('say what they do not take', () => {
    const typed = (name: 'text' | 'paste', text: string, value = '') =>
      leftOut({ value, cursor: 0 }, { name, text, shift: false, alt: false, ctrl: false });
    expect(typed('text', 'abc')).toBeNull();
    expect(typed('paste', 'abc\n')).toBeNull();
    expect(typed('paste', 'abc\ndef')).toMatch(/one line/);
    expect(typed('paste', 'x'.repeat(100_000))).toMatch(/8192 characters/);
    expect(typed('text', 'x', 'y'.repeat(8192))).toMatch(/8192 characters/);
  });
});
