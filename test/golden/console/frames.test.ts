/** Whole frames as text. A change of a frame is a change of a file that can be read in review. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf } from '#console/style.ts';
import { judgeArray } from '#status/local/storage.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { disk } from '../../support/status-fixtures.ts';

const mirror = judgeArray({
  name: 'md127',
  friendly: 'root_a',
  level: 'raid1',
  arrayState: 'clean',
  raidDisks: 2,
  members: [{ device: 'sda4', state: 'in_sync', slot: '0' }],
  syncAction: 'recover',
  syncCompleted: '430 / 1000',
  sizeBytes: null,
  syncSpeed: null,
});

const NOT_HERE = { state: 'not_applicable', data: null } as const;
const STATES = {
  healthy: stateOf(),
  'no-k3s': stateOf({ nodes: null, pods: null, etcd: null }, { k3s: NOT_HERE, slots: NOT_HERE }),
  trouble: stateOf({
    disks: { mounts: [disk('/', 40), disk('/var', 95), disk('/boot/efi', 3)] },
    storage: { md_supported: true, arrays: [mirror], multipath: [], second_esp: null },
    slots: { booted: 'slot_b', is_trial: true },
    k3s: { unit_state: 'failed' },
  }),
  'no-supervisor': stateOf({}, {}, { link: { state: 'lost', since: '2026-11-30T15:50:00Z', sinceMs: 0, why: 'no socket' } }),
};
const SIZES = [
  [80, 24],
  [80, 30],
  [120, 34],
  [160, 50],
  [213, 52],
] as const;

describe.each(Object.entries(STATES))('%s', (name, state) => {
  it.each(SIZES)('%ix%i', async (columns, rows) => {
    const frame = composeFrame(state, { columns, rows }).map((l) => textOf(l).trimEnd());
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(path.join(import.meta.dirname, 'frames', `${name}.${columns}x${rows}.txt`));
  });
});
