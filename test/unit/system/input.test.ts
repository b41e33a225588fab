import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInput, readLimitedInput } from '#system/input.ts';

let dir: string;
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'input-'));
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

function fifo(name: string): string {
  const file = path.join(dir, name);
  execFileSync('mkfifo', [file]);
  return file;
}

const textOf = async (file: string, maxBytes = 1000): Promise<string> => Buffer.from(await readInput(file, maxBytes, 300)).toString();

describe('a file that an operator names', () => {
  it('is read whole, and no further than asked', async () => {
    const file = path.join(dir, 'plain');
    fs.writeFileSync(file, 'a'.repeat(200_000));
    expect(await textOf(file, 300_000)).toHaveLength(200_000);
    expect(await textOf(file, 70_001)).toHaveLength(70_001);
    expect(await textOf('/proc/self/status', 100_000)).toContain('State:');
    await expect(readLimitedInput(file, 1024)).rejects.toThrow('larger than');
  });

  it('is given up when it is a pipe that nobody writes into, or that falls silent', async () => {
    const file = fifo('silent');
    await expect(textOf(file)).rejects.toThrow('no data came within 0.3 s');
    const writer = fs.openSync(file, fs.constants.O_RDWR);
    fs.writeSync(writer, 'half');
    await expect(textOf(file)).rejects.toThrow('no data came');
    fs.closeSync(writer);
  });

  it('may be a pipe whose writer comes late and pauses', async () => {
    const file = fifo('late');
    const reading = textOf(file, 1_000_000);
    await new Promise((done) => setTimeout(done, 100));
    const writer = await fs.promises.open(file, 'w');
    await writer.write('a'.repeat(100_000));
    await new Promise((done) => setTimeout(done, 100));
    await writer.write('b');
    await writer.close();
    expect(await reading).toBe(`${'a'.repeat(100_000)}b`);
  });

  it.each([
    ['cat <(printf hello)', 'hello'],
    ['cat <(true)', ''],
  ])('may be what the shell makes of %s', (command, expected) => {
    const script = `import('${path.resolve('src/system/input.ts')}').then(async (m) => process.stdout.write(await m.readInput(process.argv[1], 99)))`;
    const run = command.replace('cat', '"$0" -e "$1"');
    expect(execFileSync('bash', ['-c', run, process.execPath, script], { timeout: 50_000 }).toString()).toBe(expected);
  });

  const stdinScript = `import('${path.resolve('src/system/stdin.ts')}').then((m) => m.readStdin(99, { silenceMs: 2000 })).then(
    (bytes) => process.stdout.write(bytes), (error) => process.stdout.write(error.name + ': ' + error.message))`;

  it.each<readonly [readonly (string | number)[], string]>([
    [[60_000], 'InputError: no data came on standard input within 2 s'],
    [['a', 60_000], 'InputError: no data came on standard input within 2 s'],
    [['a', 700, 'b', 700, 'c', 700, 'd', 700, 'e'], 'abcde'],
    [[], ''],
  ])('standard input that goes %j is waited for as long as it speaks', async (script, expected) => {
    const child = spawn(process.execPath, ['-e', stdinScript], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => undefined);
    const said = text(child.stdout);
    const over = once(child, 'exit');
    const write = async (): Promise<void> => {
      for (const step of script) {
        if (typeof step === 'string') child.stdin.write(step);
        else await Promise.race([delay(step), over]);
      }
      child.stdin.end();
    };
    await Promise.all([write(), over]);
    expect(await said).toBe(expected);
  });
});
