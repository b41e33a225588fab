/** Which lines of a body fit where. Pure, so that a test can ask for any size. */

import type { Body, BodyLine, Item } from '#installer/wizard/types.ts';
import type { Line } from '#ui/parts/lines.tsx';
import { wrap } from '#ui/text.ts';

export interface BodyLayout {
  readonly intro: readonly Line[];
  /** Rows of each `list` and `search`, by item id, heading and page line included. */
  readonly listRows: Readonly<Record<string, number>>;
  readonly aside: readonly Line[];
  readonly messages: readonly Line[];
}

const MAX_MESSAGE_ROWS = 8;
const MIN_LIST_ROWS = 3;
/** A list in a form leaves these rows for messages, so that it does not jump when one appears. */
const FORM_RESERVE_ROWS = 3;

function wrapLines(lines: readonly BodyLine[], width: number): Line[] {
  return lines.flatMap((line) => wrap(line.text, width).map((text): Line => (line.tone ? { text, tone: line.tone } : { text })));
}

const isList = (item: Item): item is Extract<Item, { kind: 'list' | 'search' }> => item.kind === 'list' || item.kind === 'search';

/** Rows an item takes beside the rows of its list: its heading, and the query of a search. */
function fixedRows(item: Item): number {
  if (item.kind === 'search') return 1;
  if (item.kind === 'list') return item.head === undefined ? 0 : 1;
  return 1;
}

/** Lists share what is left; each gets no more than it has options. */
function shareRows(items: readonly Item[], available: number): Record<string, number> {
  const lists = items.filter(isList);
  const rows: Record<string, number> = {};
  let left = available;
  lists.forEach((item, index) => {
    const fair = Math.floor(left / (lists.length - index));
    rows[item.id] = Math.max(Math.min(MIN_LIST_ROWS, item.options.length), Math.min(item.options.length, fair));
    left -= rows[item.id] ?? 0;
  });
  return rows;
}

/** @param height rows of the body; what does not fit is cut from the aside first */
export function layoutBody(body: Body, messages: readonly BodyLine[], width: number, height: number): BodyLayout {
  const said = wrapLines(messages, width).slice(0, MAX_MESSAGE_ROWS);
  const intro = wrapLines(body.intro, width);
  const aside = wrapLines(body.aside, width);
  const fixed = body.items.reduce((sum, item) => sum + fixedRows(item), 0) + (body.progress === undefined ? 0 : 1);
  const listed = body.items.filter(isList).reduce((sum, item) => sum + Math.min(MIN_LIST_ROWS, item.options.length), 0);
  const introRows = Math.max(0, Math.min(intro.length, height - said.length - fixed - listed));
  const forAside = Math.max(0, Math.min(aside.length, height - said.length - fixed - listed - introRows));
  const isForm = body.items.some((item) => !isList(item));
  const below = isForm ? Math.max(said.length, FORM_RESERVE_ROWS) : said.length;
  const listRows = shareRows(body.items, height - below - fixed - introRows - forAside);
  return { intro: intro.slice(0, introRows), listRows, aside: aside.slice(0, forAside), messages: said };
}
