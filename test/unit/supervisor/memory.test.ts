import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, judgeStatus } from '#status/verdict.ts';
import { loadMemory, saveMemory } from '#supervisor/memory.ts';
import { disk, healthyView } from '../../support/status-fixtures.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-memory-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));
const file = path.join(dir, 'verdict.json');
const bad = healthyView({ disks: { mounts: [disk('/var', 95)] } });
const judge = (now: string, memory: typeof EMPTY_MEMORY) => judgeStatus({ view: bad, now, nowMs: 5, memory });

describe('memory of the verdict', () => {
  it('an alarm keeps its since-when over a restart, but not over a reboot', async () => {
    const first = judge('2026-11-30T10:00:00Z', EMPTY_MEMORY);
    await saveMemory(file, 'boot-1', first.memory);
    const later = '2026-11-30T11:00:00Z';
    expect(judge(later, await loadMemory(file, 'boot-1', 0)).verdict.reasons[0]?.since).toBe('2026-11-30T10:00:00Z');
    expect(judge(later, await loadMemory(file, 'boot-2', 0)).verdict.reasons[0]?.since).toBe(later);
  });
  it('a missing or broken file is an empty memory', async () => {
    expect(await loadMemory(path.join(dir, 'none'), 'b', 0)).toEqual(EMPTY_MEMORY);
    fs.writeFileSync(file, '{"boot_id":');
    expect(await loadMemory(file, 'b', 0)).toEqual(EMPTY_MEMORY);
  });
});
