/** Keys that the chosen role never uses. */
import type { Case } from './case.ts';
import { KEYS } from './keys.ts';

/** Keys that the chosen role never uses: `key.unused`. */
export function judgeUnused(c: Case): void {
  if (c.role === null) return;
  for (const key of KEYS) {
    // k3s has words of its own (k3s.ts), and its parts go with it.
    if (key.role === null || key.role === c.role || key.path === 'k3s' || key.path.includes('.') || !c.isWritten(key.path)) continue;
    c.report(key.path, {
      rule: 'key.unused',
      message: `is not used by the role ${c.role}, so it is ignored`,
      fix: 'take it out, or check role',
    });
  }
}
