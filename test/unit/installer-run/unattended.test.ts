import { describe, expect, it } from 'vitest';
import { haltLines, lineReporter } from '#installer/run/unattended.ts';

const progress = (fraction: number, bytesPerSecond: number | null = null, secondsLeft: number | null = null) =>
  ({ type: 'progress', fraction, bytesPerSecond, secondsLeft, detail: null }) as const;

describe('lines of an unattended run', () => {
  it('says each step once and progress in steps of five percent', () => {
    const report = lineReporter();
    const lines = [
      ...report({ type: 'step', id: 'copy-system', title: 'Copying the system', state: 'started' }),
      ...Array.from({ length: 100 }, (_, i) => report(progress((i + 1) / 100, 50e6, 9.2))).flat(),
      ...report({ type: 'step', id: 'copy-system', title: 'Copying the system', state: 'done' }),
    ];
    expect(lines[0]).toBe('[  0%] Copying the system');
    expect(lines.length).toBeLessThanOrEqual(21);
    expect(lines).toContain('[  5%] Copying the system, 50 MB/s, 10 s left');
  });

  it('leaves out a rate and a time that are not known', () => {
    const report = lineReporter();
    report({ type: 'step', id: 'a', title: 'A', state: 'started' });
    expect(report(progress(0.5))).toEqual(['[ 50%] A']);
  });

  it('tells whether anything was written when it fails', () => {
    const failed = {
      type: 'failed',
      id: 'check-identity',
      message: 'another disk',
      command: null,
      output: ['x'],
      nothingWritten: true,
    } as const;
    expect(lineReporter()(failed)).toContain('Nothing was written to any disk.');
    expect(lineReporter()({ ...failed, nothingWritten: false }).join()).toContain('incomplete');
  });

  it('names failed checks', () => {
    const checks = [
      { name: 'boot menu', ok: true, detail: '' },
      { name: 'account', ok: false, detail: 'no such user' },
    ];
    expect(lineReporter()({ type: 'finished', checks, warnings: [] })).toEqual([
      'CHECK FAILED: account: no such user',
      '[100%] installed; 1 of 2 checks passed',
    ]);
  });

  it('names the source and every reason of a halt', () => {
    const lines = haltLines(['one', 'two'], 'CIDATA volume /dev/sr1');
    expect(lines).toEqual(expect.arrayContaining(['one', 'two', 'answers: CIDATA volume /dev/sr1']));
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });
});
