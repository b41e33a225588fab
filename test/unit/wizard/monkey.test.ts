/**
 * Random operators at odd machines that change under them: whatever is pressed, the dialogue stands, everything fits the smallest
 * terminal, and nothing is started that was not confirmed for the very disks that are there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { errorsOf, installFindings } from '#installer/wizard/judging.ts';
import { doomedDisks } from '#installer/wizard/screens/helpers.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { BodyLine, WizardState } from '#installer/wizard/types.ts';
import { layoutBody } from '#installer/wizard/view/layout.ts';
import { messagesOf, shownFindings } from '#installer/wizard/view/messages.ts';
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import type { Answers } from '#model/answers.ts';
import type { Firmware, Machine } from '#model/machine.ts';
import { Secret } from '#model/secret.ts';
import { confirmWordOf, identityOf, judgeDisks, sameDisk } from '#rules/disks.ts';
import type { KeyName } from '#ui/terminal/keys.ts';
import { widthOf, wrap } from '#ui/text.ts';
import { lsblkText, type OddDevice, SHAPES } from '../../support/lsblk-shapes.ts';
import { FIRST_NODE, key, Operator, rowsOf, SERVER } from './support.ts';

const dir = path.resolve(import.meta.dirname, '../../golden/disks/odd');
const SECRET = 'planted-Secret-9731';
const WIDTH = 76;
const HEIGHT = 20;

const machines: Machine[] = fs.readdirSync(dir).flatMap((file) => {
  const cases = parse(fs.readFileSync(path.join(dir, file), 'utf8')) as Record<
    string,
    { firmware: Firmware; have: Record<string, OddDevice> }
  >;
  const shape = SHAPES.find((s) => s.name === '2.41');
  if (shape === undefined) throw new Error('no such shape');
  return Object.values(cases).map((odd) => machineFromLsblk(Buffer.from(lsblkText(odd.have, shape)), { firmware: odd.firmware }));
});

function dice(seed: number): (n: number) => number {
  let a = seed;
  return (n) => {
    a = (Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const t = Math.imul(a ^ (a >>> 12), 0x297a2d39);
    return ((t ^ (t >>> 15)) >>> 0) % n;
  };
}

const KEYS: KeyName[] = [
  'enter',
  'enter',
  'enter',
  'enter',
  'down',
  'down',
  'up',
  'left',
  'right',
  'tab',
  'escape',
  'f1',
  'f4',
  'pagedown',
  'home',
  'end',
  'backspace',
];
const TEXTS = ['ddi-1', 'x', SECRET, SECRET, '192.0.2.7', ' ', 'y', '日本', '\x1b[31m', 'm'.repeat(300)];

/** All the text on the screen, after a look at whether it fits. */
function look(state: WizardState): string {
  const { overlay } = state;
  const fits = (lines: readonly string[]): string => {
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(WIDTH);
    return lines.join('\n');
  };
  if (overlay?.kind === 'pages') return fits(overlay.lines);
  if (overlay?.kind === 'help') {
    const lines = overlay.paragraphs.flatMap((text) => wrap(text, WIDTH));
    expect(overlay.paragraphs.join(''), `help of ${overlay.title}`).not.toBe('');
    expect(lines.length + 2).toBeLessThanOrEqual(HEIGHT);
    return fits(lines);
  }
  if (overlay?.kind === 'question') {
    const lines = overlay.question.paragraphs.flatMap((text, at) => [...(at > 0 ? [''] : []), ...wrap(text, WIDTH - 4)]);
    // Title, a blank row on either side of the text, the choices, and the border.
    expect(lines.length + 6, lines.join('\n')).toBeLessThanOrEqual(HEIGHT);
    return fits(lines);
  }
  const body = screenOf(state.screen).body(state, state.draft);
  const messages: readonly BodyLine[] = messagesOf(state, shownFindings(state, body.items), body.items);
  const layout = layoutBody(body, messages, WIDTH, HEIGHT);
  const items = body.items.reduce((sum, item) => sum + rowsOf(item, layout.listRows), 0);
  const rows = layout.intro.length + items + layout.aside.length + layout.messages.length + (body.progress === undefined ? 0 : 1);
  expect(rows, state.screen).toBeLessThanOrEqual(HEIGHT);
  return fits([...layout.intro, ...layout.aside, ...layout.messages].map((line) => line.text));
}

/** What the engine is about to erase was confirmed, is allowed, and is there. */
function mayStart(state: WizardState): void {
  expect(errorsOf(installFindings(state)).map((f) => f.rule)).toEqual([]);
  const [target, mirror] = doomedDisks(state);
  for (const [disk, confirmed] of [
    [target, state.confirmedDisk],
    [mirror, state.confirmedMirror],
  ] as const) {
    if (disk === undefined) continue;
    expect(judgeDisks(state.machine).find((v) => v.kname === disk.kname)?.selectable).toBe(true);
    expect(confirmed && sameDisk(confirmed, identityOf(state.machine, disk.kname))).toBeNull();
  }
}

/** Something an operator in a hurry might do next. */
function press(operator: Operator, roll: (n: number) => number): void {
  const { state } = operator;
  const what = roll(12);
  if (what === 0) operator.event({ type: 'machine', machine: machines[roll(machines.length)] as Machine, note: 'Looked again.' });
  else if (what === 1) operator.send({ ...key('text'), text: TEXTS[roll(TEXTS.length)] ?? '' });
  else if (what === 2) operator.send({ ...key('paste'), text: `${TEXTS[roll(TEXTS.length)]}\n${SECRET}` });
  else if (what === 3 && state.screen === 'erase') {
    for (const disk of doomedDisks(state)) operator.type(`${confirmWordOf(state.machine, disk.kname).word}<enter>`);
  } else if (what === 4 && state.overlay?.kind === 'question' && state.overlay.on !== 'leave') operator.type('y<enter>');
  else if (what === 5 && state.screen === 'confirm') operator.choose('install');
  else operator.send(key(KEYS[roll(KEYS.length)] ?? 'enter'));
}

const NONE_OF_IT: Answers = {};
const ALL_BUT_THE_DISK: Answers = (() => {
  const { target_disk: _disk, confirm_wipe: _wipe, ...rest } = FIRST_NODE;
  return { ...rest, admin_password: new Secret(SECRET) };
})();

let started = 0;
it.each(Array.from({ length: 60 }, (_, i) => i + 1))('operator %i', (seed) => {
  const roll = dice(seed * 7919);
  const machine = seed % 4 === 0 ? SERVER : (machines[roll(machines.length)] as Machine);
  const operator = new Operator(seed % 3 === 0 ? NONE_OF_IT : ALL_BUT_THE_DISK, seed % 2 === 0 ? 'install' : 'rehearse', machine);
  for (let step = 0; step < 250 && operator.state.outcome === null; step += 1) {
    const before = operator.effects.length;
    press(operator, roll);
    const shown = look(operator.state);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    for (const effect of operator.effects.slice(before))
      if (effect.type === 'install' || effect.type === 'rehearse') {
        started += 1;
        mayStart(operator.state);
      }
    if (operator.state.busy !== null) operator.event({ type: 'trouble', message: 'Nothing came of it.' });
  }
});

it('some of them came as far as starting it', () => expect(started).toBeGreaterThan(3));
