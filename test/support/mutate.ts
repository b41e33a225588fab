/** Documents spoiled at random, the same for the same seed. */

const ODD: readonly unknown[] = [
  null,
  undefined,
  0,
  -1,
  1e308,
  2 ** 53,
  Number.NaN,
  '',
  '\u001b[31mred',
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '\u65e5\u672c\u0301\u200b\ud800',
  'a'.repeat(3000),
  '\u{1f3f3}\ufe0f\u200d\u{1f308}'.repeat(30),
  true,
  [],
  {},
  [[]],
  { list: [1] },
];

/** Numbers from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

export const pick = <T>(random: () => number, of: readonly T[]): T => of[Math.floor(random() * 0.9999 * of.length)] as T;

/** A copy in which a few values are odd ones, a few fields are gone, and a few lists are longer. */
export function spoiled(value: unknown, random: () => number): unknown {
  if (random() < 0.03) return pick(random, ODD);
  if (Array.isArray(value)) {
    const list = value.map((v) => spoiled(v, random));
    return random() < 0.05 ? [...list, ...list, pick(random, ODD)] : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(() => random() >= 0.02);
  return Object.fromEntries(kept.map(([k, v]) => [k, spoiled(v, random)]));
}
