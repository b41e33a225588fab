import { describe, expect, it } from 'vitest';
import { openQuestions } from '#installer/wizard/judging.ts';
import { placeOf } from '#installer/wizard/navigation.ts';
import { relevantAnswers } from '#installer/wizard/questions.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import { update } from '#installer/wizard/state.ts';
import { Secret } from '#model/secret.ts';
import { FIRST_NODE, key, Operator, SERVER, toConfirm } from './support.ts';

describe('walking', () => {
  it('asks every screen in order and commits what was accepted', () => {
    const operator = new Operator();
    const seen = [operator.screen];
    const step = (script: string): void => {
      operator.type(script);
      seen.push(operator.screen);
    };
    step('<enter>');
    step('<enter>');
    step('<enter><enter>');
    step('<down><enter>y<enter>');
    step('<down><enter>');
    step('<enter>');
    step('8765<enter>');
    step('ddi-1<enter>');
    step('<enter>correct horse battery<enter>correct horse battery<enter><enter>');
    for (let i = 0; i < 20 && operator.screen !== 'confirm'; i++) step('<enter>');
    expect([...new Set(seen)]).toEqual([
      'welcome',
      'preflight',
      'keyboard',
      'role',
      'disk',
      'mirror',
      'erase',
      'hostname',
      'account',
      'ssh',
      'network',
      'timezone',
      'ntp',
      'k3s',
      'confirm',
    ]);
    expect(operator.state.answers).toMatchObject({
      role: 'control-plane',
      target_disk: '/dev/sdb',
      confirm_wipe: 'true',
      hostname: 'ddi-1',
      network: { mode: 'dhcp' },
    });
    expect(operator.state.answers.admin_password?.reveal()).toBe('correct horse battery');
    expect(openQuestions(operator.state)).toEqual([]);
    expect(operator.state.confirmedDisk).toMatchObject({ kname: 'sdb', serial: 'S45PNA0M598765' });
  });

  it('keeps what was typed when going back and forth', () => {
    const operator = new Operator({ ...FIRST_NODE, hostname: undefined, timezone: undefined } as never);
    operator.type('<enter><enter>');
    expect(operator.screen).toBe('hostname');
    operator.type('half-typed<escape>');
    expect(operator.screen).toBe('preflight');
    expect(operator.state.answers.hostname).toBeUndefined();
    operator.type('<enter>');
    expect(operator.state.draft.values['hostname']).toBe('half-typed');
  });

  it('passes by what an answer file has answered, in both directions', () => {
    const operator = new Operator({ ...FIRST_NODE, timezone: undefined } as never);
    operator.type('<enter><enter>');
    expect(operator.screen).toBe('timezone');
    operator.type('<escape>');
    expect(operator.screen).toBe('preflight');
  });

  it('stops at a screen of the answer file that a rule objects to', () => {
    const operator = new Operator({ ...FIRST_NODE, hostname: 'not.a.label' });
    operator.type('<enter><enter>');
    expect(operator.screen).toBe('hostname');
  });

  it('takes an answer file in any spelling that the rules take', () => {
    const operator = new Operator({ ...FIRST_NODE, role: ' control-plane ', confirm_wipe: 'yes', network: { mode: 'DHCP' } });
    operator.type('<enter><enter>');
    expect(operator.screen).toBe('confirm');
    expect(openQuestions(operator.state)).toEqual([]);
  });

  it('asks before it leaves, with No in front', () => {
    const operator = new Operator();
    operator.type('<ctrl-c>');
    expect(operator.state.overlay).toMatchObject({ kind: 'question', choice: 'no' });
    operator.type('<enter>');
    expect(operator.state.overlay).toBeNull();
    expect(operator.effects).toEqual([]);
    operator.type('<ctrl-c>y<enter>');
    expect(operator.effects).toEqual([{ type: 'finish', outcome: 'left' }]);
  });

  it('a second Ctrl-C leaves; over any other question the first one only asks', () => {
    const operator = new Operator({ keymap: 'us' });
    operator.type('<enter><enter><down><enter>');
    expect(operator.state.overlay).toMatchObject({ kind: 'question', on: 'accept' });
    operator.type('<ctrl-c>');
    expect(operator.state.overlay).toMatchObject({ kind: 'question', on: 'leave' });
    operator.type('<ctrl-c>');
    expect(operator.effects).toEqual([{ type: 'finish', outcome: 'left' }]);
  });
});

