import { describe, expect, it } from 'vitest';
import { QUESTION_SCREENS } from '#installer/wizard/questions.ts';
import { openScreen, screenOf } from '#installer/wizard/screens.ts';
import type { BodyLine, WizardState } from '#installer/wizard/types.ts';
import { layoutBody } from '#installer/wizard/view/layout.ts';
import type { Answers } from '#model/answers.ts';
import { FIRST_NODE, Operator, rowsOf } from './support.ts';

const WIDTH = 76;
const HEIGHT = 20;
const MESSAGE: readonly BodyLine[] = [
  { text: 'Something is wrong here, and this sentence says what it is at some length, over two rows.' },
];

function usedRows(state: WizardState, messages: readonly BodyLine[]): number {
  const body = screenOf(state.screen).body(state, state.draft);
  const layout = layoutBody(body, messages, WIDTH, HEIGHT);
  const items = body.items.reduce((sum, item) => sum + rowsOf(item, layout.listRows), 0);
  return layout.intro.length + items + layout.aside.length + layout.messages.length + (body.progress === undefined ? 0 : 1);
}

const staticV6: Answers = {
  ...FIRST_NODE,
  network: { mode: 'static', interface: 'eno1', ip: '192.0.2.9', prefix: '24', gateway: '192.0.2.1', ip6: '2001:db8::9', prefix6: '64' },
};

describe('every screen fits 80x24', () => {
  it.each([...QUESTION_SCREENS.map((screen) => screen.id), 'welcome', 'preflight', 'confirm'] as const)('%s', (id) => {
    for (const answers of [FIRST_NODE, staticV6]) {
      const state = openScreen(new Operator(answers).state, id);
      expect(usedRows(state, [])).toBeLessThanOrEqual(HEIGHT);
      expect(usedRows(state, MESSAGE)).toBeLessThanOrEqual(HEIGHT);
    }
  });

  it('also with many disks and ports, whose lists then show pages', () => {
    const { state } = new Operator(staticV6);
    const disk = state.machine.devices[0];
    const port = state.machine.interfaces?.[0];
    const many = {
      ...state.machine,
      devices: Array.from({ length: 40 }, (_, i) => ({
        ...(disk as NonNullable<typeof disk>),
        kname: `sd${i}`,
        path: `/dev/sd${i}`,
        serial: `S${i}00000`,
        children: [],
      })),
      interfaces: Array.from({ length: 30 }, (_, i) => ({ ...(port as NonNullable<typeof port>), name: `eno${i}` })),
    };
    for (const id of ['disk', 'network', 'preflight'] as const)
      expect(usedRows(openScreen({ ...state, machine: many }, id), MESSAGE), id).toBeLessThanOrEqual(HEIGHT);
  });
});
