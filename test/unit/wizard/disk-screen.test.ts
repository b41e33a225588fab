/** A disk that is refused, vanishes, or is another one now. */
import { describe, expect, it } from 'vitest';
import { openQuestions } from '#installer/wizard/judging.ts';
import { update } from '#installer/wizard/state.ts';
import { Operator, toConfirm } from './support.ts';

describe('the disk screen', () => {
  it('does not take a refused disk, and says so', () => {
    const operator = new Operator({ role: 'appliance', keymap: 'us' });
    operator.type('<enter><enter><end><enter>');
    expect(operator.screen).toBe('disk');
    expect(operator.state.notice).toContain('cannot be taken');
  });

  it('takes the confirmation of a disk that vanished with it', () => {
    const operator = toConfirm();
    operator.state = {
      ...operator.state,
      machine: { ...operator.state.machine, devices: operator.state.machine.devices.filter((d) => d.kname !== 'sdb') },
    };
    operator.choose('install');
    expect(operator.effects).toEqual([]);
    expect(openQuestions(operator.state).map((screen) => screen.id)).toContain('disk');
  });
});

describe('looking again', () => {
  it('drops the confirmation when another disk has the name now', () => {
    const operator = toConfirm().choose('disk').type('<up><enter><enter>2345<enter>');
    expect(operator.state.answers.confirm_wipe).toBe('true');
    const devices = operator.state.machine.devices.map((d) => (d.kname === 'sda' ? { ...d, serial: 'ANOTHER-ONE-1' } : d));
    operator.state = update(operator.state, { type: 'machine', machine: { ...operator.state.machine, devices }, note: null }).state;
    expect(operator.state.answers.confirm_wipe).toBeUndefined();
    expect(operator.state.confirmedDisk).toBeNull();
  });

  it('keeps it while the disk is the same', () => {
    const operator = toConfirm().choose('disk').type('<up><enter><enter>2345<enter>');
    operator.state = update(operator.state, { type: 'machine', machine: operator.state.machine, note: 'Looked again.' }).state;
    expect(operator.state.answers.confirm_wipe).toBe('true');
    expect(operator.state.notice).toBe('Looked again.');
  });
});
