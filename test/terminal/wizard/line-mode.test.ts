import { describe, expect, it } from 'vitest';
import { openWizard } from '../support/open.ts';

const SECRET = 'planted-Secret-9731';

describe('TERM=dumb', () => {
  it('asks line by line, moves no cursor, and ends with the plan', async () => {
    const pty = openWizard({ term: 'dumb', rows: 400 });
    const deadline = Date.now() + 100_000;
    /** The line that is being written, which is the prompt. */
    const prompt = (): string => pty.output.slice(pty.output.lastIndexOf('\n') + 1);
    const answer = async (expected: RegExp, text: string): Promise<void> => {
      while (!expected.test(prompt())) {
        if (Date.now() > deadline) throw new Error(`no ${expected} in:\n${pty.output.slice(-1500)}`);
        await pty.settle(20);
      }
      pty.send(`${text}\r`);
      await pty.settle(40);
    };
    await answer(/What next, number \[1\]: $/, '');
    await answer(/Continue, number \[1\]: $/, '');
    await answer(/Layout, number \[1\]: $/, '');
    await answer(/Try it here: $/, '');
    await answer(/Role, number \[1\]: $/, '?');
    await expect.poll(() => pty.output).toContain('The first node of an installation is its control plane');
    await answer(/Role, number \[1\]: $/, '2');
    await answer(/Number \[1\]: $/, '2');
    await answer(/Disk, number \[1\]: $/, '3');
    await expect.poll(() => pty.output).toContain('not possible: too small');
    await answer(/Disk, number \[3\]: $/, '2');
    await answer(/Mirror, number \[1\]: $/, '');
    await answer(/Type for \/dev\/sdb: $/, 'wrong');
    await expect.poll(() => pty.output).toContain('ERROR: What was typed for /dev/sdb is not');
    await answer(/Type for \/dev\/sdb \[wrong\]: $/, '8765');
    await answer(/Host name: $/, 'ddi-1');
    await answer(/User name \[admin\]: $/, '');
    await answer(/Password \(not shown\): $/, SECRET);
    await answer(/Password again \(not shown\): $/, SECRET);
    await answer(/yes or no \[no\]: $/, '');
    await answer(/Add: $/, '');
    await answer(/Addresses, number \[1\]: $/, '');
    await answer(/Port, number \[1\]: $/, '');
    await answer(/part of it \[UTC\]: $/, 'europe');
    await expect.poll(() => pty.output).toMatch(/\d+ match; type more/);
    await answer(/part of it \[UTC\]: $/, 'berlin');
    await answer(/Time servers \[pool.ntp.org\]: $/, '');
    await answer(/Pods \[10.42.0.0\/16\]: $/, '');
    await answer(/Services \[10.43.0.0\/16\]: $/, '');
    await expect.poll(() => pty.output).toContain('NOTE: /dev/sdb (serial S45PNA0M598765) will be erased; it holds nothing.');
    await answer(/Change, number \[\d+\]: $/, '13');
    expect(await pty.exit).toBe(0);
    expect(pty.output).toContain('THIS DISK WILL BE ERASED');
    expect(pty.output).not.toContain(SECRET);
    expect(pty.output).not.toContain('\x1b');
    expect(pty.output).not.toMatch(/[\x80-\xff]/);
  });
});
