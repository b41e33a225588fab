import { describe, expect, it } from 'vitest';
import { readHostname } from '#rules/hostname.ts';

const show = (text: string): string => `"${text}"`;

const WRONG = [
  'bad_host',
  'bad_host.example.net',
  '_bad_.example.net',
  'Bad Host',
  'UPPER',
  'UPPER_CASE',
  '-lead',
  'trail-',
  '-',
  'localhost',
  'localhost.localdomain',
  'LOCAL host!',
  '12345.example',
  '10.0.0.1',
  'a..b',
  '..',
  `${'x'.repeat(70)}.example`,
  `${'y'.repeat(62)}_z`,
  'caf\u00e9',
  '\u201cname\u201d',
];

describe('host names', () => {
  it.each(WRONG)('%s: what is advised would be taken', (name) => {
    const { faults } = readHostname(name, show);
    expect(faults).not.toEqual([]);
    for (const { fix } of faults) {
      const advised = /^write "(.*)"$/.exec(fix ?? '')?.[1];
      if (advised !== undefined) expect(readHostname(advised, show)).toEqual({ value: advised, faults: [] });
    }
  });

  it('still has advice where there is a name to be had', () => {
    expect(readHostname('Bad_Host.example.net', show).faults[0]?.fix).toBe('write "bad-host"');
    expect(readHostname('-lead', show).faults[0]?.fix).toBe('write "lead"');
  });
});
