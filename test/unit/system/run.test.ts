import { describe, expect, it } from 'vitest';
import { Secret } from '#model/secret.ts';
import { CommandError, describeEnd, run, runOk, succeeded } from '#system/run.ts';

describe('run', () => {
  it('gives the exit status, both outputs and the last lines', async () => {
    const result = await run(['sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(result).toMatchObject({ kind: 'exited', code: 3, stdout: 'out\n', stderr: 'err\n' });
    expect([...result.tail].sort()).toEqual(['err', 'out']);
    expect(describeEnd(result)).toBe('exit status 3');
  });

  it('feeds a secret on standard input and passes no environment on', async () => {
    process.env['SPATIUM_TEST_LEAK'] = 'leak';
    const result = await run(['sh', '-c', 'cat; env'], { stdin: new Secret('s3cret!') });
    expect(result.stdout.startsWith('s3cret!')).toBe(true);
    expect(result.stdout).toContain('LC_ALL=C');
    expect(result.stdout).not.toContain('SPATIUM_TEST_LEAK');
    expect(JSON.stringify(result.argv)).not.toContain('s3cret');
  });

  it('ends a command that takes too long', async () => {
    const result = await run(['sleep', '30'], { timeoutMs: 100 });
    expect(result.kind).toBe('timeout');
    expect(succeeded(result)).toBe(false);
  });

  it('ends a command that ignores SIGTERM', async () => {
    const result = await run(['sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done'], { timeoutMs: 100 });
    expect(result.kind).toBe('timeout');
  });

  it.each([
    ['that it leaves behind', 'echo out; setsid sleep 30 & exit 3', {}, { kind: 'exited', code: 3 }],
    ['that outlives its time', 'trap "" TERM; echo out; setsid sleep 30 & sleep 20', { timeoutMs: 200 }, { kind: 'timeout' }],
  ])(
    'ends although a process %s holds its output',
    async (_what, script, options, wanted) => {
      const beganMs = Date.now();
      expect(await run(['sh', '-c', script], options)).toMatchObject({ ...wanted, stdout: 'out\n' });
      expect(Date.now() - beganMs).toBeLessThan(10_000);
    },
    20_000,
  );

  it('tells a missing tool from a failing one', async () => {
    const result = await run(['no-such-tool-anywhere']);
    expect(result).toMatchObject({ kind: 'not_started', errno: 'ENOENT' });
    expect(describeEnd(result)).toBe('not installed');
  });

  it('reports a signal as one, and an abort too', async () => {
    expect(await run(['sh', '-c', 'kill -9 $$'])).toMatchObject({ kind: 'signaled', signal: 'SIGKILL' });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    expect((await run(['sleep', '30'], { signal: abort.signal })).kind).toBe('signaled');
  });

  it('hands out lines as they come, split at carriage returns too', async () => {
    const lines: string[] = [];
    await run(['printf', '10%%\\r20%%\\rdone'], { onLine: (line) => lines.push(line) });
    expect(lines).toEqual(['10%', '20%', 'done']);
  });

  it('keeps at most maxBytes but reads on', async () => {
    const result = await run(['sh', '-c', 'head -c 300000 /dev/zero | tr "\\0" x; echo; echo last'], { maxBytes: 1000 });
    expect(result.stdout).toHaveLength(1000);
    expect(result.tail.at(-1)).toBe('last');
  });

  it('runOk throws with the command named', async () => {
    const failure = await runOk(['false']).catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(CommandError);
    expect(String(failure)).toContain('false: exit status 1');
  });
});
