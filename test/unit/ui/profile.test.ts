import { describe, expect, it } from 'vitest';
import { detectProfile } from '#ui/profile.ts';

const seen = (env: Record<string, string>): string => {
  const p = detectProfile(env);
  return [p.colour, p.glyphs, p.addressable ? 'screen' : 'lines', p.alternateScreen ? 'alternate' : 'plain'].join(' ');
};

describe('detectProfile', () => {
  it.each([
    [{ TERM: 'linux', LANG: 'C.UTF-8' }, 'ansi16 unicode screen plain'],
    [{ TERM: 'linux' }, 'ansi16 ascii screen plain'],
    [{ TERM: 'xterm-256color', LANG: 'en_GB.utf8' }, 'ansi16 unicode screen alternate'],
    [{ TERM: 'xterm-256color', LANG: 'de_DE.UTF-8@euro' }, 'ansi16 unicode screen alternate'],
    [{ TERM: 'xterm', LC_ALL: 'C', LANG: 'en_GB.UTF-8' }, 'ansi16 ascii screen alternate'],
    [{ TERM: 'vt220', LANG: 'C.UTF-8' }, 'mono ascii screen plain'],
    [{ TERM: 'vt100' }, 'mono ascii screen plain'],
    [{ TERM: 'ansi', LANG: 'C.UTF-8' }, 'ansi16 ascii screen plain'],
    [{ TERM: 'screen', LANG: 'C.UTF-8', NO_COLOR: '1' }, 'mono unicode screen alternate'],
    [{ TERM: 'xterm-mono', LANG: 'C.UTF-8' }, 'mono unicode screen alternate'],
    [{ TERM: 'dumb', LANG: 'C.UTF-8' }, 'mono ascii lines plain'],
    [{}, 'mono ascii lines plain'],
  ])('%j', (env, expected) => {
    expect(seen(env)).toBe(expected);
  });

  it('lets a flag win', () => {
    expect(detectProfile({ TERM: 'vt220' }, { colour: 'ansi16', glyphs: 'unicode', addressable: false })).toMatchObject({
      colour: 'ansi16',
      glyphs: 'unicode',
      addressable: false,
    });
  });
});
