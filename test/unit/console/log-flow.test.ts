import { describe, expect, it } from 'vitest';
import { GLANCE, LineQueue, LogBudget } from '#console/log-budget.ts';
import { LogFlow } from '#console/log-flow.ts';
import { initialUi, type UiState } from '#console/reducer.ts';
import { OPEN_POLICY } from '#status/policy.ts';
import { logLines } from '../../support/console-fixtures.ts';

const UI: UiState = initialUi(OPEN_POLICY, { loginWhy: null, powerWhy: null, editWhy: null, offered: null });

describe('what the log pane may spend', () => {
  it('a burst at once, then no more than its rate, however many lines come', () => {
    const budget = new LogBudget(GLANCE, 0);
    const FRAME_BYTES = 300;
    let spent = 0;
    for (let ms = 1000; ms <= 600_000; ms += 1000) {
      if (!budget.mayDraw(ms)) continue;
      budget.spend(FRAME_BYTES);
      spent += FRAME_BYTES;
    }
    expect(spent / 600).toBeLessThan(GLANCE.bytesPerS + 5);
    expect(spent / 600).toBeGreaterThan(GLANCE.bytesPerS - 5);
  });
  it('a line now and then is drawn at once', () => {
    const budget = new LogBudget(GLANCE, 0);
    for (let s = 1; s < 100; s += 5) {
      expect(budget.mayDraw(s * 1000)).toBe(true);
      budget.spend(250);
    }
  });
});

describe('lines that wait', () => {
  it('the newest are kept, and a million cost no memory', () => {
    const queue = new LineQueue<number>(2000, 0);
    for (let i = 0; i < 1_000_000; i += 1) queue.add(i);
    const { lines, note } = queue.take(10_000);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([2000, 998_000, 999_999]);
    expect(note).toBe('about 100000 lines a second');
    expect(queue.take(11_000)).toEqual({ lines: [], note: '' });
  });
  it('a few lines are no flood', () => {
    const queue = new LineQueue<number>(10, 0);
    for (let i = 0; i < 15; i += 1) queue.add(i);
    expect(queue.take(1000).note).toBe('');
  });
});

describe('flow', () => {
  const line = logLines(1)[0];
  if (!line) throw new Error('no line');
  it('on a slow line what comes after the burst waits; on a screen of this machine nothing does', () => {
    for (const [isFast, expected] of [
      [false, null],
      [true, 'log'],
    ] as const) {
      const flow = new LogFlow(isFast, 0);
      flow.addBox(line);
      const first = flow.take(UI, 1000);
      expect(first?.event.t).toBe('log');
      first?.budget?.spend(5000);
      flow.addBox(line);
      expect(flow.take(UI, 2000)?.event.t ?? null).toBe(expected);
    }
  });
  it('the page of a pod gets its own lines, and hears the end', () => {
    const flow = new LogFlow(false, 0);
    const ui: UiState = { ...UI, page: 'podlog', podLog: { ns: 'n', pod: 'p', log: UI.log, ended: null } };
    flow.addBox(line);
    flow.startPod(0);
    expect(flow.take(ui, 1000)).toBeNull();
    flow.addPod('hello');
    expect(flow.take(ui, 2000)?.event).toMatchObject({ t: 'pod_log', lines: [{ text: 'hello', at: '' }], ended: null });
    flow.endPod('the log ended');
    expect(flow.take(ui, 3000)?.event).toMatchObject({ t: 'pod_log', lines: [], ended: 'the log ended' });
  });
});
