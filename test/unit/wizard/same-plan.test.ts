import { describe, expect, it } from 'vitest';
import { relevantAnswers } from '#installer/wizard/questions.ts';
import type { Answers } from '#model/answers.ts';
import { Secret } from '#model/secret.ts';
import { settle } from '#rules/settle.ts';
import { Operator } from './support.ts';

/** Typed in the wizard, screen by screen. */
interface Typed {
  readonly name: string;
  readonly file: Answers;
  readonly script: readonly (readonly [screen: string, keys: string])[];
}

const PASSWORD = 'correct horse battery';
const ACCOUNT = `<enter>${PASSWORD}<enter>${PASSWORD}<enter><enter>`;

const CASES: readonly Typed[] = [
  {
    name: 'a first node with DHCP',
    file: {
      role: 'control-plane',
      target_disk: '/dev/sdb',
      confirm_wipe: 'true',
      hostname: 'ddi-1',
      admin_password: new Secret(PASSWORD),
      network: { mode: 'dhcp' },
      timezone: 'Europe/Berlin',
    },
    script: [
      ['role', '<down><enter>y<enter>'],
      ['disk', '<down><enter>'],
      ['mirror', '<enter>'],
      ['erase', '8765<enter>'],
      ['hostname', 'ddi-1<enter>'],
      ['account', ACCOUNT],
      ['ssh', '<enter>'],
      ['network', '<enter><enter>'],
      ['timezone', 'berlin<enter>'],
      ['ntp', '<enter>'],
      ['k3s', '<enter><enter>'],
    ],
  },
  {
    name: 'an additional node with a fixed address',
    file: {
      role: 'appliance',
      target_disk: '/dev/sdb',
      confirm_wipe: 'true',
      hostname: 'ddi-2',
      admin_user: 'ops',
      admin_password: new Secret(PASSWORD),
      set_root_password: 'true',
      network: {
        mode: 'static',
        interface: 'eno1',
        ip: '192.0.2.9',
        prefix: '24',
        gateway: '192.0.2.1',
        dns: ['192.0.2.53', '192.0.2.54'],
        mtu: '1400',
      },
      timezone: 'UTC',
      ntp_servers: ['ntp.example.net', '192.0.2.7'],
      keymap: 'de',
      control_plane_url: 'https://ddi.example.net',
      pairing_code: new Secret('01234567'),
    },
    script: [
      ['keyboard', '<down><down><enter><enter>'],
      ['role', '<enter>'],
      ['disk', '<down><enter>'],
      ['mirror', '<enter>'],
      ['erase', '8765<enter>'],
      ['hostname', 'ddi-2<enter>'],
      ['account', `<ctrl-u>ops<enter>${PASSWORD}<enter>${PASSWORD}<enter> <enter>`],
      ['ssh', '<enter>'],
      ['network', '<right><enter><enter><ctrl-u>192.0.2.9<enter><enter><enter> 192.0.2.54<enter><enter>1400<enter>'],
      ['timezone', '<enter>'],
      ['ntp', '<ctrl-u>ntp.example.net 192.0.2.7<enter>'],
      ['application', 'ddi.example.net<enter>0123 4567<enter>'],
    ],
  },
];

describe('the same answers, typed or in a file', () => {
  it.each(CASES)('settle alike: $name', ({ file, script }) => {
    const operator = new Operator().type('<enter><enter>');
    const keys = new Map(script);
    for (let i = 0; i < 30 && operator.screen !== 'confirm'; i++) {
      const { screen } = operator;
      operator.type(keys.get(screen) ?? '<enter>');
      expect(`${screen} ${operator.state.overlay?.kind ?? ''} ${operator.state.notice ?? ''}`).toBe(`${screen}  `);
    }
    expect(operator.screen).toBe('confirm');
    expect(settle(relevantAnswers(operator.state))).toEqual(settle(file));
  });
});
