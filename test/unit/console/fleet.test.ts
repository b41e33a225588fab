import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf } from '#console/style.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { NO_UPGRADE, PAIRED } from '../../support/spoils.ts';
import type { Spoil } from '../../support/status-fixtures.ts';

const text = (spoil: Spoil, page: 'dashboard' | 'health' = 'dashboard'): string =>
  composeFrame(stateOf(spoil, {}, { page }), { columns: 100, rows: 60 })
    .map(textOf)
    .join('\n');

const pairing = (state: string): Spoil => ({ pairing: { ...PAIRED, state: state as 'paired' } });

describe('fleet lines', () => {
  it.each([
    ['paired', 'Pairing • Paired'],
    ['awaiting', 'Registered - awaiting approval'],
    ['no_code', 'Pair failed - regenerate code on control plane'],
    ['something_new', 'Pairing something_new'],
  ])('pairing %s', (state, want) => expect(text(pairing(state))).toContain(want));
  it('are absent where they do not apply', () => {
    const t = text({});
    for (const word of ['Pairing', 'Upgrade', 'pending', 'Cluster ']) expect(t).not.toContain(word);
  });
  it('a pending reboot says when, and how to stop it', () => {
    const pending = [
      {
        kind: 'reboot' as const,
        origin: 'fleet' as const,
        requested_at: null,
        fires_at: '2026-11-30T15:56:00Z',
        cancellable: true,
        id: 'x',
      },
    ];
    expect(text({ power: { pending } })).toContain('Reboot pending at 15:56:00 (F5 to cancel)');
  });
  it('an upgrade shows its step and share', () => {
    const upgrade: Spoil = {
      upgrade: { ...NO_UPGRADE, state: 'writing', target_version: '2026.06', step_index: 3, step_count: 5, pct: 43 },
    };
    expect(text(upgrade)).toMatch(/Upgrade writing 3\/5 to 2026\.06 █+░+ 43%/);
  });
});

describe('health page', () => {
  it('lists planes that fail and warning events', () => {
    const t = text(
      {
        host_config: {
          planes: [{ name: 'ntp', state: 'failing', attempts: 3, desired_hash: null, applied_hash: null, last_error: null, since: null }],
          patches: [],
          last_reconcile_ok: true,
        },
        events: {
          recent: [
            {
              at: '2026-11-30T15:54:53Z',
              type: 'Warning',
              reason: 'BackOff',
              object: 'Pod/api',
              ns: 'spatium',
              count: 7,
              text: 'Back-off restarting',
            },
          ],
          complete: true,
        },
      },
      'health',
    );
    expect(t).toMatch(/ntp +failing +3 attempts/);
    expect(t).toMatch(/1m BackOff Pod\/api x7 {2}Back-off restarting/);
    expect(t).toMatch(/vitals +known/);
  });
});
