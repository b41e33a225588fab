import { expect, test } from 'vitest';
import type { ReleaseManifest } from '#model/pull.ts';
import { decide, RESERVE_BYTES, type Standing } from '#supervisor/update/decide.ts';
import { EMPTY_STATE } from '#supervisor/update/state.ts';
import { compareVersions, isVersion } from '#supervisor/update/version.ts';

const manifest: ReleaseManifest = {
  channel: 'stable',
  version: '1.2.0',
  url: '/v1/releases/1.2.0/spatium',
  size: 1000,
  sha256: 'a'.repeat(64),
  signature: '',
};
const standing: Standing = {
  running: '1.1.0',
  installed: { version: '1.1.0', sha256: 'b'.repeat(64) },
  state: EMPTY_STATE,
  channel: 'stable',
  isApplying: false,
  freeBytes: 10e9,
};
const installed = { version: '1.2.0', sha256: 'a'.repeat(64) };
const says = (m: Partial<ReleaseManifest>, s: Partial<Standing>): string => {
  const d = decide({ ...manifest, ...m }, { ...standing, ...s });
  return d.act === 'refuse' ? `refuse ${d.code}` : d.act;
};

test('every row of the table', () => {
  expect(says({}, {})).toBe('install');
  expect(says({}, { running: '1.2.0', installed })).toBe('nothing');
  expect(says({}, { running: '1.2.0', installed: { ...installed, sha256: 'c'.repeat(64) } })).toBe('refuse republished');
  expect(says({}, { state: { ...EMPTY_STATE, bad: [{ version: '1.2.0', sha256: 'a'.repeat(64), reason: 'health', at: '' }] } })).toBe(
    'refuse bad',
  );
  expect(says({}, { state: { ...EMPTY_STATE, bad: [{ version: '1.2.0', sha256: 'c'.repeat(64), reason: 'health', at: '' }] } })).toBe(
    'install',
  );
  expect(says({ version: '1.0.9' }, {})).toBe('refuse downgrade');
  expect(says({ version: '1.0.9', allow_downgrade: true }, {})).toBe('install');
  expect(says({}, { isApplying: true })).toBe('later');
  expect(says({}, { freeBytes: 2000 + RESERVE_BYTES - 1 })).toBe('refuse space');
  expect(says({}, { freeBytes: 2000 + RESERVE_BYTES })).toBe('install');
  expect(says({ channel: 'beta' }, {})).toBe('refuse channel');
  expect(says({ min_version: '1.1.1' }, {})).toBe('refuse min_version');
  expect(says({ min_version: '1.1.0' }, {})).toBe('install');
});

test('the process counts, not the file; a process that does not answer is not a version', () => {
  expect(says({}, { installed })).toBe('restart');
  expect(says({}, { installed, running: null })).toBe('nothing');
  // The cure for a supervisor that hangs must be installable.
  expect(says({}, { running: null })).toBe('install');
  expect(says({ version: '1.0.0' }, { running: null })).toBe('refuse downgrade');
});

test('two builds of one version have no order, so neither replaces the other', () => {
  expect(says({ version: '1.1.0+b' }, { running: '1.1.0+a', installed: { version: '1.1.0+a', sha256: '' } })).toBe('refuse downgrade');
  expect(says({}, { running: 'unknown' })).toBe('refuse order');
});

test('order of versions', () => {
  const sorted = [
    '0.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2',
    '1.10.0',
  ];
  for (const [i, a] of sorted.entries())
    for (const [j, b] of sorted.entries()) expect(Math.sign(compareVersions(a, b) ?? Number.NaN), `${a} ${b}`).toBe(Math.sign(i - j));
  expect(compareVersions('1.0', '1.0.0')).toBe(0);
  expect(compareVersions('2026.11.30', 'v1')).toBeNull();
  for (const bad of ['', '1..2', '../1', '1.0/x', '1.0 ', '1.0\n', `1.${'0'.repeat(70)}`, '1.0-', 'latest'])
    expect(isVersion(bad), bad).toBe(false);
});
