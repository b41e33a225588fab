/** What a test opened is closed after it, the last first. */
import { afterEach } from 'vitest';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

export const atEnd = (...acts: readonly (() => unknown)[]): void => void ends.push(...acts);
