import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSlots, slotOf } from '#boot/slots.ts';
import { readShape } from '#model/shape.ts';
import { SECTION_SHAPES, type SectionName } from '#model/status.ts';
import type { AnyCollector } from '#status/collector.ts';
import { localCollectors } from '#status/local-facts.ts';
import { severityOf } from '#status/log-severity.ts';
import { startSchedule } from '#status/schedule.ts';
import { type Clock, StatusStore } from '#status/store.ts';
import { parseJournalLine } from '#supervisor/collectors/journal.ts';
import { k3sCollector } from '#supervisor/collectors/k3s-unit.ts';
import { metaCollector } from '#supervisor/collectors/meta.ts';
import { parseScheduled, powerCollector } from '#supervisor/collectors/power.ts';
import { slotsCollector } from '#supervisor/collectors/slots.ts';
import { supervisorCollector } from '#supervisor/collectors/supervisor.ts';
import { timeCollector } from '#supervisor/collectors/time.ts';
import { hostView } from '#system/observe.ts';
import { type Runner, run } from '#system/run.ts';
import { fileTree } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const clock: Clock = { now: () => '2026-11-30T15:55:53.000Z', monoMs: () => 1000 };
const noRun: Runner = async () => {
  throw new Error('no process may be started here');
};

const GRUBENV = `# GRUB Environment Block\nsaved_entry=slot_a\nspatium_verbose=0\n${'#'.repeat(900)}`;
const ON_DISK = {
  'proc/self/mountinfo': '22 1 8:4 / / rw - ext4 /dev/sda4 rw\n',
  'sys/dev/block/8:4/uevent': 'MAJOR=8\nMINOR=4\nDEVNAME=sda4\nDEVTYPE=partition\nPARTN=4\nPARTNAME=root_A\n',
  'boot/efi/grub/grubenv': GRUBENV,
  'etc/spatiumddi/appliance-release': 'APPLIANCE_VERSION="2026.05.01-1"\n',
  'var/lib/spatiumddi/release-state/slot-versions.json': '{"slot_a":"old","slot_b":"unstamped"}',
};

describe('slots', () => {
  it('reads the names of both spellings', () => {
    expect(['root_A', 'root_b', 'slot_a', 'slot_b_verbose', 'rescue', null].map(slotOf)).toEqual([
      'slot_a',
      'slot_b',
      'slot_a',
      'slot_b',
      null,
      null,
    ]);
  });
  it('a partition names its slot; what runs knows its version; a sentinel is no version', async () => {
    const s = await readSlots(hostView(fileTree(ON_DISK)));
    expect(s).toMatchObject({
      available: true,
      booted: 'slot_a',
      durable: 'slot_a',
      is_trial: false,
      storage_kind: 'disk',
      next_once: null,
    });
    expect(s?.slots.slot_a).toMatchObject({ version: '2026.05.01-1', version_state: 'known' });
    expect(s?.slots.slot_b).toMatchObject({ version: null, version_state: 'unstamped' });
  });
  it('a slot that runs and is not the kept one is a trial', async () => {
    const files = { ...ON_DISK, 'sys/dev/block/8:4/uevent': 'DEVNAME=sda5\nPARTNAME=root_B\n' };
    expect(await readSlots(hostView(fileTree(files)))).toMatchObject({ booted: 'slot_b', durable: 'slot_a', is_trial: true });
  });
  it('a mirror names its slot by its array, with and without udev', async () => {
    const md = {
      ...ON_DISK,
      'proc/self/mountinfo': '22 1 9:127 / / rw - ext4 /dev/md127 rw\n',
      'sys/dev/block/9:127/uevent': 'DEVNAME=md127\n',
      'sys/dev/block/9:127/md/level': 'raid1\n',
    };
    expect(await readSlots(hostView(fileTree({ ...md, 'run/udev/data/b9:127': 'E:MD_DEVNAME=root_a\n' })))).toMatchObject({
      booted: 'slot_a',
      storage_kind: 'md',
    });
    expect(await readSlots(hostView(fileTree({ ...md, 'dev/md/root_b': '-> ../md127' })))).toMatchObject({
      booted: 'slot_b',
      is_trial: true,
    });
  });
  it('a partition of a multipath map', async () => {
    const files = {
      ...ON_DISK,
      'proc/self/mountinfo': '22 1 253:4 / / rw - ext4 /dev/mapper/mpatha-part4 rw\n',
      'sys/dev/block/253:4/uevent': 'DEVNAME=dm-4\n',
      'sys/dev/block/253:4/dm/uuid': 'part4-mpath-3600a\n',
      'run/udev/data/b253:4': 'E:ID_PART_ENTRY_NAME=root_A\n',
    };
    expect(await readSlots(hostView(fileTree(files)))).toMatchObject({ booted: 'slot_a', storage_kind: 'multipath' });
  });
  it('a machine without slots is not applicable, not a fault', async () => {
    const root = fileTree({ 'proc/self/mountinfo': '22 1 8:1 / / rw - ext4 /dev/sda1 rw\n' });
    expect(await slotsCollector(hostView(root)).collect()).toEqual({ state: 'not_applicable' });
  });
  it('without a readable boot environment the kept slot is unknown, and so is the trial', async () => {
    const { 'boot/efi/grub/grubenv': _, ...rest } = ON_DISK;
    expect(await readSlots(hostView(fileTree(rest)))).toMatchObject({ available: false, durable: null, is_trial: null });
  });
});

