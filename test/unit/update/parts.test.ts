import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { storeFiles } from '#supervisor/apply/files.ts';
import { openStore } from '#supervisor/apply/store.ts';
import { probeVersion } from '#supervisor/update/install.ts';
import { updateReport, updateText } from '#supervisor/update/report.ts';
import { selfCheck, storedFiles } from '#supervisor/update/self-check.ts';
import { lookFrom } from '#supervisor/update/service.ts';
import { EMPTY_STATE, forgetOld, parseState, type UpdateState, withBad } from '#supervisor/update/state.ts';
import type { Runner, RunResult } from '#system/run.ts';
import { stored } from '../../support/crash-world.ts';

const end = { argv: [], stdout: '', stderr: '', tail: [], durationMs: 1 };
const says = (stdout: string): RunResult => ({ ...end, kind: 'exited', code: 0, stdout });
const busy: RunResult = { ...end, kind: 'not_started', errno: 'ETXTBSY' };
const busyInSandbox: RunResult = { ...end, kind: 'exited', code: 203, stderr: 'Failed at step EXEC spawning /x: Text file busy' };

async function probe(results: readonly RunResult[]): Promise<{ kind: string; runs: number; slept: number }> {
  let runs = 0;
  let slept = 0;
  const run: Runner = async () => results[Math.min(runs++, results.length - 1)] ?? busy;
  const sleep = async (ms: number): Promise<void> => {
    slept += ms;
  };
  return { kind: (await probeVersion('/x/spatium', '1.2.0', { run, sleep })).kind, runs, slept };
}

test('a file that is still open for writing says nothing about the release', async () => {
  expect(await probe([busy, busy, says('spatium 1.2.0\n')])).toEqual({ kind: 'good', runs: 4, slept: 200 });
  expect(await probe([busyInSandbox, says('spatium 1.2.0\n')])).toEqual({ kind: 'good', runs: 3, slept: 100 });
  expect(await probe([busy])).toEqual({ kind: 'later', runs: 5, slept: 400 });
  // The words alone, in what a program prints itself, are no errno.
  expect((await probe([{ ...end, kind: 'exited', code: 1, stderr: 'Text file busy' }])).kind).toBe('bad');
});

test('any other failure is the release’s', async () => {
  const ends: readonly RunResult[] = [
    { ...end, kind: 'not_started', errno: 'ENOEXEC' },
    { ...end, kind: 'signaled', signal: 'SIGSEGV' },
    { ...end, kind: 'timeout', timeoutMs: 20_000 },
    says('spatium 1.2.0-rc1\n'),
    says('1.2.0\n'),
  ];
  for (const result of ends) expect((await probe([result])).kind, result.kind).toBe('bad');
});

test('what systemctl says of the unit', () => {
  const text = 'Result=success\nMainPID=812\nNRestarts=0\nActiveState=active\nSubState=running\nInvocationID=abc\n';
  expect(lookFrom(text)).toEqual({ isActive: true, identity: 'abc 812 0', mainPid: 812, restarts: 0, words: 'active (running)' });
  expect(lookFrom(text.replace('812', '0').replace('=active', '=activating').replace('success', 'exit-code'))).toMatchObject({
    isActive: false,
    mainPid: null,
    words: 'activating (running, exit-code)',
  });
  expect(lookFrom('')).toBeNull();
  expect(lookFrom('garbage')).toBeNull();
});

const bad = (version: string, reason: 'health' | 'crash_loop', at: string) => ({ version, sha256: 'a'.repeat(64), reason, at });

test('a crash loop is forgotten after seven days, bad health is not, and a clock that was wrong does not keep either for years', () => {
  const state: UpdateState = {
    ...EMPTY_STATE,
    bad: [bad('1.0.1', 'crash_loop', '2026-11-01T00:00:00.000Z'), bad('1.0.2', 'health', '2020-01-01T00:00:00.000Z')],
  };
  expect(forgetOld(state, '2026-11-07T23:00:00.000Z')).toBe(state);
  expect(forgetOld(state, '2026-11-08T00:00:00.000Z').bad.map((b) => b.version)).toEqual(['1.0.2']);
  const ahead = forgetOld({ ...EMPTY_STATE, bad: [bad('1.0.1', 'crash_loop', '2099-01-01T00:00:00.000Z')] }, '2026-11-01T00:00:00.000Z');
  expect(ahead.bad[0]?.at).toBe('2026-11-01T00:00:00.000Z');
  let full: UpdateState = EMPTY_STATE;
  for (let i = 0; i < 50; i += 1) full = withBad(full, bad(`1.0.${i}`, 'health', '2026-11-01T00:00:00.000Z'));
  expect(full.bad.length).toBe(20);
  expect(full.bad.at(-1)?.version).toBe('1.0.49');
});

test('only a whole state is a state', () => {
  const whole = JSON.stringify({ ...EMPTY_STATE, pending: { to: '1', sha256: 'a', from: null, boots: 0, since: '' } });
  expect(parseState(whole)).not.toBeNull();
  for (const text of [
    '',
    '{}',
    '[]',
    'null',
    whole.slice(0, -9),
    whole.replace('"boots":0', '"boots":"0"'),
    whole.replace('"schema":1', '"schema":2'),
  ])
    expect(parseState(text), text).toBeNull();
});

test('the report to the panel and the text for people', () => {
  const state: UpdateState = {
    ...EMPTY_STATE,
    bad: [bad('1.1.0', 'health', '2026-11-01T00:00:00.000Z')],
    last: { version: '1.1.0', outcome: 'rolled_back', why: 'version 9 answers', at: '2026-11-01T00:00:00.000Z' },
  };
  expect(updateReport('1.0.0', state)).toEqual({ running: '1.0.0', target: '1.1.0', phase: 'rolled_back', bad: ['1.1.0 health'] });
  const text = updateText({ running: null, current: null, image: '1.0.0', state });
  expect(text).toContain("starts     1.0.0 (the image's own)");
  expect(text).toContain('last       1.1.0 rolled back');
  expect(text).toContain('nothing answers');
});

test('a self-check understands what the store writes', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-check-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
  const store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
  await store.putFetched(stored(1, 'good'));
  await store.putApplied(stored(1, 'good'), '2026-11-30T00:00:00Z');
  expect(await selfCheck(storedFiles({ config: dir, identity: dir, state: path.join(dir, 'update.json') }))).toEqual([]);
  fs.writeFileSync(path.join(dir, 'fetched.json'), '{"body":1}');
  expect(await selfCheck(storedFiles({ config: dir, identity: dir, state: path.join(dir, 'update.json') }))).toHaveLength(1);
});

test('a self-check reads and writes nothing, and quotes no content', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-check-'));
  try {
    const files = storedFiles({ config: dir, identity: dir, state: path.join(dir, 'update.json') });
    expect(await selfCheck(files)).toEqual([]);
    fs.writeFileSync(path.join(dir, 'applied.json'), JSON.stringify({ body: '{"schema": 2, "kind": "lb"}' }));
    fs.writeFileSync(path.join(dir, 'identity.json'), 'a secret');
    fs.writeFileSync(path.join(dir, 'update.json'), '{"schema": 7}');
    const faults = (await selfCheck(files)).join('\n');
    expect(faults).toMatch(/applied\.json is refused: schema is 2/);
    expect(faults).toMatch(/identity\.json is no identity/);
    expect(faults).toMatch(/update\.json is no update state/);
    expect(faults).not.toContain('a secret');
    expect(fs.readdirSync(dir).sort()).toEqual(['applied.json', 'identity.json', 'update.json']);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
});
