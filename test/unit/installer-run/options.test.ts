import { describe, expect, it } from 'vitest';
import { readInstallOptions, UsageError } from '#installer/run/options.ts';

describe('the words of spatium-install', () => {
  it('asks for an installation when there is no word', () => {
    expect(readInstallOptions([])).toMatchObject({ action: 'install', preseed: null, machine: null, terminals: [] });
  });

  it('reads every option', () => {
    expect(readInstallOptions(['--plan', '--preseed', 'a.yaml', '--machine=m.json', '--format', 'json'])).toMatchObject({
      action: 'plan',
      preseed: 'a.yaml',
      machine: 'm.json',
      format: 'json',
    });
    expect(readInstallOptions(['--terminal', '/dev/tty1', '--terminal', '/dev/ttyS0', '--ascii', '--mono'])).toMatchObject({
      terminals: ['/dev/tty1', '/dev/ttyS0'],
      glyphs: 'ascii',
      monochrome: true,
    });
  });

  it.each([
    [['--plam'], /--plam/],
    [['--plan', '--rehearse'], /exclude/],
    [['--format', 'xml', '--plan'], /text or json/],
    [['--plan'], /--plan needs .*--preseed FILE/],
    [['--machine', 'm.json'], /--plan or --rehearse/],
    [['stray'], /stray/],
    [['--preseed'], /--preseed/],
  ])('%j is a wrong call', (argv, message) => {
    expect(() => readInstallOptions(argv)).toThrow(UsageError);
    expect(() => readInstallOptions(argv)).toThrow(message);
  });
});
