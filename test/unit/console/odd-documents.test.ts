/** Whatever a server sends and however small the terminal: a frame that fits, without a control character in it. */
import { expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf, widthOfLine } from '#console/style.ts';
import { applyFrame, clientVerdict, clientView, EMPTY_MODEL } from '#status/client-model.ts';
import { statusText } from '#status/text.ts';
import { EMPTY_MEMORY } from '#status/verdict.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { foreignSnapshot, NOW } from '../../support/foreign-status.ts';
import { pick, seeded, spoiled } from '../../support/mutate.ts';

const DOCUMENTS = 250;
const SIZES = [
  [80, 24],
  [213, 52],
  [40, 10],
  [20, 5],
  [4, 4],
  [3, 2],
  [80, 1],
  [1, 24],
  [1, 1],
] as const;
const PAGES = ['dashboard', 'health', 'pods', 'monitor', 'log', 'processes', 'pull'] as const;
const array = { name: 'md0', level: 'raid1', array_state: 'clean', state: 'degraded', members_faulty: 0, spares: 0, members: [] };
const paths = { name: 'm', dm: 'd', uuid: 'u', paths_total: 2, paths_faulted: 1, paths: [], severity: 'warning' };
const EVERYTHING = foreignSnapshot({
  storage: { md_supported: true, arrays: [{ ...array, severity: 'critical' }], multipath: [paths] },
  pairing: { applicable: true, state: 'registering', code_present: true, attempts: 2, retry_at: NOW, last_error: { code: 'x' } },
  control_plane: { url: 'https://a', tcp_ok: false, consecutive_failures: 2, interval_s: 30, in_cluster: false, last_heartbeat_at: NOW },
  upgrade: { state: 'writing', bytes_done: 1, bytes_total: 3, recent_failures_1h: 0, target_version: '1' },
  power: { pending: [{ kind: 'reboot', origin: 'fleet', cancellable: true, id: 'x', fires_at: NOW }], reasons: ['r'] },
});

it.each([1, 2, 3, 4])('seed %i', (seed) => {
  const random = seeded(seed);
  let read = 0;
  for (let i = 0; i < DOCUMENTS; i++) {
    const got = applyFrame(EMPTY_MODEL, spoiled(EVERYTHING, random), 0);
    if (!got.ok) continue;
    read += 1;
    const view = clientView(got.model, random() * 100_000);
    const { verdict } = clientVerdict(got.model, 0, EMPTY_MEMORY);
    expect(statusText(view, verdict, Date.parse(NOW))).not.toBe('');
    const [columns, rows] = pick(random, SIZES);
    const page = pick(random, PAGES);
    const where = `document ${i}, ${page} at ${columns}x${rows}`;
    const frame = composeFrame(stateOf({}, {}, { view, verdict, page, wallMs: Date.parse(NOW) }), { columns, rows });
    for (const l of frame) expect(widthOfLine(l), `${where}: ${textOf(l)}`).toBeLessThanOrEqual(columns);
    expect(frame.map(textOf).join(''), where).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  }
  expect(read).toBeGreaterThan(DOCUMENTS / 2);
});
