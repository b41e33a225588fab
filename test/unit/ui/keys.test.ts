import { describe, expect, it } from 'vitest';
import { decodeKeys } from '#ui/terminal/keys.ts';

const names = (text: string, final = true): string[] =>
  decodeKeys(text, final).events.map((e) =>
    e.key
      ? `${e.key.ctrl ? 'C-' : ''}${e.key.alt ? 'A-' : ''}${e.key.shift ? 'S-' : ''}${e.key.name}${e.key.text ? `:${e.key.text}` : ''}`
      : e.cursor
        ? `at ${e.cursor.row},${e.cursor.column}`
        : 'nothing',
  );

describe('decodeKeys', () => {
  it.each([
    [
      'linux',
      [
        '\x1b[[A',
        '\x1b[[B',
        '\x1b[[C',
        '\x1b[[D',
        '\x1b[[E',
        '\x1b[17~',
        '\x1b[18~',
        '\x1b[19~',
        '\x1b[20~',
        '\x1b[21~',
        '\x1b[23~',
        '\x1b[24~',
      ],
    ],
    [
      'xterm',
      [
        '\x1bOP',
        '\x1bOQ',
        '\x1bOR',
        '\x1bOS',
        '\x1b[15~',
        '\x1b[17~',
        '\x1b[18~',
        '\x1b[19~',
        '\x1b[20~',
        '\x1b[21~',
        '\x1b[23~',
        '\x1b[24~',
      ],
    ],
    [
      'vt220',
      [
        '\x1b[11~',
        '\x1b[12~',
        '\x1b[13~',
        '\x1b[14~',
        '\x1b[15~',
        '\x1b[17~',
        '\x1b[18~',
        '\x1b[19~',
        '\x1b[20~',
        '\x1b[21~',
        '\x1b[23~',
        '\x1b[24~',
      ],
    ],
    ['Esc and a digit', ['\x1b1', '\x1b2', '\x1b3', '\x1b4', '\x1b5', '\x1b6', '\x1b7', '\x1b8', '\x1b9', '\x1b0']],
  ])('reads the function keys of %s', (_term, sequences) => {
    expect(sequences.flatMap((s) => names(s))).toEqual(sequences.map((_, i) => `f${i + 1}`));
  });

  it('reads F13 to F20', () => {
    expect(['25', '26', '28', '29', '31', '32', '33', '34'].flatMap((n) => names(`\x1b[${n}~`))).toEqual(
      [13, 14, 15, 16, 17, 18, 19, 20].map((n) => `f${n}`),
    );
  });

  it('reads moves in normal, application and numbered form', () => {
    expect(names('\x1b[A\x1bOB\x1b[C\x1b[D\x1b[H\x1bOF\x1b[1~\x1b[4~\x1b[5~\x1b[6~\x1b[3~\x1b[Z')).toEqual([
      'up',
      'down',
      'right',
      'left',
      'home',
      'end',
      'home',
      'end',
      'pageup',
      'pagedown',
      'delete',
      'backtab',
    ]);
  });

  it('reads modifiers', () => {
    expect(names('\x1b[1;5C\x1b[1;2P\x1b[15;5~\x1bx\x01')).toEqual(['C-right', 'S-f1', 'C-f5', 'A-text:x', 'C-ctrl:a']);
  });

  it('tells a size report from a modified F3', () => {
    expect(names('\x1b[24;80R\x1b[1;2R')).toEqual(['at 24,80', 'S-f3']);
  });

  it('keeps an unfinished sequence until the rest comes', () => {
    const first = decodeKeys('a\x1b[1', false);
    expect(first.rest).toBe('\x1b[1');
    expect(names(`${first.rest}5~`, false)).toEqual(['f5']);
  });

  it('takes a lone Esc only when nothing follows', () => {
    expect(decodeKeys('\x1b', false)).toEqual({ events: [], rest: '\x1b' });
    expect(names('\x1b')).toEqual(['escape']);
    expect(names('\x1b\x1b')).toEqual(['escape', 'escape']);
    expect(names('\x1b\x1b[F')).toEqual(['escape', 'end']);
  });

  it('drops what a terminal answers to somebody who asked before, whole or in pieces', () => {
    for (const answer of ['\x1bP>|xterm(390)\x1b\\', '\x1b]11;rgb:0000/0000/0000\x07', '\x1b]0;t\x1b\\', '\x1b_x\x1b\\']) {
      expect(names(`${answer}a`), JSON.stringify(answer)).toEqual(['nothing', 'text:a']);
      for (let cutAt = 2; cutAt < answer.length; cutAt += 1) {
        const first = decodeKeys(answer.slice(0, cutAt), false);
        expect(first.events, JSON.stringify(answer.slice(0, cutAt))).toEqual([]);
        expect(names(first.rest + answer.slice(cutAt))).toEqual(['nothing']);
      }
    }
    expect(names('\x1bP')).toEqual(['A-text:P']);
    expect(names('\x1b]no end')).toEqual(['A-text:]', 'text:no end']);
  });

  it('drops a sequence that it does not know', () => {
    expect(names('\x1b[99~x')).toEqual(['nothing', 'text:x']);
  });

  it('takes CR, LF and CRLF as one Enter each', () => {
    expect(names('\r')).toEqual(['enter']);
    expect(names('\n')).toEqual(['enter']);
    expect(names('\r\n')).toEqual(['enter']);
    expect(names('\r\r')).toEqual(['enter', 'enter']);
  });

  it('keeps a bracketed paste in one piece, line ends and escape sequences included', () => {
    expect(names('\x1b[200~one\r\ntwo\rthree\x1b[201~x')).toEqual(['paste:one\ntwo\nthree', 'text:x']);
    expect(decodeKeys('\x1b[200~half', false).rest).toBe('\x1b[200~half');
    expect(names('\x1b[200~half')).toEqual(['paste:half']);
  });

  it('takes lines that arrive in one read for a paste, and one line with Enter for typing', () => {
    expect(names('ssh-ed25519 AAAA a\nssh-ed25519 BBBB b\n')).toEqual(['paste:ssh-ed25519 AAAA a\nssh-ed25519 BBBB b\n']);
    expect(names('ddi1\r')).toEqual(['text:ddi1', 'enter']);
  });

  it('reads text beyond ASCII and drops what was not UTF-8', () => {
    expect(names('gr\u00fcn\u{1f512}')).toEqual(['text:gr\u00fcn\u{1f512}']);
    expect(names('\ufffd')).toEqual([]);
  });
});