describe('jumps from Confirm', () => {
  it.each(['keyboard', 'role', 'disk', 'mirror', 'erase', 'hostname', 'account', 'ssh', 'network', 'timezone', 'ntp', 'k3s'])(
    'a cancelled edit of %s changes nothing',
    (row) => {
      const operator = toConfirm();
      const before = operator.state.answers;
      operator.choose(row);
      expect(operator.screen).toBe(row);
      operator.type('<ctrl-u>xx<down><escape>');
      expect(operator.screen).toBe('confirm');
      expect(operator.state.answers).toEqual(before);
      expect(openQuestions(operator.state)).toEqual([]);
    },
  );

  it('forgets a cancelled edit for the next jump', () => {
    const operator = toConfirm().choose('hostname').type('<ctrl-u>other<escape>').choose('hostname');
    expect(operator.state.draft.values['hostname']).toBe('ddi-1');
  });

  it('goes back to Confirm after an accepted edit', () => {
    const operator = toConfirm().choose('hostname').type('<ctrl-u>ddi-2<enter>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state.answers.hostname).toBe('ddi-2');
  });

  it('a changed role brings back the screens that it needs', () => {
    const operator = toConfirm().choose('role').type('<up><enter>');
    expect(operator.state.answers.role).toBe('appliance');
    expect(operator.screen).toBe('application');
    operator.type('ddi.example.net<enter>01234567<enter>');
    expect(operator.screen).toBe('confirm');
  });

  it.each([
    ['role', '<up><enter>', 'application'],
    ['disk', '<up><enter>', 'mirror'],
    ['mirror', '<home><down><enter>', 'erase'],
  ])('a jump to %s that is broken off at a follow-up changes nothing', (row, change, followUp) => {
    const operator = toConfirm();
    const { answers, preset, confirmedDisk } = operator.state;
    operator.choose(row).type(change);
    expect(operator.screen).toBe(followUp);
    operator.type('<escape>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state).toMatchObject({ answers, preset, confirmedDisk });
    expect(openQuestions(operator.state)).toEqual([]);
    expect(operator.state.notice).toContain('as it was before');
    expect(operator.choose('install').effects).toEqual([{ type: 'install' }]);
  });

  it('a jump that is broken off does not bring back the confirmation of a disk that was exchanged meanwhile', () => {
    const operator = toConfirm().choose('disk').type('<up><enter><enter>2345<enter>').choose('disk').type('<down><enter><enter>');
    expect(operator.screen).toBe('erase');
    const devices = operator.state.machine.devices.map((d) => (d.kname === 'sda' ? { ...d, serial: 'ANOTHER-ONE-1' } : d));
    operator.state = update(operator.state, { type: 'machine', machine: { ...operator.state.machine, devices }, note: null }).state;
    operator.type('<escape>');
    expect(operator.state.answers.target_disk).toBe('/dev/sda');
    expect(operator.state.answers.confirm_wipe).toBeUndefined();
  });

  it('another disk has to be confirmed anew', () => {
    const operator = toConfirm().choose('disk').type('<up><enter>');
    expect(operator.screen).toBe('mirror');
    operator.type('<enter>');
    expect(operator.state.answers).toMatchObject({ target_disk: '/dev/sda' });
    expect(operator.state.answers.confirm_wipe).toBeUndefined();
    expect(operator.screen).toBe('erase');
    operator.type('8765<enter>');
    expect(operator.screen).toBe('erase');
    operator.type('<ctrl-u>2345<enter>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state.confirmedDisk?.serial).toBe('S45PNA0M512345');
  });

  it('asks about a mirror when only the disk chosen now has a partner for one', () => {
    // The first choice is the larger one, so nothing can mirror it.
    const devices = SERVER.devices.map((d) => (d.kname === 'sda' ? { ...d, sizeBytes: d.sizeBytes * 2 } : d));
    const operator = new Operator({ ...FIRST_NODE, target_disk: '/dev/sda' }, 'install', { ...SERVER, devices }).type('<enter><enter>');
    expect(operator.screen).toBe('confirm');
    operator.choose('disk').type('<down><enter>');
    expect(operator.screen).toBe('mirror');
    operator.type('<down><enter>8765<enter>2345<enter>');
    expect(operator.screen).toBe('confirm');
    expect(
      screenOf('confirm')
        .body(operator.state, operator.state.draft)
        .aside.map((line) => line.text),
    ).toEqual([
      '',
      '/dev/sdb (serial S45PNA0M598765) will be erased; it holds nothing.',
      expect.stringMatching(/^\/dev\/sda \(serial S45PNA0M512345\) will be erased; it holds /),
    ]);
  });

  it('counts the same number of steps whatever is chosen', () => {
    for (const [role, disk] of [
      ['<enter>', '<down><enter>'],
      ['<down><enter>y<enter>', '<enter>'],
    ]) {
      const operator = new Operator().type('<enter><enter>');
      const counts = new Set<number | undefined>();
      const keys: Partial<Record<string, string>> = { role: role ?? '', disk: disk ?? '' };
      for (let i = 0; i < 8; i++) {
        counts.add(placeOf(operator.state)?.count);
        operator.type(keys[operator.screen] ?? '<enter>');
      }
      expect([...counts]).toEqual([10]);
    }
  });

  it('the same disk keeps its confirmation', () => {
    const operator = toConfirm().choose('disk').type('<enter>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state.answers.confirm_wipe).toBe('true');
  });

  it('a host name that breaks another answer opens that one', () => {
    const operator = new Operator({ ...FIRST_NODE, admin_password: new Secret('ddi-name-9') });
    operator.type('<enter><enter>').choose('hostname').type('<ctrl-u>ddi-name-9<enter>');
    expect(operator.screen).toBe('account');
  });

  it('answers of a screen that does not apply are kept but do not count', () => {
    const operator = new Operator({
      ...FIRST_NODE,
      role: 'appliance',
      control_plane_url: 'https://ddi.example.net',
      pairing_code: new Secret('12345678'),
    });
    operator.type('<enter><enter>').choose('role').type('<down><enter>y<enter>');
    expect(operator.state.answers.control_plane_url).toBe('https://ddi.example.net');
    expect(relevantAnswers(operator.state).control_plane_url).toBeUndefined();
  });

  it('starts on a field, never on Install', () => {
    expect(toConfirm().state.draft.values['row']).toBe('disk');
  });
});

describe('keys', () => {
  it('a paste of several lines is no Enter', () => {
    const operator = new Operator({ ...FIRST_NODE, hostname: undefined } as never);
    operator.type('<enter><enter>').send({ ...key('paste'), text: 'ddi-7\nrm -rf /\n' });
    expect(operator.screen).toBe('hostname');
    expect(operator.state.draft.values['hostname']).toBe('ddi-7');
  });

  it('F1 explains each item of each screen in two sentences at most, and any key closes it', () => {
    const operator = toConfirm();
    for (const row of ['keyboard', 'role', 'disk', 'mirror', 'erase', 'hostname', 'account', 'ssh', 'network', 'timezone', 'ntp', 'k3s']) {
      operator.choose(row).type('<f1>');
      const { overlay } = operator.state;
      const text = overlay?.kind === 'help' ? overlay.paragraphs.join(' ') : '';
      expect(text.length, row).toBeGreaterThan(40);
      expect(text.match(/[.?]( |$)/g)?.length, row).toBeLessThanOrEqual(2);
      operator.type('<enter><escape>');
      expect(operator.screen).toBe('confirm');
    }
  });
});
