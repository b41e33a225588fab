/** Column charts with the three shades that every console font has. */
import { type Line, span, type Tone } from './style.ts';

const SHADES = [' ', '░', '▒', '█'] as const;
/** A time that was not measured, in the lowest row: neither zero nor, in ASCII, a small value. */
const GAP = '─';

/**
 * The newest values at the right edge, `height` rows of `width` cells, top row first. A value above zero always shows.
 * @param max value of a full column
 */
export function columnChart(values: readonly (number | null)[], width: number, height: number, max: number, tone: Tone): Line[] {
  const part = values.slice(-width);
  const steps = part.map((v) =>
    v === null ? null : v <= 0 || max <= 0 ? 0 : Math.max(1, Math.min(height * 3, Math.round((v / max) * height * 3))),
  );
  const indent = ' '.repeat(width - part.length);
  return Array.from({ length: height }, (_, y) => {
    const below = (height - 1 - y) * 3;
    const cells = steps.map((s) => (s === null ? (below === 0 ? GAP : ' ') : (SHADES[Math.max(0, Math.min(3, s - below))] ?? ' ')));
    return [span(indent + cells.join(''), tone)];
  });
}
