import { describe, expect, it } from 'vitest';
import { newDraft } from '#installer/wizard/draft.ts';
import { openQuestions } from '#installer/wizard/judging.ts';
import { preflightFacts } from '#installer/wizard/screens/preflight.ts';
import { addKeys, keySource } from '#installer/wizard/screens/ssh.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import { messagesOf, shownFindings } from '#installer/wizard/view/messages.ts';
import type { Machine } from '#model/machine.ts';
import { FIRST_NODE, key, Operator, SERVER } from './support.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUm ops@example.net';
const at = (row: string, answers = FIRST_NODE): Operator => new Operator(answers).type('<enter><enter>').choose(row);

describe('SSH keys', () => {
  it('takes a pasted block and says what was none', () => {
    expect(addKeys(newDraft({ add: '', keys: '' }, 'add'), 'not a key').notice).toBe(
      '0 keys added, 1 line is none: it is not a public key line (TYPE BASE64 COMMENT).',
    );
    const { draft, notice } = addKeys(newDraft({ add: '', keys: '' }, 'add'), `# mine\n${KEY}\n\nnot a key\nneither\n${KEY}\n`);
    expect(draft.values['keys']).toContain(KEY);
    expect(notice).toContain('2 lines are none');
  });

  it.each([
    ['https://example.net/keys', 'https://example.net/keys'],
    ['octocat', 'https://github.com/octocat.keys'],
    [KEY, null],
    ['ftp://example.net/k', null],
    ['-leading', null],
  ])('%s is fetched from %s', (text, url) => {
    expect(keySource(text)).toBe(url);
  });

  it('Enter on a name starts a fetch, Enter on nothing goes on', () => {
    const operator = at('ssh').type('octocat<enter>');
    expect(operator.effects).toEqual([{ type: 'fetch-keys', url: 'https://github.com/octocat.keys' }]);
    expect(at('ssh').type('<enter>').screen).toBe('confirm');
  });

  it('commits the keys, and password logins off only with one', () => {
    const operator = at('ssh').send({ ...key('paste'), text: `${KEY}\n` });
    expect(operator.state.draft.values['keys']).toBe(KEY);
    operator.type('<down><down><down> <enter>');
    expect(operator.state.answers.ssh_authorized_keys).toEqual([KEY]);
    expect(operator.state.answers.ssh_disable_password).toBe('true');
  });
});

describe('network', () => {
  it('offers what is live on the port when the address is set by hand', () => {
    const operator = at('network').type('<right>');
    expect(operator.state.draft.values).toMatchObject({
      interface: 'eno1',
      ip: '192.0.2.57',
      prefix: '24',
      gateway: '192.0.2.1',
      dns: '192.0.2.53',
    });
  });

  it('leads to the field that a warning is about, when it is to be changed', () => {
    const operator = new Operator(FIRST_NODE).type('<enter><enter>').choose('account');
    operator.type('<down><ctrl-u>longpassword<enter><ctrl-u>longpassword<enter><enter>');
    expect(operator.state.overlay).toMatchObject({ kind: 'question', question: { no: 'Change it' } });
    operator.type('<enter>');
    expect([operator.screen, operator.state.overlay, operator.state.draft.focus]).toEqual(['account', null, 'password']);
  });

  it('keeps every field of a rejected screen, with the faulty one in focus', () => {
    const operator = at('network').type('<right><tab><tab><ctrl-u>192.0.2.300');
    operator.type('<enter>');
    expect(operator.state.draft.focus).toBe('ip');
    expect(operator.state.draft.values['ip']).toBe('192.0.2.300');
  });

  it('commits a static address', () => {
    const operator = at('network').type('<right>');
    for (let i = 0; i < 12 && operator.screen === 'network'; i++) operator.type('<enter>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state.answers.network).toEqual({
      mode: 'static',
      interface: 'eno1',
      ip: '192.0.2.57',
      prefix: '24',
      gateway: '192.0.2.1',
      dns: ['192.0.2.53'],
    });
  });

  it('an overlap with the ranges of k3s opens those', () => {
    const operator = at('network').type('<right><tab><tab><ctrl-u>10.42.0.9<tab><tab><ctrl-u>10.42.0.1');
    for (let i = 0; i < 12 && operator.screen === 'network'; i++) operator.type('<enter>');
    expect(operator.screen).toBe('k3s');
  });
});

