import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { consoleMode } from '#status/local/identity.ts';
import { learnedAddresses, webUiUrls } from '#status/local/network.ts';
import { storageCollector } from '#status/local/storage.ts';
import { parseReady } from '#supervisor/collectors/application.ts';
import { membersOf, quorumOf } from '#supervisor/collectors/etcd.ts';
import { assignedRoles, roleServices, serviceOf } from '#supervisor/collectors/role-services.ts';
import { secondEsp } from '#supervisor/collectors/second-esp.ts';
import type { KubePod } from '#supervisor/kube/pod-facts.ts';
import { shared } from '#supervisor/shared.ts';
import { noteStart } from '#supervisor/starts.ts';
import { hostView } from '#system/observe.ts';
import type { Runner } from '#system/run.ts';
import { fileTree, tempDir } from '../../support/temp.ts';

describe('console mode', () => {
  it.each([
    ['quiet loglevel=3', '0', 'dashboard', null],
    ['quiet loglevel=3', '2', 'dashboard', 'verbose_dashboard'],
    ['spatium-console=off', '1', 'text_console', null],
    ['root=UUID=1', '0', 'verbose_dashboard', 'dashboard'],
    ['quiet', '7', null, null],
  ])('%s, boot environment says %s: %s, then %s', (cmdline, verbose, now, next) => {
    const grubenv = `# GRUB Environment Block\nsaved_entry=slot_a\nspatium_verbose=${verbose}\n####`;
    expect(consoleMode(cmdline, grubenv)).toEqual({ console_mode: now, console_mode_pending: next });
  });
  it('is not known without our boot menu', () => expect(consoleMode('quiet', null).console_mode).toBeNull());
});

describe('addresses', () => {
  it('one with a lifetime was learned', () => {
    const table = [
      'fe800000000000005054 00', // cut short
      '20010db8000000000000000000000005 02 40 00 00     eth0',
      '20010db8000000000000000000000006 02 40 00 80     eth0',
    ].join('\n');
    expect([...learnedAddresses(table)]).toEqual(['eth0 2001:db8::5']);
  });
  it('the virtual address comes first and is not listed twice', () => {
    const v4 = { addr: '192.0.2.50', prefix: 24, family: 'v4', scope: 'global', dynamic: null };
    const urls = webUiUrls([{ addrs: [v4, { ...v4, addr: '192.0.2.11' }] } as never], {
      v4: '192.0.2.50',
      v6: null,
      announcing_node: null,
    });
    expect(urls.map((u) => `${u.kind} ${u.url}`)).toEqual(['vip https://192.0.2.50', 'node https://192.0.2.11']);
  });
});

describe('members of etcd', () => {
  it.each([
    [true, 1, 1, 'not_applicable'],
    [true, 3, 3, 'ok'],
    [true, 3, 2, 'at_risk'],
    [true, 5, 4, 'ok'],
    [true, 5, 3, 'at_risk'],
    [false, 3, 3, 'lost'],
    [null, 3, 3, 'unknown'],
    [true, null, null, 'ok'],
  ])('leader %s, %s members, %s healthy: %s', (leader, total, healthy, want) => expect(quorumOf(leader, total, healthy)).toBe(want));
  it('are the nodes with the label; without any nothing is known', () => expect(membersOf([{}])).toBeNull());
});

