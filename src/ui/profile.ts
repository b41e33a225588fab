/** What a terminal can show, from TERM, the locale and NO_COLOR, or as forced by a flag. */

export type ColourDepth = 'ansi16' | 'mono';
export type GlyphSet = 'unicode' | 'ascii';

export interface TerminalProfile {
  readonly colour: ColourDepth;
  readonly glyphs: GlyphSet;
  /** False: no cursor movement at all; questions are asked line by line. */
  readonly addressable: boolean;
  /** The terminal has an alternate screen, so the operator's text comes back afterwards. */
  readonly alternateScreen: boolean;
  readonly bracketedPaste: boolean;
}

export interface ProfileFlags {
  readonly colour?: ColourDepth;
  readonly glyphs?: GlyphSet;
  readonly addressable?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const LINE_TERMS = new Set(['', 'dumb', 'unknown', 'emacs']);
/** Terminals whose descriptions have no colours (terminfo: no setaf), or say so in their name. */
const MONO_TERMS = /^vt\d|-m$|-mono$|^hp|^wyse/;
const ASCII_TERMS = /^vt\d|^ansi|^hp|^wyse/;
const RICH_TERMS = /^(xterm|screen|tmux|rxvt|konsole|gnome|foot|kitty|alacritty|st|putty)/;

const isUtf8Locale = (env: Environment): boolean => {
  // The first one set decides, as in setlocale(3).
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8$/i.test(locale.split('@')[0] ?? '');
};

/**
 * @param env environment of the program on that terminal (TERM, LC_ALL, LC_CTYPE, LANG, NO_COLOR are read)
 * @param flags what a command-line flag forces
 */
export function detectProfile(env: Environment, flags: ProfileFlags = {}): TerminalProfile {
  const term = env['TERM'] ?? '';
  const mono = (env['NO_COLOR'] ?? '') !== '' || MONO_TERMS.test(term) || LINE_TERMS.has(term);
  const ascii = !isUtf8Locale(env) || ASCII_TERMS.test(term) || LINE_TERMS.has(term);
  const rich = RICH_TERMS.test(term);
  return {
    colour: flags.colour ?? (mono ? 'mono' : 'ansi16'),
    glyphs: flags.glyphs ?? (ascii ? 'ascii' : 'unicode'),
    addressable: flags.addressable ?? !LINE_TERMS.has(term),
    alternateScreen: rich,
    bracketedPaste: rich,
  };
}
