import { describe, expect, it } from 'vitest';
import { consoleDevices, kernelWords, wordsForTarget } from '#installer/run/kernel.ts';

describe('the kernel command line', () => {
  it.each([
    ['boot=live quiet --- norandmaps mitigations=off\n', ['norandmaps', 'mitigations=off']],
    ['boot=live quiet', []],
    ['a --- b --- console=ttyS1,115200n8', ['console=ttyS1,115200n8']],
    ['a ---', []],
    // A word that could end the line of a boot menu never gets there.
    ['a --- b;reboot $x `y` "q r" good=1', ['good=1']],
  ])('%j gives the installed system %j', (line, words) => {
    expect(wordsForTarget(line)).toEqual(words);
  });

  it('keeps quoted blanks in one word', () => {
    expect(kernelWords('a="b c" d\n')).toEqual(['a="b c"', 'd']);
  });
});

describe('consoles of the kernel', () => {
  it.each([
    ['tty0 ttyS0\n', ['/dev/tty1', '/dev/ttyS0']],
    ['ttyS1', ['/dev/ttyS1']],
    ['tty0 tty1', ['/dev/tty1']],
    ['', []],
    ['../x ttyAMA0', ['/dev/ttyAMA0']],
  ])('%j is %j', (active, devices) => {
    expect(consoleDevices(active)).toEqual(devices);
  });
});
