import { describe, expect, test } from 'vitest';
import { parseStateConfig, withStateValues } from '#rules/state-config.ts';

describe('spatium-config.yaml', () => {
  test('reads double quotes, single quotes, bare values and comments', () => {
    const { values, warnings } = parseStateConfig(
      `# a comment\nhostname: "ddi-01"  # the name\nrole: 'it''s'\nnetwork_mode: static # bare\nnetwork_mtu:\nempty: ""\nnull_value: ~\r\nurl: "a#b"\n`,
    );
    expect(Object.fromEntries(values)).toEqual({
      hostname: 'ddi-01',
      role: "it's",
      network_mode: 'static',
      network_mtu: '',
      empty: '',
      null_value: '',
      url: 'a#b',
    });
    expect(warnings).toEqual([]);
  });

  test('a bad line costs that line only, and is named by its number', () => {
    const { values, warnings } = parseStateConfig('hostname: "ddi-01"\n  nested: "x"\nrole: "open\nnetwork_ip: "192.0.2.4"\nx: "a\\nb"\n');
    expect([...values]).toEqual([
      ['hostname', 'ddi-01'],
      ['network_ip', '192.0.2.4'],
    ]);
    expect(warnings.map((w) => /line (\d+)/.exec(w)?.[1])).toEqual(['2', '3', '5']);
  });

  test('a warning never holds the value', () => {
    const { warnings } = parseStateConfig('bootstrap_pairing_code: "12345678\n');
    expect(warnings).toHaveLength(1);
    expect(warnings.join()).not.toContain('1234');
  });

  test('changed values keep comments, order and unread lines', () => {
    const before = '# STATE\nhostname: "a"\n???\nnetwork_ip: "192.0.2.4" # lab\n';
    const after = withStateValues(
      before,
      new Map([
        ['network_ip', '192.0.2.9'],
        ['network_mtu', '1400'],
      ]),
    );
    expect(after).toBe('# STATE\nhostname: "a"\n???\nnetwork_ip: "192.0.2.9"\nnetwork_mtu: "1400"\n');
    expect(parseStateConfig(after).values.get('network_mtu')).toBe('1400');
  });
});
