/** What a run that nobody watches does about an installation that was cut short. */
import { expect, it } from 'vitest';
import { doorFindings } from '#installer/run/installation.ts';
import { decideUnfinished } from '#installer/run/unattended.ts';
import type { Unfinished } from '#installer/run/unfinished.ts';
import type { UnfinishedView } from '#installer/wizard/unfinished-view.ts';
import { Secret } from '#model/secret.ts';
import { planFor, settings } from '../plan/samples.ts';
import { SERVER } from '../wizard/support.ts';

const unfinished = (view: Partial<UnfinishedView> = {}, plan = planFor()): Unfinished => ({
  plan,
  view: {
    disks: ['/dev/sda'],
    hostname: 'ddi-1',
    role: 'control-plane',
    keepsData: false,
    lastAt: '2026-11-30T12:31:07Z',
    done: ['Partition /dev/sda'],
    total: 30,
    stoppedAt: 'Copy the system',
    refusal: null,
    answers: {},
    needs: ['admin_password'],
    ...view,
  },
  resumeIn: async () => undefined,
});

it('goes on with what the same answers began, and says so', () => {
  const found = decideUnfinished([unfinished()], planFor());
  expect(found).toMatchObject({ kind: 'continue', lines: [expect.stringContaining('cut short at "Copy the system" (1 of 30 steps done')] });
});

it.each([
  ['other answers', unfinished({}, planFor({ settings: settings({ hostname: 'ddi-9' }) })), 'begun with other answers'],
  ['a disk that is another', unfinished({ refusal: 'the serial number was A and is now B' }), 'the serial number was A and is now B'],
])('starts over with %s, and says why', (_name, begun, why) => {
  expect(decideUnfinished([begun], planFor())).toMatchObject({ kind: 'new', lines: [expect.stringContaining(why)] });
});

it('leaves one on another disk alone', () => {
  expect(decideUnfinished([unfinished({ disks: ['/dev/sdb'] })], planFor())).toEqual({ kind: 'new', lines: [] });
});

it('never keeps the data of one that was cut short', () => {
  const keeping = { ...planFor(), settings: settings({ keepVar: true }) };
  expect(decideUnfinished([unfinished()], keeping).kind).toBe('halt');
  expect(decideUnfinished([unfinished({ keepsData: true, refusal: 'other image' })], keeping).kind).toBe('new');
});

it('asks at the door for no secret that only finished steps have used', () => {
  const answers = {
    role: 'appliance',
    target_disk: '/dev/sdb',
    confirm_wipe: 'true',
    hostname: 'ddi-2',
    network: { mode: 'dhcp' },
    control_plane_url: 'https://ddi.example.net',
  };
  const missing = (needs: readonly ('admin_password' | 'pairing_code')[], more = {}): string[] =>
    doorFindings(
      {
        plan: planFor(),
        answers: { ...answers, ...more },
        secrets: { adminPassword: null, adminPasswordHash: null, pairingCode: null },
        resume: { needs },
      },
      SERVER,
    ).flatMap((finding) => (finding.severity === 'error' ? finding.path : []));
  expect(missing([])).toEqual([]);
  expect(missing(['admin_password'])).toEqual(['admin_password']);
  expect(missing(['pairing_code'], { admin_password: new Secret('correct horse battery') })).toEqual(['pairing_code']);
});
