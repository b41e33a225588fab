/** Order of release versions, as semantic versioning has it. Pure. */

const FORM = /^(\d{1,9}(?:\.\d{1,9}){0,3})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const MAX_LENGTH = 64;

/** May stand in a file name and be compared. */
export const isVersion = (text: string): boolean => text.length <= MAX_LENGTH && FORM.test(text);

const isNumber = (part: string): boolean => /^\d+$/.test(part);

function comparePart(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  // A number is lower than a word.
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareParts(a: readonly string[], b: readonly string[], missing: string | null): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const x = a[i] ?? missing;
    const y = b[i] ?? missing;
    if (x === null || y === null) return x === y ? 0 : x === null ? -1 : 1;
    const order = comparePart(x, y);
    if (order !== 0) return Math.sign(order);
  }
  return 0;
}

/**
 * Negative, 0 or positive; null when one of them is no version. 0 does not mean "the same": what stands behind a plus
 * has no order, so two builds of one version compare as equal.
 */
export function compareVersions(a: string, b: string): number | null {
  const x = isVersion(a) ? FORM.exec(a) : null;
  const y = isVersion(b) ? FORM.exec(b) : null;
  if (x === null || y === null) return null;
  const numbers = compareParts((x[1] ?? '').split('.'), (y[1] ?? '').split('.'), '0');
  if (numbers !== 0) return numbers;
  // A version with a suffix comes before the one without.
  if ((x[2] === undefined) !== (y[2] === undefined)) return x[2] === undefined ? 1 : -1;
  return compareParts((x[2] ?? '').split('.'), (y[2] ?? '').split('.'), null);
}
