/** First line: product, host, clock. */
import { PRODUCT_NAME } from '#model/limits.ts';
import { localTime } from '../clock.ts';
import type { ScreenState } from '../screen-state.ts';
import { type Line, line, span, spread } from '../style.ts';

export const timezoneOf = (s: ScreenState): string => s.view.meta?.data?.timezone ?? 'UTC';

/** Below this the name of the product and the date give their cells to the name of the host. */
const NARROW_COLUMNS = 56;

/** The clock stays whole, whatever the length of the host name. */
export function headerLine(s: ScreenState, width: number): Line {
  const t = localTime(s.wallMs, timezoneOf(s));
  const host = s.view.identity?.data?.hostname ?? '?';
  if (width < NARROW_COLUMNS) return spread(line(' ', span(host, 'strong')), line(`${t.time} ${t.zone} `), width);
  const left = line(span(` ${PRODUCT_NAME}`, 'strong'), '  ', span(host, 'strong'));
  return spread(left, line(`${t.date} ${t.time} ${t.zone} `), width);
}
