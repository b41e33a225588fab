/** What a second disk brings: its own refusals, questions and confirmation. */
import { describe, expect, it } from 'vitest';
import { openScreen, screenOf } from '#installer/wizard/screens.ts';
import { update } from '#installer/wizard/state.ts';
import { layoutBody } from '#installer/wizard/view/layout.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { FIRST_NODE, Operator, SERVER } from './support.ts';

const base = (kname: string): BlockDevice => {
  const found = SERVER.devices.find((device) => device.kname === kname);
  if (found === undefined) throw new Error(`no ${kname} in the fixture`);
  return found;
};

const blank = (kname: string, more: Partial<BlockDevice> = {}): BlockDevice => ({
  ...base('sdb'),
  kname,
  path: `/dev/${kname}`,
  serial: `SERIAL-OF-${kname}`,
  wwn: `0x50025380000000${kname.charCodeAt(2)}`,
  links: [],
  ...more,
});

const machineOf = (devices: readonly BlockDevice[]): Machine => ({ ...SERVER, devices });
const { confirm_wipe: _wipe, target_disk: _target, ...UNCHOSEN } = FIRST_NODE;

/** On the screen that asks for the second disk, with the first one chosen. */
const atMirror = (devices: readonly BlockDevice[]): Operator => {
  const operator = new Operator(UNCHOSEN, 'install', machineOf(devices)).type('<enter><enter><enter>');
  expect(operator.screen).toBe('mirror');
  return operator;
};

describe('the list of second disks', () => {
  const small = blank('sdc', { sizeBytes: base('sdb').sizeBytes - 512 });
  // The live medium too, by its name.
  const tiny = blank('sdd', { sizeBytes: 1024 ** 3, readOnly: true });
  const devices = [blank('sda'), blank('sdb'), small, tiny];

  it('shows each disk but the target, the refused ones with every reason', () => {
    const { state } = atMirror(devices);
    const [list] = screenOf('mirror').body(state, state.draft).items;
    const options = list?.kind === 'list' ? list.options : [];
    expect(options.map(({ value }) => value)).toEqual(['none', '/dev/sdb', '/dev/sdc', '/dev/sdd']);
    expect(options.map(({ refused }) => refused?.length ?? 0)).toEqual([0, 0, 1, 3]);
    expect(options[2]?.refused?.[0]).toContain('smaller than the target');
  });

  it('takes no refused one, and says why below the list', () => {
    const operator = atMirror(devices).type('<down><down>');
    const aside = screenOf('mirror').body(operator.state, operator.state.draft).aside;
    expect(aside.map(({ text }) => text).join(' ')).toContain('Refused: /dev/sdc is smaller than the target');
    operator.type('<enter>');
    expect(operator.screen).toBe('mirror');
    expect(operator.state.answers.mirror_disk).toBeUndefined();
  });
});

describe('a second disk whose volume group goes on elsewhere', () => {
  const member = (kname: string): BlockDevice => blank(kname, { fsType: 'LVM2_member', fsUuid: `pv-${kname}`, volumeGroup: 'vg0' });
  const devices = [blank('sda'), member('sdb'), member('sdc')];

  it('is asked about before it is taken', () => {
    const operator = atMirror(devices).type('<down><enter>');
    const { overlay } = operator.state;
    expect(overlay?.kind === 'question' ? overlay.question.paragraphs.join(' ') : '').toContain('also lies on /dev/sdc');
    operator.type('<enter>');
    expect(operator.state.answers.mirror_disk).toBeUndefined();
    operator.type('<enter>y<enter>');
    expect(operator.screen).toBe('erase');
  });

  it.each(['erase', 'confirm'] as const)('%s says so too, also when an answer file chose it', (id) => {
    const answers = { ...FIRST_NODE, target_disk: '/dev/sda', mirror_disk: '/dev/sdb' };
    const { state } = new Operator(answers, 'install', machineOf(devices));
    const body = screenOf(id).body(openScreen(state, id), state.draft);
    expect([...body.intro, ...body.aside].map(({ text }) => text)).toContain(
      'What is on it also lies on /dev/sdc; the data there is lost as well.',
    );
  });
});

describe('the confirmation of two disks', () => {
  const devices = [blank('sda'), blank('sdb', { serial: 'SECOND-4711' })];
  it('holds for the second disk that was looked at, not for its name', () => {
    const operator = atMirror(devices).type('<down><enter>-sda<enter>4711<enter>');
    expect(operator.screen).toBe('confirm');
    expect(operator.state.confirmedMirror?.serial).toBe('SECOND-4711');
    const others = devices.map((device) => (device.kname === 'sdb' ? { ...device, serial: 'ANOTHER-0815' } : device));
    operator.state = update(operator.state, { type: 'machine', machine: machineOf(others), note: null }).state;
    expect(operator.state.answers.confirm_wipe).toBeUndefined();
    operator.effects = [];
    expect(operator.choose('install').effects).toEqual([]);
  });

  it('names the disk for which the wrong word was typed', () => {
    const operator = atMirror(devices).type('<down><enter>-sda<enter>-sda<enter>');
    expect(operator.screen).toBe('erase');
    const findings = screenOf('erase').check?.(operator.state, operator.state.draft) ?? [];
    expect(findings.map(({ message }) => message)).toEqual([
      'What was typed for /dev/sdb is not the last 4 characters of its serial number.',
    ]);
  });
});

describe('disks that say much of themselves', () => {
  const talker = (kname: string): BlockDevice =>
    blank(kname, {
      model: 'M'.repeat(300),
      serial: `${'\u6f22'.repeat(60)}-0815-${kname}`,
      fsType: 'ext4',
      fsLabel: `\x1b[2J${'L'.repeat(900)}`,
    });

  it('leave the question on an 80x24 screen, with a message below', () => {
    for (const devices of [[talker('sda')], [talker('sda'), talker('sdb')]]) {
      const answers = { ...FIRST_NODE, target_disk: '/dev/sda', ...(devices[1] ? { mirror_disk: '/dev/sdb' } : {}) };
      const { state } = new Operator(answers, 'install', machineOf(devices));
      const body = screenOf('erase').body(state, state.draft);
      const { intro } = layoutBody(body, [{ text: 'x'.repeat(140) }], 76, 20);
      const text = intro.map((line) => line.text).join('\n');
      expect(text.match(/To confirm, type the last 4 characters/g)).toHaveLength(devices.length);
      expect(text).toContain('0815');
    }
  });

  it('leave the Confirm menu and both fates there', () => {
    const answers = { ...FIRST_NODE, target_disk: '/dev/sda', mirror_disk: '/dev/sdb' };
    const { state } = new Operator(answers, 'install', machineOf([talker('sda'), talker('sdb')]));
    const at = openScreen(state, 'confirm');
    const { aside, listRows } = layoutBody(screenOf('confirm').body(at, at.draft), [], 76, 20);
    const text = aside.map((line) => line.text).join('\n');
    expect(text).toContain('/dev/sda');
    expect(text).toContain('/dev/sdb');
    expect(listRows['row']).toBeGreaterThanOrEqual(6);
  });
});
