/** Styled lines: what every panel gives back. No terminal, no React; frames are compared as text in tests. */
import { cut, pad, widthOf } from '#ui/text.ts';

/** What a piece of text means. Each has a word or a sign beside it, so none depends on colour alone. */
export type Tone = 'plain' | 'strong' | 'quiet' | 'good' | 'warn' | 'bad' | 'info' | 'key';

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Span[];

export const span = (text: string, tone: Tone = 'plain'): Span => ({ text, tone });
export const line = (...spans: readonly (Span | string)[]): Line => spans.map((s) => (typeof s === 'string' ? span(s) : s));

export const widthOfLine = (l: Line): number => l.reduce((w, s) => w + widthOf(s.text), 0);

/** The text of a line, for tests and for terminals that cannot be addressed. */
export const textOf = (l: Line): string => l.map((s) => s.text).join('');

/** At most `width` cells; what is cut ends in `...`. */
export function cutLine(l: Line, width: number): Line {
  if (widthOfLine(l) <= width) return l;
  const out: Span[] = [];
  let left = width;
  for (const [i, s] of l.entries()) {
    const w = widthOf(s.text);
    const following = l.slice(i + 1).some((n) => n.text !== '');
    if (w < left || (w === left && !following)) {
      out.push(s);
      left -= w;
      continue;
    }
    // The dots have to fall into this span, also when it would just have fitted.
    out.push({ ...s, text: w === left ? cut(`${s.text}....`, left) : cut(s.text, left) });
    break;
  }
  return out;
}

/** Exactly `width` cells. */
export function fitLine(l: Line, width: number): Line {
  const fitted = cutLine(l, width);
  const missing = width - widthOfLine(fitted);
  return missing > 0 ? [...fitted, span(' '.repeat(missing))] : fitted;
}

/** Left and right ends of one line; the right one stays whole and the left is cut. */
export function spread(left: Line, right: Line, width: number): Line {
  const rightWidth = widthOfLine(right);
  if (rightWidth >= width) return fitLine(right, width);
  return [...fitLine(left, width - rightWidth - 1), span(' '), ...right];
}

/** `── Title ── note ───────` over the whole width. */
export function rule(title: string, width: number, tone: Tone = 'info', note = ''): Line {
  const head = title === '' ? '' : `─ ${title} `;
  const tail = note === '' ? '' : ` ${note} ─`;
  const middle = Math.max(0, width - widthOf(head) - widthOf(tail));
  return cutLine([span(head, tone), span('─'.repeat(middle), 'quiet'), span(tail, 'quiet')], width);
}

/** A row of pieces between separators, broken into as many lines as it takes; a piece is never broken. */
export function flow(pieces: readonly Line[], width: number, separator = '  '): Line[] {
  const lines: Span[][] = [];
  let used = 0;
  for (const piece of pieces) {
    const w = widthOfLine(piece);
    if (w === 0) continue;
    const last = lines.at(-1);
    if (last && used + separator.length + w <= width) {
      last.push(span(separator), ...piece);
      used += separator.length + w;
    } else {
      lines.push([...cutLine(piece, width)]);
      used = Math.min(w, width);
    }
  }
  return lines;
}

const BAR_CELLS = 10;

/** A bar of `cells` for a share of 0 to 100. Any share above zero shows; null draws no bar, since it is not zero. */
export function bar(pct: number | null, tone: Tone, cells = BAR_CELLS): Line {
  if (pct === null) return [span('?'.padEnd(cells), 'quiet')];
  const filled = pct <= 0 ? 0 : Math.max(1, Math.min(cells, Math.round((pct / 100) * cells)));
  return [span('█'.repeat(filled), tone), span('░'.repeat(cells - filled), 'quiet')];
}

export { cut, pad, widthOf };
