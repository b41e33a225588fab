/** What comes and goes: an alarm must neither flash for a moment nor blink, and a number from the beginning of time is no alarm. */
import { describe, expect, it } from 'vitest';
import type { View } from '#status/freshness.ts';
import { errorsOfThisBoot } from '#status/local/disks.ts';
import { EMPTY_MEMORY, judgeStatus, type VerdictMemory } from '#status/verdict.ts';
import { disk, healthyView, pod, type Spoil } from '../../support/status-fixtures.ts';

const S = 1000;

/** Judges a box every second while `at` says what is wrong with it; gives the codes reported at each second. */
function watch(seconds: number, at: (s: number) => Spoil): string[][] {
  let memory: VerdictMemory = EMPTY_MEMORY;
  return Array.from({ length: seconds }, (_, s) => {
    const view: View = healthyView(at(s));
    const judged = judgeStatus({ view, now: new Date(1_796_000_000_000 + s * S).toISOString(), nowMs: s * S, memory });
    memory = judged.memory;
    return judged.verdict.reasons.map((r) => r.code);
  });
}
const changes = (seen: string[][]): number => seen.filter((x, i) => i > 0 && x.join() !== seen[i - 1]?.join()).length;

const apiDown: Spoil = { k3s: { readyz: 'timeout' } };
const noLink: Spoil = {
  network: {
    interfaces: [{ name: 'eth0', kind: 'ethernet', up: false, carrier: false, addrs: [] }] as never,
  },
};

describe('an alarm that must last', () => {
  it('one answer that does not come is not reported, ten seconds of them are', () => {
    expect(watch(30, (s) => (s === 5 ? apiDown : {})).flat()).toEqual([]);
    const seen = watch(30, (s) => (s >= 5 ? apiDown : {}));
    expect(seen.findIndex((x) => x.includes('k3s.not_ready'))).toBe(15);
  });
  it('a readiness that fails every other time is reported once and stays', () => {
    const seen = watch(120, (s) => (Math.floor(s / 5) % 2 === 0 ? apiDown : {}));
    expect(changes(seen)).toBe(1);
    expect(seen.at(-1)).toEqual(['k3s.not_ready']);
  });
  it('ends once the condition has been gone for a while, and not before', () => {
    const seen = watch(90, (s) => (s >= 10 && s < 40 ? noLink : {}));
    const on = seen.map((x) => x.includes('network.no_link'));
    expect([on.indexOf(true), on.lastIndexOf(true)]).toEqual([20, 49]);
  });
  it('a gateway and name servers that do not answer are reported after a minute', () => {
    const silent = { ok: false, checked_at: '' };
    const cut: Spoil = { network: { connectivity: { gateway: silent, dns: silent } } };
    const seen = watch(90, (s) => (s >= 5 ? cut : {}));
    expect(seen.findIndex((x) => x.length > 0)).toBe(65);
    expect(seen.at(-1)).toEqual(['network.gateway', 'network.dns']);
  });
  it('rules that differ from their file are reported when two checks have seen it', () => {
    const drift = { firewall: { webui: { status: 'open', ports: {} }, apply: { status: 'ok' }, drift: true } } as unknown as Spoil;
    const seen = watch(400, (s) => (s >= 5 ? drift : {}));
    expect(seen.findIndex((x) => x.includes('firewall.drift'))).toBe(365);
  });
  it('keeps its since-when through the gaps', () => {
    let memory: VerdictMemory = EMPTY_MEMORY;
    const at = (s: number, spoil: Spoil) => {
      const judged = judgeStatus({
        view: healthyView(spoil),
        now: `2026-11-30T10:00:${String(s).padStart(2, '0')}Z`,
        nowMs: s * S,
        memory,
      });
      memory = judged.memory;
      return judged.verdict.reasons[0]?.since;
    };
    const node = { list: [{ ...(healthyView().nodes?.data?.list[0] as object), ready: 'false' }] } as never;
    expect([at(0, { nodes: node }), at(10, {}), at(20, { nodes: node })]).toEqual(Array(3).fill('2026-11-30T10:00:00Z'));
  });
  it('a section that no longer applies ends it at once', () => {
    let memory: VerdictMemory = EMPTY_MEMORY;
    const judge = (view: View, nowMs: number) => {
      const judged = judgeStatus({ view, now: '2026-11-30T10:00:00Z', nowMs, memory });
      memory = judged.memory;
      return judged.verdict.reasons.length;
    };
    const crash = { list: [pod('api', { severity: 'critical', severity_code: 'state' })] };
    const none = { state: 'not_applicable', data: null } as const;
    expect(judge(healthyView({ pods: crash }), 0)).toBe(1);
    expect(judge(healthyView({}, { pods: none, nodes: none, etcd: none, k3s: none }), S)).toBe(0);
  });
});

describe('a value at its limit', () => {
  it('a disk between 89 and 91 % is reported once', () => {
    const seen = watch(60, (s) => ({ disks: { mounts: [disk('/var', s < 10 ? 89 : s % 2 === 0 ? 91 : 89)] } }));
    expect(changes(seen)).toBe(1);
    expect(seen[5]).toEqual([]);
    expect(seen.at(-1)).toEqual(['disk.full']);
  });
  it('and well below it is over', () => {
    const seen = watch(20, (s) => ({ disks: { mounts: [disk('/var', s < 10 ? 91 : 87.9)] } }));
    expect([seen[9], seen[10]]).toEqual([['disk.full'], []]);
  });
  it('pressure that hovers is reported once', () => {
    const some = (avg300: number): Spoil => ({
      psi: { cpu: { some: { avg10: 0, avg60: 0, avg300 }, full: null }, breach: avg300 >= 50 ? ['cpu_some'] : [] },
    });
    const seen = watch(60, (s) => some(s < 10 ? 45 : s % 2 === 0 ? 51 : 45));
    expect([seen[5], changes(seen), seen.at(-1)]).toEqual([[], 1, ['psi.cpu_some']]);
    expect(watch(20, (s) => some(s < 10 ? 51 : 39)).at(-1)).toEqual([]);
  });
});

it('errors of a file system count when they are of this boot', () => {
  expect([errorsOfThisBoot(3, 900, 1000), errorsOfThisBoot(3, 1000, 1000), errorsOfThisBoot(null, 1000, 1000)]).toEqual([0, 3, null]);
  // Without the time nobody can say, so they count.
  expect([errorsOfThisBoot(3, null, 1000), errorsOfThisBoot(3, 900, null)]).toEqual([3, 3]);
});
