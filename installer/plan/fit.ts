/** Lines for a screen of 80 columns, broken at blanks only: what somebody copies from it stays whole. */

const COLUMNS = 80;

/** `text` behind `lead`; what does not fit goes on below, indented by `hang`. A word longer than a line stands alone. */
export function wrapped(lead: string, text: string, hang: number): string[] {
  const lines: string[] = [];
  let line = lead;
  let isFresh = true;
  for (const word of text.split(' ').filter((w) => w !== '')) {
    if (!isFresh && line.length + 1 + word.length > COLUMNS) {
      lines.push(line.trimEnd());
      line = ' '.repeat(hang);
      isFresh = true;
    }
    line += isFresh ? word : ` ${word}`;
    isFresh = false;
  }
  return [...lines, line.trimEnd()];
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[], indent: string): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return rows.map((row) => `${indent}${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd());
}

const GAP = 2;

/**
 * Things with a remark each: the remarks in a column at the right of those that are no wider than `widest`, and on a line
 * of their own, indented by `hang`, where they do not fit.
 */
export function remarked(rows: readonly (readonly [thing: string, remark: string])[], widest: number, hang: number): string[] {
  const column = GAP + Math.max(0, ...rows.map(([thing]) => thing.length).filter((length) => length <= widest));
  return rows.flatMap(([thing, remark]) => {
    if (remark === '') return [thing];
    const lead = thing.padEnd(column);
    if (thing.length + GAP <= column && lead.length + remark.length <= COLUMNS) return [lead + remark];
    return [thing, ...wrapped(' '.repeat(hang), remark, hang)];
  });
}
