import { endProcess, processesBelow } from '#system/process.ts';

const WAIT_MS = 30_000;
const POLL_MS = 50;

/**
 * Ends what a killed engine left running: its last command inside the target. SIGKILL takes effect only when a write to
 * the disk returns, and useradd's lock stands until then, so this waits for the end, and throws when it has not come after 30 s.
 */
export async function endLeftovers(root: string): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS;
  for (let left = await processesBelow(root); left.length > 0; left = await processesBelow(root)) {
    if (performance.now() > deadlineMs)
      throw new Error(`a command of an earlier run does not end (process ${left.join(', ')}): restart the machine`);
    for (const pid of left) endProcess(pid);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
