/** Before the machine is restarted on purpose: a version in its health window gets its verdict first. See docs/decisions/0017-updates.md. */

export interface WaitPorts {
  /** A version was swapped in and has no verdict yet. */
  readonly isPending: () => Promise<boolean>;
  /** An updater is at work, so a verdict will come. */
  readonly isJudging: () => Promise<boolean>;
  readonly startJudging: () => Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly monoMs: () => number;
  readonly note: (text: string) => void;
}

/** The start of the service and its window, and the way back; on a slow machine the boot goes on with it. */
export const WAIT_MS = 150_000;
const LOOK_MS = 1000;

/** False: there is no verdict after all this time, and whoever restarts the machine need not wait on; the next boot goes on with it. */
export async function awaitVerdict(ports: WaitPorts): Promise<boolean> {
  const endMs = ports.monoMs() + WAIT_MS;
  let isTold = false;
  let isStarted = false;
  while (await ports.isPending()) {
    if (!isTold) ports.note(`an update of the agent is being judged; waiting for its verdict, ${WAIT_MS / 1000} s at most`);
    isTold = true;
    if (ports.monoMs() >= endMs) return false;
    // The updater was killed: nobody would ever judge it before the next boot.
    if (!isStarted && !(await ports.isJudging())) {
      isStarted = true;
      await ports.startJudging();
    }
    await ports.sleep(LOOK_MS);
  }
  return true;
}
