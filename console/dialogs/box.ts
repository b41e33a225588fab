/** Dialogs as boxes of lines. */
import { wrap } from '#ui/text.ts';
import type { Dialog, ScreenState, Size } from '../screen-state.ts';
import { fitLine, type Line, line, span } from '../style.ts';

function framed(title: string, body: readonly Line[], size: Size): Line[] {
  const inner = size.columns - 4;
  const rows = Math.max(1, size.rows - 2);
  const shown = body.length > rows ? [...body.slice(0, rows - 1), line(span(`+${body.length - rows + 1} more lines`, 'strong'))] : body;
  const head = `─ ${title} `;
  const edge = span('│', 'warn');
  return [
    line(span(`┌${head}${'─'.repeat(Math.max(0, size.columns - 2 - head.length))}┐`, 'warn')),
    ...shown.map((l): Line => [edge, span(' '), ...fitLine(l, inner), span(' '), edge]),
    line(span(`└${'─'.repeat(size.columns - 2)}┘`, 'warn')),
  ];
}

const choice = (text: string, chosen: boolean): Line[number] => span(chosen ? `[> ${text} <]` : `   ${text}   `, chosen ? 'key' : 'plain');

function confirmLines(d: Dialog & { kind: 'confirm' }, s: ScreenState, width: number): Line[] {
  const left = Math.max(0, Math.ceil((d.untilMs - s.nowMs) / 1000));
  return [
    ...wrap(`${d.plan.summary}?`, width).map((t) => line(span(t, 'strong'))),
    [],
    ...d.plan.consequences.flatMap((c) => wrap(c, width).map((t) => line(t))),
    [],
    line(choice('No', !d.yes), '   ', choice('Yes', d.yes), span(`      No by itself in ${left} s`, 'quiet')),
  ];
}

function menuLines(d: Dialog & { kind: 'menu' }): Line[] {
  return d.items.map((item, i) => {
    const at = i === d.at;
    const text = `${at ? '>' : ' '} ${item.title.padEnd(28)} ${(item.key ?? '').padEnd(4)}`;
    return item.why === null ? line(span(text, at ? 'key' : 'plain')) : line(span(text, 'quiet'), span(` ${item.why}`, 'quiet'));
  });
}

/** The box of a dialog, `size` being the most it may take. */
export function boxOf(d: Dialog, s: ScreenState, size: Size): Line[] {
  const inner = size.columns - 4;
  switch (d.kind) {
    case 'menu':
      return framed(d.title, menuLines(d), size);
    case 'confirm':
      return framed('Confirm', confirmLines(d, s, inner), size);
    case 'output': {
      const room = Math.max(1, size.rows - 4);
      const lines = d.lines.slice(-room).flatMap((t) => wrap(t, inner).map((w) => line(w)));
      return framed(d.title, [...lines.slice(-room), line(span(d.result ?? 'working ...', 'strong'))], size);
    }
    case 'note':
      return framed(
        d.title,
        wrap(d.text, inner).map((t) => line(t)),
        size,
      );
  }
}
