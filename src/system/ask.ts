/** A line from a person at a terminal that must not be seen: stars instead of letters. */
import { readStdin } from './stdin.ts';

const MAX_BYTES = 4096;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** Characters of one key press taken into the line; null: given up. */
function take(line: string, keys: string): { readonly line: string; readonly end: 'no' | 'yes' | 'given_up' } {
  let now = line;
  for (const key of keys) {
    if (key === '\r' || key === '\n') return { line: now, end: 'yes' };
    if (key === CTRL_C || key === CTRL_D) return { line: now, end: 'given_up' };
    if (key === '\u007f' || key === '\b') now = now.slice(0, -1);
    else if (key >= ' ' && now.length < MAX_BYTES) now += key;
  }
  return { line: now, end: 'no' };
}

/**
 * The first line of standard input. At a terminal the prompt is written to standard error and what is typed shows as
 * stars. Null: given up with Ctrl-C or Ctrl-D.
 */
export async function askHidden(prompt: string): Promise<string | null> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY)
    return (
      Buffer.from(await readStdin(MAX_BYTES))
        .toString('utf8')
        .split('\n')[0] ?? ''
    );
  // Before the prompt: who answers it at once must not be echoed by the kernel.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stderr.write(prompt);
  try {
    return await new Promise((resolve) => {
      let line = '';
      const onData = (keys: string): void => {
        const taken = take(line, keys);
        line = taken.line;
        stderr.write(`\r\u001b[K${prompt}${'*'.repeat(line.length)}`);
        if (taken.end === 'no') return;
        stdin.off('data', onData);
        resolve(taken.end === 'yes' ? line : null);
      };
      stdin.on('data', onData);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}