describe('machines without ports, and with many', () => {
  const withPorts = (interfaces: Machine['interfaces']): Operator =>
    new Operator(FIRST_NODE, 'install', { ...SERVER, interfaces }).type('<enter><enter>').choose('network');

  it.each([
    ['none', [], 'No network port was found'],
    ['unknown ones', null, 'not recorded'],
  ])('%s: says so, and offers no address that no port could have', (_, interfaces, told) => {
    const operator = withPorts(interfaces).type('<right>');
    const { intro } = screenOf('network').body(operator.state, operator.state.draft);
    expect(intro[0]?.text).toContain(told);
    expect(operator.state.draft.values['mode']).toBe('dhcp');
    operator.type('<enter><enter>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state.answers.network).toEqual({ mode: 'dhcp' });
  });

  it('what does not fit on the overview is counted, and a port with a link comes first', () => {
    const [port] = SERVER.interfaces ?? [];
    const [disk] = SERVER.devices;
    if (port === undefined || disk === undefined) throw new Error('an empty fixture');
    const interfaces = Array.from({ length: 40 }, (_, i) => ({ ...port, name: `eno${i}`, linkUp: i > 32 }));
    const devices = Array.from({ length: 200 }, (_, i) => ({ ...disk, kname: `sd${i}`, path: `/dev/sd${i}`, children: [] }));
    const facts = preflightFacts(new Operator({}, 'install', { ...SERVER, interfaces, devices }).state);
    const value = (name: string): string | undefined => facts.find((fact) => fact.name === name)?.value;
    expect(value('More ports')).toBe('34, 1 with a link');
    expect(value('Port eno33')).toContain('link up');
    expect(value('Disks')).toMatch(/^sd0 .*, 192 more$/);
  });
});

describe('control plane', () => {
  it.each(['https://ddi.example.net', 'HTTP://ddi.example.net'])('takes %s, pasted behind what stands there, as it is', (url) => {
    const operator = new Operator({ ...FIRST_NODE, role: 'appliance' }).type('<enter><enter>');
    expect(operator.screen).toBe('application');
    const { state } = operator.send({ ...key('paste'), text: url });
    expect(screenOf('application').commit(state.answers, state.draft, state).control_plane_url).toBe(url);
  });
});

describe('faults of a list', () => {
  it('say the same fault of two entries once', () => {
    const operator = at('ntp').type('<ctrl-u>a,b c;d<enter>');
    const { items } = screenOf('ntp').body(operator.state, operator.state.draft);
    const texts = messagesOf(operator.state, shownFindings(operator.state, items), items).map(({ text }) => text);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('a comma is not a separator');
  });
});

describe('keyboard', () => {
  it('applies the layout when it is accepted, and asks for a code under other', () => {
    const operator = at('keyboard').type('<home><down><down><enter><enter>');
    expect(operator.state.answers.keymap).toBe('de');
    expect(operator.effects).toContainEqual({ type: 'apply-keymap', keymap: 'de' });
    const other = at('keyboard').type('<end><enter><enter>');
    expect(other.screen).toBe('keyboard');
    other.type('<tab>');
    expect(other.state.draft.focus).toBe('try');
  });
});

describe('mirror', () => {
  it('has both disks confirmed', () => {
    const operator = at('mirror').type('<down><enter>');
    expect(operator.state.answers.mirror_disk).toBe('/dev/sda');
    expect(operator.screen).toBe('erase');
    operator.type('8765<enter>9999<enter>');
    expect(operator.screen).toBe('erase');
    operator.type('<ctrl-u>2345<enter>');
    expect(operator.screen).toBe('confirm');
  });
});

describe('an installation on the disk', () => {
  const LAYOUT = ['bios_boot', 'ESP', 'state', 'root_A', 'root_B', 'var'];
  const FILESYSTEMS = [null, 'vfat', 'ext4', 'ext4', 'ext4', 'ext4'];
  const disk = SERVER.devices.find((device) => device.kname === 'sdb');
  const parts = LAYOUT.map((name, index) => ({
    ...(disk as NonNullable<typeof disk>),
    kname: `sdb${index + 1}`,
    path: `/dev/sdb${index + 1}`,
    type: 'part',
    parents: ['sdb'],
    serial: null,
    wwn: null,
    partLabel: name,
    partNumber: index + 1,
    fsType: FILESYSTEMS[index] ?? null,
    links: [],
  }));
  const installed: Machine = {
    ...SERVER,
    devices: [
      ...SERVER.devices.map((device) =>
        device.kname === 'sdb' ? { ...device, partitionTable: 'gpt', children: parts.map((part) => part.kname) } : device,
      ),
      ...parts,
    ],
    installed: [
      {
        disk: 'sdb',
        slots: [
          { slot: 'A', version: '1.1.0' },
          { slot: 'B', version: null },
        ],
        lastBootAt: '2026-11-01T10:00:00Z',
      },
    ],
  };

  it('has to be kept or erased, and neither is the default', () => {
    const operator = new Operator({ ...FIRST_NODE, target_disk: undefined, confirm_wipe: undefined } as never, 'install', installed);
    operator.type('<enter><enter>');
    expect(operator.screen).toBe('disk');
    operator.type('<down><enter>');
    expect([operator.state.overlay, operator.state.notice]).toEqual([null, null]);
    expect(operator.screen).toBe('existing');
    operator.type('<enter>');
    expect(operator.screen).toBe('existing');
    operator.type('<down><enter>');
    expect(operator.state.answers.keep_var).toBe('true');
    expect(operator.screen).toBe('erase');
  });
});

describe('keep_var in an answer file', () => {
  it('is never dropped in silence where there is nothing to keep', () => {
    const operator = new Operator({ ...FIRST_NODE, keep_var: 'true' }).type('<enter><enter>');
    expect(operator.screen).toBe('existing');
    operator.type('<enter>');
    expect(operator.state.notice).toContain('cannot be taken');
    operator.type('<down><enter>');
    expect(operator.screen).toBe('erase');
    expect(operator.state.answers.confirm_wipe).toBeUndefined();
  });
});

describe('time servers', () => {
  it('none at all is possible and asked about', () => {
    const operator = at('ntp').type('<ctrl-u><enter>');
    expect(operator.state.overlay).toMatchObject({ kind: 'question', choice: 'no' });
    operator.type('y<enter>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state.answers.ntp_servers).toEqual([]);
  });
});

describe('pre-flight', () => {
  it('marks what is worth a look', () => {
    const flags = (machine: Machine): string[] =>
      preflightFacts(new Operator({}, 'install', machine).state).flatMap((fact) => fact.flag ?? []);
    expect(flags(SERVER)).toEqual([]);
    expect(flags({ ...SERVER, memoryBytes: 4 * 1024 ** 3, devices: [], interfaces: [] })).toEqual([
      'a control plane should have 8 GiB',
      'no disk found',
      'no network port found',
    ]);
  });
});

describe('warnings', () => {
  it('are shown with "change it" in front, and asked again after a change', () => {
    const operator = at('account').type('<tab>aaaaaaaaaa<tab>aaaaaaaaaa<enter><enter>');
    expect(operator.state.overlay).toMatchObject({ kind: 'question', choice: 'no' });
    operator.type('<enter>');
    expect(operator.screen).toBe('account');
    expect(openQuestions(operator.state)).toEqual([]);
  });
});
