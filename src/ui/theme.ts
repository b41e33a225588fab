/** Meaning to looks. Only the 16 names, and never colour alone: each has a word, a sign or reverse video beside it. */

export type Tone = 'plain' | 'title' | 'error' | 'warning' | 'good' | 'quiet';

export interface Look {
  readonly color?: 'red' | 'yellow' | 'green' | 'cyan' | 'blue';
  readonly bold?: boolean;
}

const LOOKS: Readonly<Record<Tone, Look>> = {
  plain: {},
  title: { bold: true },
  error: { color: 'red', bold: true },
  warning: { color: 'yellow' },
  good: { color: 'green' },
  quiet: { color: 'cyan' },
};

export const lookOf = (tone: Tone): Look => LOOKS[tone];

/** Signs that every console font and ASCII have. */
export const SIGNS = { pointer: '>', checked: '[x]', unchecked: '[ ]', chosen: '(*)', unchosen: '( )', fault: '!', kept: '*' } as const;
