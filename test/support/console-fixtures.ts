/** Console states for layout tests. */

import { NO_SERIES } from '#console/history.ts';
import type { ScreenState } from '#console/screen-state.ts';
import type { LogLine } from '#model/status.ts';
import { OPEN_POLICY } from '#status/policy.ts';
import { EMPTY_MEMORY, judgeStatus } from '#status/verdict.ts';
import { healthyView, type Spoil } from './status-fixtures.ts';

const WALL_MS = Date.parse('2026-11-30T15:55:53Z');

/** Columns and rows of the terminals that a console meets. */
export const SCREEN_SIZES = [
  [80, 24],
  [80, 30],
  [100, 28],
  [120, 34],
  [160, 50],
  [213, 52],
] as const;

const TEXTS = [
  ['k3s', 'info', 'Starting k3s v1.36.1+k3s1'],
  ['k3s', 'warn', 'level=warning msg="lost leader"'],
  ['kernel', 'err', 'EXT4-fs error (device sda6): ext4_find_entry:1658: inode #2: comm ls: reading directory lblock 0'],
  ['chronyd', 'info', 'Selected source 192.168.10.1'],
] as const;

export const logLines = (count: number): LogLine[] =>
  Array.from({ length: count }, (_, i) => {
    const [unit, sev, text] = TEXTS[i % TEXTS.length] as (typeof TEXTS)[number];
    return {
      t: 'log',
      id: i + 1,
      at: new Date(WALL_MS - (count - i) * 1000).toISOString(),
      src: 'journal',
      unit,
      sev,
      text: `${text} (${i + 1})`,
    };
  });

export function stateOf(
  spoil: Spoil = {},
  envelopes: Parameters<typeof healthyView>[1] = {},
  over: Partial<ScreenState> = {},
): ScreenState {
  const view = healthyView(spoil, envelopes);
  const now = new Date(WALL_MS - 240_000).toISOString();
  const local = over.link?.state === 'lost' ? { localOnlySince: over.link.since } : {};
  const { verdict } = judgeStatus({ view, now, nowMs: 0, memory: EMPTY_MEMORY, ...local });
  return {
    link: { state: 'live' },
    view,
    verdict,
    log: { lines: logLines(60), scroll: 0, paused: false, filter: '', typing: false, note: '' },
    podLog: null,
    pod: null,
    processes: null,
    policy: OPEN_POLICY,
    loginWhy: null,
    powerWhy: null,
    editWhy: null,
    offered: {},
    page: 'dashboard',
    dialog: null,
    scroll: 0,
    history: NO_SERIES,
    nowMs: 0,
    wallMs: WALL_MS,
    ...over,
  };
}
