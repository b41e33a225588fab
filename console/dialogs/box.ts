/** Dialogs as boxes of lines. */
import { fieldWindow, listWindow, type TextState } from '#ui/edit.ts';
import { cutMiddle, widthOf, wrap } from '#ui/text.ts';
import type { Dialog, ScreenState, Size } from '../screen-state.ts';
import { fitLine, type Line, line, pad, span } from '../style.ts';

type Of<K extends Dialog['kind']> = Dialog & { kind: K };

function framed(title: string, body: readonly Line[], size: Size): Line[] {
  const inner = size.columns - 4;
  const rows = Math.max(1, size.rows - 2);
  const shown = body.length > rows ? [...body.slice(0, rows - 1), line(span(`+${body.length - rows + 1} more lines`, 'strong'))] : body;
  const head = `─ ${cutMiddle(title, Math.max(0, inner - 2))} `;
  const edge = span('│', 'warn');
  return [
    line(span(`┌${head}${'─'.repeat(Math.max(0, size.columns - 2 - widthOf(head)))}┐`, 'warn')),
    ...shown.map((l): Line => [edge, span(' '), ...fitLine(l, inner), span(' '), edge]),
    line(span(`└${'─'.repeat(size.columns - 2)}┘`, 'warn')),
  ];
}

const choice = (text: string, chosen: boolean): Line[number] => span(chosen ? `[> ${text} <]` : `   ${text}   `, chosen ? 'key' : 'plain');

/** A text that is being typed, with its cursor as a reverse cell. A secret is shown as stars. */
function field(label: string, state: TextState, width: number, focused: boolean, secret: boolean): Line {
  const shown = secret ? { ...state, value: '*'.repeat([...state.value].length) } : state;
  const { text, cursor } = fieldWindow(shown, width);
  const cells = [...pad(text, width)];
  const head = `${focused ? '>' : ' '} ${label} `;
  if (!focused) return line(span(head), span(`[${cells.join('')}]`));
  return line(
    span(head, 'strong'),
    span(`[${cells.slice(0, cursor).join('')}`),
    span(cells[cursor] ?? ' ', 'key'),
    span(`${cells.slice(cursor + 1).join('')}]`),
  );
}

const secondsLeft = (untilMs: number, s: ScreenState): number => Math.max(0, Math.ceil((untilMs - s.nowMs) / 1000));

/** Whole tens while there is time, so that a slow line is not busy with counting. */
const leftText = (untilMs: number, s: ScreenState): string => {
  const left = secondsLeft(untilMs, s);
  return `${left > 10 ? Math.ceil(left / 10) * 10 : left} s`;
};

function confirmLines(d: Of<'confirm'>, s: ScreenState, width: number, rows: number): Line[] {
  const wanted = d.plan.typed_confirm;
  const foot = [
    ...(wanted === null ? [] : [line(span(`Type ${wanted} to confirm, then Tab to Yes:`, 'strong')), field('', d.typed, 40, true, false)]),
    line(choice('No', !d.yes), '   ', choice('Yes', d.yes), span(`      No by itself in ${leftText(d.untilMs, s)}`, 'quiet')),
  ];
  const head = wrap(`${d.plan.summary}?`, width).map((t) => line(span(t, 'strong')));
  const body = d.plan.consequences.flatMap((c) => wrap(c, width).map((t) => line(t)));
  // The answers have their place, whatever the length of what comes before.
  const room = Math.max(1, rows - head.length - foot.length - 2);
  const shown = body.length > room ? [...body.slice(0, room - 1), line(span(`+${body.length - room + 1} more lines`, 'strong'))] : body;
  return [...head, [], ...shown, [], ...foot];
}

function menuLines(d: Of<'menu'>, rows: number): Line[] {
  const isPaged = d.items.length > rows;
  const { start, end } = listWindow(d.at, d.items.length, isPaged ? rows - 1 : rows);
  const lines = d.items.slice(start, end).map((item, i): Line => {
    const at = start + i === d.at;
    const text = `${at ? '>' : ' '} ${item.title.padEnd(28)} ${(item.key ?? '').padEnd(4)}`;
    if (item.why !== null) return line(span(text, at ? 'key' : 'quiet'), span(` ${item.why}`, 'quiet'));
    return line(span(text, at ? 'key' : 'plain'));
  });
  return isPaged ? [...lines, line(span(`  ${start + 1}-${end} of ${d.items.length}`, 'quiet'))] : lines;
}

function formLines(d: Of<'form'>, width: number): Line[] {
  const labels = Math.max(...d.fields.map((f) => f.arg.title.length));
  const fields = d.fields.map((f, i) => field(f.arg.title.padEnd(labels), f.state, width - labels - 6, i === d.at, f.arg.secret));
  const hint = d.fields[d.at]?.arg.wanted ?? '';
  return [...fields, [], d.fault === null ? line(span(hint, 'quiet')) : line(span(d.fault, 'bad'))];
}

function passwordLines(d: Of<'password'>, s: ScreenState, width: number): Line[] {
  const who = d.admins[d.at] ?? '';
  const more = d.admins.length > 1 ? `  (Up Down: one of ${d.admins.length} administrators)` : '';
  const state = d.busy
    ? line('checking ...')
    : d.fault === null
      ? line(span(`Goes away by itself in ${leftText(d.untilMs, s)}`, 'quiet'))
      : line(span(d.fault, 'bad'));
  return [
    line('Password of ', span(who, 'strong'), span(more, 'quiet')),
    field('', d.state, Math.min(40, width - 6), !d.busy, true),
    [],
    state,
  ];
}

/** The box of a dialog, `size` being the most it may take. */
export function boxOf(d: Dialog, s: ScreenState, size: Size): Line[] {
  const inner = size.columns - 4;
  const rows = Math.max(1, size.rows - 2);
  switch (d.kind) {
    case 'menu':
      return framed(d.title, menuLines(d, rows), size);
    case 'confirm':
      return framed('Confirm', confirmLines(d, s, inner, rows), size);
    case 'form':
      return framed(d.title, formLines(d, inner), size);
    case 'password':
      return framed(`${d.title}: administrator`, passwordLines(d, s, inner), size);
    case 'output': {
      const room = Math.max(1, size.rows - 4);
      const lines = d.lines.slice(-room).flatMap((t) => wrap(t, inner).map((w) => line(w)));
      return framed(d.title, [...lines.slice(-room), ...wrap(d.result ?? 'working ...', inner).map((t) => line(span(t, 'strong')))], size);
    }
    case 'note':
      return framed(
        d.title,
        wrap(d.text, inner).map((t) => line(t)),
        size,
      );
  }
}