describe('services given by the fleet', () => {
  const NOW = Date.parse('2026-11-30T15:55:53Z');
  const pod = (component: string, ready: boolean, reason?: string): KubePod => ({
    metadata: { name: component, labels: { 'app.kubernetes.io/component': component }, creationTimestamp: '2026-11-30T15:55:00Z' },
    spec: { nodeName: 'n', containers: [{}] },
    status: { phase: 'Running', containerStatuses: [{ ready, state: reason ? { waiting: { reason } } : { running: {} } }] },
  });
  it.each([
    ['healthy', [pod('dns-bind9', true)]],
    ['starting', [pod('dns-bind9', false)]],
    ['unhealthy', [pod('dns-bind9', false, 'CrashLoopBackOff')]],
    ['missing', [pod('other', true)]],
  ])('%s', (state, pods) => expect(serviceOf('dns-bind9', pods, 'n', NOW).state).toBe(state));
  it('a pod on another node is not ours, and unknown pods are not missing services', () => {
    expect(serviceOf('dns-bind9', [pod('dns-bind9', true)], 'm', NOW).state).toBe('missing');
    expect(roleServices(['dns-bind9'], { state: 'failed', why: 'x' }, 'n', NOW)).toEqual([]);
    expect(roleServices(['dhcp'], { state: 'known', items: [pod('dhcp-kea', true)] }, 'n', NOW)).toMatchObject([
      { name: 'dhcp-kea', state: 'healthy' },
    ]);
  });
  it('are in the file of the agent', async () => {
    const root = fileTree({ '/var/persist/spatium-supervisor/role-compose.env': 'COMPOSE_PROFILES=dns-bind9, dhcp,\n' });
    expect([await assignedRoles(hostView(root)), await assignedRoles(hostView(fileTree({})))]).toEqual([['dns-bind9', 'dhcp'], null]);
  });
});

describe('readiness of the API', () => {
  it.each([
    ['{"status":"ok"}', true],
    ['{"status":"degraded","checks":{"database":"ok"}}', false],
    ['{"checks":{"database":"ok","x":5}}', true],
    ['{"checks":{"database":false}}', false],
  ])('%s', (body, isOk) => expect(parseReady(body)?.isOk).toBe(isOk));
  it.each(['', '<html>', '[]', '{}', 'null'])('%j says nothing', (body) => expect(parseReady(body)).toBeNull());
});

describe('starts of the supervisor', () => {
  it('are counted within a day and within a boot', async () => {
    const file = path.join(tempDir(), 'starts.json');
    const at = (now: string, boot = 'b') => noteStart(file, boot, now);
    expect(await at('2026-11-29T10:00:00.000Z')).toBe(0);
    expect(await at('2026-11-30T09:00:00.000Z')).toBe(1);
    expect(await at('2026-11-30T10:00:00.000Z')).toBe(1);
    expect(await at('2026-11-30T10:00:01.000Z', 'another boot')).toBe(0);
    fs.writeFileSync(file, '{"boot_id":');
    expect(await at('2026-11-30T10:00:02.000Z')).toBeNull();
    expect(await at('2026-11-30T10:00:03.000Z')).toBe(1);
  });
});

it('one question with several askers is one question, until it is old', async () => {
  let [asked, nowMs] = [0, 0];
  const ask = shared(
    100,
    () => nowMs,
    async () => (asked += 1),
  );
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  nowMs = 100;
  expect(await ask()).toBe(2);
});

describe('a second boot partition', () => {
  const clock = { now: () => '2026-11-30T15:55:53.000Z', monoMs: () => 0 };
  const noRun: Runner = async () => {
    throw new Error('nothing may be started');
  };
  const FSTAB = 'UUID=AAAA /boot/efi vfat x 0 0\nUUID=BBBB /boot/efi2 vfat noauto 0 0\n';
  it('that is not configured is not there to be judged, and one whose disk is gone is absent', async () => {
    expect(await secondEsp(hostView(fileTree({ '/etc/fstab': 'UUID=AAAA /boot/efi vfat x 0 0\n' })), clock, noRun)()).toBeNull();
    const gone = secondEsp(hostView(fileTree({ '/etc/fstab': FSTAB })), clock, noRun);
    expect(await gone()).toEqual({ present: false, in_sync: null, checked_at: null });
    const seen = await storageCollector(hostView(fileTree({ '/etc/fstab': FSTAB })), gone).collect();
    expect(seen).toMatchObject({ state: 'ok', data: { arrays: [], second_esp: { present: false } } });
  });
});