describe('k3s unit', () => {
  const files = {
    'usr/local/bin/k3s': 'x',
    'etc/systemd/system/k3s.service': '',
    'sys/fs/cgroup/system.slice/k3s.service/cgroup.events': 'populated 1\nfrozen 0\n',
    'run/systemd/units/invocation:k3s.service': '-> abc',
  };
  const readiness = () => ({ readyz: 'unknown', readyz_failed_checks: null }) as const;
  const answering =
    (stdout: string, calls: string[][]): Runner =>
    async (argv) => {
      calls.push([...argv]);
      return { kind: 'exited', code: 0, argv, stdout, stderr: '', tail: [], durationMs: 1 };
    };
  it('not installed is not applicable, and starts no process', async () => {
    const c = k3sCollector({ host: hostView(fileTree({ 'etc/x': '' })), clock, run: noRun, readiness, importing: async () => null });
    expect(await c.collect()).toEqual({ state: 'not_applicable' });
  });
  it('asks systemd once while nothing changes', async () => {
    const calls: string[][] = [];
    const run = answering('ActiveState=active\nResult=success\nStateChangeTimestamp=@1796047053\n', calls);
    const c = k3sCollector({ host: hostView(fileTree(files)), clock, run, readiness, importing: async () => null });
    for (let i = 0; i < 5; i += 1)
      expect(await c.collect()).toMatchObject({
        state: 'ok',
        data: { unit_state: 'active', unit_since: '2026-11-30T13:57:33.000Z', role: 'server' },
      });
    expect(calls).toHaveLength(1);
  });
  it('asks again when the unit was started anew', async () => {
    const calls: string[][] = [];
    const root = fileTree(files);
    const c = k3sCollector({
      host: hostView(root),
      clock,
      run: answering('ActiveState=active\n', calls),
      readiness,
      importing: async () => null,
    });
    await c.collect();
    fs.rmSync(path.join(root, 'run/systemd/units/invocation:k3s.service'));
    await c.collect();
    expect(calls).toHaveLength(2);
  });
});

describe('power', () => {
  it('reads what systemd has scheduled', () => {
    expect(parseScheduled('USEC=1796048753000000\nWARN_WALL=1\nMODE=reboot\n')).toMatchObject({
      kind: 'reboot',
      fires_at: '2026-11-30T14:25:53.000Z',
      cancellable: true,
    });
    expect(parseScheduled('MODE=dance\nUSEC=1\n')).toBeNull();
  });
  it('sees both triggers', async () => {
    const root = fileTree({
      'var/lib/spatiumddi/release-state/reboot-pending': '',
      'var/lib/spatiumddi/release-state/reboot-pending-fleet': '',
      'run/reboot-required': '',
    });
    const seen = await powerCollector(hostView(root), async () => null).collect();
    expect(seen).toMatchObject({ state: 'ok', data: { needs_reboot: true, pending: [{ origin: 'web_ui' }, { origin: 'fleet' }] } });
  });
});

describe('journal', () => {
  const entry = (over: object) =>
    parseJournalLine(
      JSON.stringify({ __REALTIME_TIMESTAMP: '1796047053000000', MESSAGE: 'hello', PRIORITY: '6', _SYSTEMD_UNIT: 'k3s.service', ...over }),
    );
  it('keeps time, unit and severity, and takes control sequences out', () => {
    expect(entry({ MESSAGE: 'a\u001b[31mb\nsecond line' })).toEqual({
      at: '2026-11-30T13:57:33.000Z',
      src: 'journal',
      unit: 'k3s',
      sev: 'info',
      text: 'ab',
    });
    expect(entry({ _TRANSPORT: 'kernel', PRIORITY: '3' })).toMatchObject({ src: 'kernel', unit: 'kernel', sev: 'err' });
    expect(entry({ MESSAGE: [104, 105] })).toMatchObject({ text: 'hi' });
  });
  it('what is not an entry is skipped', () => {
    expect([parseJournalLine('-- cursor: x'), parseJournalLine('[]'), entry({ MESSAGE: null })]).toEqual([null, null, null]);
  });
  it.each([
    ['E0517 10:00:00.1 1 x.go:3] failed', 'err'],
    ['W0517 10:00:00.1 1 x.go:3] slow', 'warn'],
    ['{"level":"warn","msg":"lost leader"}', 'warn'],
    ['panic: runtime error', 'err'],
    ["k3s.service: Failed with result 'exit-code'.", 'err'],
    ['errors=remount-ro', 'info'],
  ])('T83: %s is %s', (text, want) => expect(severityOf('6', text)).toBe(want));
});

