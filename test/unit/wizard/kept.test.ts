/** A reinstallation that keeps /var: what the node was is offered, and a change of it is explained and confirmed. */
import { describe, expect, it } from 'vitest';
import { screenOf } from '#installer/wizard/screens.ts';
import type { Answers } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import { judge } from '#rules/judge.ts';
import { disk, machine as machineOf, ownLayout } from '../rules/disks/build.ts';
import { FIRST_NODE, Operator, SERVER } from './support.ts';

const STATE = [
  'hostname: "ddi-7"',
  'role: "control-plane"',
  'admin_user: "ops"',
  'pod_cidr: "10.44.0.0/16"',
  'service_cidr: "10.45.0.0/16"',
  'timezone: "Europe/Berlin"',
  'ntp_servers: "192.0.2.7"',
  'network_mode: "static"',
  'network_interface: "eno1"',
  'network_ip: "192.0.2.9"',
  'network_prefix: "24"',
  'network_gateway: "192.0.2.1"',
  'network_dns: "192.0.2.53"',
].join('\n');

const parts = ownLayout('sda').map((row, i) => ({ ...row, size: row.size, uuid: `c0000000-0000-4000-8000-00000000000${i}` }));
const MACHINE: Machine = {
  ...machineOf([
    disk('sda', { serial: 'S-1234', pttype: 'gpt', ptuuid: 'd0000000-0000-4000-8000-000000000000' }, parts),
    disk('sdb', { serial: 'S-5678' }),
  ]),
  interfaces: SERVER.interfaces,
  accounts: [],
  installed: [{ disk: 'sda', slots: [{ slot: 'A', version: '1.0' }], stateConfig: STATE, lastBootAt: null }],
};

const draftOf = (operator: Operator) => operator.state.draft.values;
const text = ({ state }: Operator): string => {
  const { intro, aside } = screenOf(state.screen).body(state, state.draft);
  return [...intro, ...aside].map((line) => line.text).join('\n');
};

describe('walking', () => {
  it('offers what the kept installation was, and that is then the plan', () => {
    const operator = new Operator({}, 'install', MACHINE).type('<enter><enter><enter><enter><down><enter>y<enter><enter>');
    expect(operator.screen).toBe('existing');
    expect(text(operator)).toContain('It is ddi-7, a first node (control-plane).');
    operator.type('<home><enter>').type('1234<enter>');
    expect([operator.screen, draftOf(operator)['hostname']]).toEqual(['hostname', 'ddi-7']);
    operator.type('<enter>');
    expect(draftOf(operator)['user']).toBe('ops');
    operator.type('<enter>correct horse battery<enter>correct horse battery<enter><enter><enter>');
    expect(operator.screen).toBe('network');
    expect(draftOf(operator)).toMatchObject({
      mode: 'static',
      interface: 'eno1',
      ip: '192.0.2.9',
      gateway: '192.0.2.1',
      dns: '192.0.2.53',
    });
    operator.event({ type: 'accept' });
    expect(draftOf(operator)['timezone']).toBe('Europe/Berlin');
    operator.type('<enter>');
    expect(draftOf(operator)['servers']).toBe('192.0.2.7');
    operator.type('<enter>');
    expect(draftOf(operator)).toMatchObject({ pods: '10.44.0.0/16', services: '10.45.0.0/16' });
    operator.type('<enter><enter>');
    expect([operator.screen, operator.state.overlay]).toEqual(['confirm', null]);
    expect(operator.state.answers).toMatchObject({ hostname: 'ddi-7', k3s: { pod_cidr: '10.44.0.0/16' }, ntp_servers: ['192.0.2.7'] });
  });

  it('offers nothing of it when the disk is erased', () => {
    const operator = new Operator({}, 'install', MACHINE).type('<enter><enter><enter><enter><down><enter>y<enter><enter>');
    operator.type('<end><enter><enter>1234<enter>');
    expect([operator.screen, draftOf(operator)['hostname']]).toEqual(['hostname', '']);
  });
});

const KEEPING: Answers = {
  ...FIRST_NODE,
  target_disk: '/dev/sda',
  keep_var: 'true',
  hostname: 'ddi-7',
  k3s: { pod_cidr: '10.44.0.0/16', service_cidr: '10.45.0.0/16' },
};

describe('another answer than before', () => {
  it('is explained and confirmed on its screen, with No as the default', () => {
    const operator = new Operator(KEEPING, 'install', MACHINE).type('<enter><enter>').choose('hostname').type('<ctrl-u>ddi-8<enter>');
    expect(operator.state.overlay).toMatchObject({
      kind: 'question',
      choice: 'no',
      question: { paragraphs: [expect.stringContaining('ddi-7')] },
    });
  });

  it('brings its screen up when keeping is chosen afterwards', () => {
    const operator = new Operator({ ...KEEPING, keep_var: 'false', hostname: 'ddi-8', k3s: {} }, 'install', MACHINE).type('<enter><enter>');
    operator.choose('existing').type('<home><enter>1234<enter>');
    expect(operator.screen).toBe('hostname');
    operator.type('<enter>y<enter>');
    expect(operator.screen).toBe('k3s');
  });

  it.each<[string, Answers, string[]]>([
    ['the same', {}, []],
    ['the same name in capitals', { hostname: 'DDI-7' }, []],
    ['another name', { hostname: 'ddi-8' }, ['keep.hostname hostname']],
    ['the usual ranges', { k3s: {} }, ['keep.ranges k3s.pod_cidr', 'keep.ranges k3s.service_cidr']],
    ['another role', { role: 'appliance' }, ['keep.role keep_var']],
    ['an erased disk', { keep_var: 'false', hostname: 'ddi-8' }, []],
    ['another disk', { target_disk: '/dev/sdb', hostname: 'ddi-8' }, []],
  ])('the linter warns of it: %s', (_name, change, said) => {
    const findings = judge({ ...KEEPING, ...change }, MACHINE, 'lint').filter((finding) => /^keep\.(?!refused)/.test(finding.rule));
    expect(findings.map(({ rule, path }) => `${rule} ${path}`)).toEqual(said);
  });
});
