/** Waits for a condition. The limit is for what never comes; a test that passes waits no longer than it must. */
const NEVER_MS = 50_000;
const POLL_MS = 20;

export async function waitFor(check: () => boolean | Promise<boolean>, what: string, limitMs = NEVER_MS): Promise<void> {
  const untilMs = performance.now() + limitMs;
  while (!(await check())) {
    if (performance.now() > untilMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((r) => setTimeout(r, POLL_MS));
  }
}