describe('on this very machine', () => {
  const host = hostView();
  const own: AnyCollector[] = [
    ...localCollectors(host, clock),
    metaCollector(host, clock, { instance: 'i', startedAt: clock.now() }, async () => null),
    slotsCollector(host),
    powerCollector(host, async () => null),
    supervisorCollector(host, clock, { version: 'v', pid: 1, late: () => ({}) }),
    timeCollector(host, run),
  ];
  it.each(own.map((c) => [c.name, c] as const))('%s gives what its shape says', async (name, collector) => {
    const seen = await collector.collect();
    if (seen.state !== 'ok') expect(seen.state).toBe('not_applicable');
    else expect(readShape(SECTION_SHAPES[name as SectionName], seen.data)).toMatchObject({ ok: true });
  });
});

describe('on an empty tree', () => {
  const host = hostView(fileTree({ 'etc/hostname': 'box\n' }), () => ({}));
  it('nothing is invented: every collector says so or fails with a reason', async () => {
    for (const c of localCollectors(host, clock)) {
      const seen = await c.collect().catch((e: unknown) => ({ state: 'thrown', why: String(e) }));
      if (c.name === 'vitals' || c.name === 'disks') expect([c.name, seen.state]).toEqual([c.name, 'thrown']);
      if (c.name === 'psi' || c.name === 'storage' || c.name === 'firewall')
        expect([c.name, seen.state]).toEqual([c.name, 'not_applicable']);
    }
  });
});

const hangFor = (onStart: () => void): Promise<never> => {
  onStart();
  return new Promise(() => undefined);
};

describe('schedule', () => {
  const real: Clock = { now: () => new Date().toISOString(), monoMs: () => performance.now() };
  const collector = (over: Partial<AnyCollector>): AnyCollector =>
    ({
      name: 'power',
      periodMs: 20,
      timeLimitMs: 40,
      ttlMs: 1000,
      source: 't',
      collect: async () => ({ state: 'ok', data: { pending: [], last_reboot_reason: null, needs_reboot: null, reasons: [] } }),
      ...over,
    }) as AnyCollector;
  const info = { power: { ttlMs: 1000, source: 't' }, time: { ttlMs: 1000, source: 't' } };
  it('a collector that hangs is reported late, is not started twice, and holds up no other', async () => {
    let started = 0;
    const hang = collector({
      name: 'time',
      collect: () =>
        hangFor(() => {
          started += 1;
        }),
    } as Partial<AnyCollector>);
    const store = new StatusStore(real, info);
    let others = 0;
    const other = collector({});
    const counting = collector({
      collect: () => {
        others += 1;
        return other.collect();
      },
    } as Partial<AnyCollector>);
    const schedule = startSchedule([hang, counting], store, real);
    await waitFor(() => schedule.late.get('time') === 1, 'it is late');
    const before = others;
    await waitFor(() => others > before + 4, 'four more periods');
    schedule.stop();
    expect(started).toBe(1);
    expect(schedule.late.get('time')).toBe(1);
    expect(store.sections(['time', 'power'])).toMatchObject({
      time: { state: 'unavailable', error: { code: 'timeout' } },
      power: { state: 'ok' },
    });
  });
  it('a collector that fails keeps its last reading, with its age', async () => {
    let n = 0;
    const flaky = collector({
      collect: async () => {
        n += 1;
        if (n > 1) throw new Error('disk fell out');
        return { state: 'ok', data: { pending: [], last_reboot_reason: null, needs_reboot: null, reasons: [] } };
      },
    } as Partial<AnyCollector>);
    const store = new StatusStore(real, info);
    const schedule = startSchedule([flaky], store, real);
    await waitFor(() => n > 5, 'four periods after the first failure');
    schedule.stop();
    const power = store.sections(['power']).power;
    expect(power).toMatchObject({ state: 'unavailable', error: { msg: 'disk fell out' }, data: { pending: [] } });
    expect(power?.age_ms).toBeGreaterThan(50);
  });
});
