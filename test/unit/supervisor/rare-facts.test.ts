/** Facts that only now and then are there to be read: a first boot, an import of images, a crash, who announces an address. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { topCpu } from '#status/local/top-cpu.ts';
import { nodeInEvents, nodeInStates } from '#supervisor/collectors/announcer.ts';
import { parseAlarms } from '#supervisor/collectors/etcd-alarms.ts';
import { firstBoot } from '#supervisor/collectors/first-boot.ts';
import { imageImport } from '#supervisor/collectors/image-import.ts';
import { endOfBoot, lastReboot } from '#supervisor/collectors/last-reboot.ts';
import { hostView } from '#system/observe.ts';
import type { Runner } from '#system/run.ts';
import { fileTree } from '../../support/temp.ts';

const saying =
  (stdout: string, code = 0, calls: string[] = []): Runner =>
  async (argv) => {
    calls.push(argv.join(' '));
    return { kind: 'exited', code, argv, stdout, stderr: '', tail: [], durationMs: 1 };
  };
const BOOT_MS = Date.parse('2026-11-30T10:00:00Z');
const reasonIn = (files: Record<string, string>, journal: string, exitCode = 0, bootMs: number | null = BOOT_MS) =>
  lastReboot(hostView(fileTree({ 'etc/x': '', ...files })), saying(journal, exitCode), async () => bootMs)();

describe('last reboot', () => {
  it('the journal tells an ordered end from a sudden one', async () => {
    expect(endOfBoot('Stopped x.\nReached target reboot.target - System Reboot.\nShutting down.\n')).toBe('reboot');
    expect(endOfBoot('Reached target poweroff.target - System Power Off.\n')).toBe('power off');
    expect(endOfBoot('Started session 4.\n')).toMatch(/^unexpected/);
    expect(endOfBoot('\n')).toBeNull();
    expect(await reasonIn({}, 'Reached target reboot.target\n')).toBe('reboot');
  });
  it('no boot before this one, or no journal, is not known', async () => {
    expect(await reasonIn({}, '', 1)).toBeNull();
  });
  it('a record of a panic counts when this boot has put it there, whatever the journal says', async () => {
    expect(await reasonIn({ 'sys/fs/pstore/dmesg-efi-1': 'Oops' }, 'Started session 4.')).toBe('kernel panic');
    const old = { 'var/lib/systemd/pstore/123/dmesg.txt': 'Oops' };
    expect(await reasonIn(old, 'Reached target reboot.target', 0, Date.now() + 60_000)).toBe('reboot');
    expect(await reasonIn(old, '', 1, Date.now() - 60_000)).toBe('kernel panic');
  });
  it('the watchdog that reset the box says so', async () => {
    expect(await reasonIn({ 'sys/class/watchdog/watchdog0/bootstatus': '32\n' }, '')).toBe('hardware watchdog');
    expect(await reasonIn({ 'sys/class/watchdog/watchdog0/bootstatus': '0\n' }, 'Reached target reboot.target')).toBe('reboot');
  });
  it('is asked once', async () => {
    const calls: string[] = [];
    const ask = lastReboot(hostView(fileTree({ 'etc/x': '' })), saying('x', 0, calls), async () => BOOT_MS);
    await Promise.all([ask(), ask()]);
    expect(calls).toHaveLength(1);
  });
});

describe('first boot', () => {
  const RUNS = { 'sys/fs/cgroup/system.slice/spatiumddi-firstboot.service/cgroup.events': 'populated 1\nfrozen 0\n' };
  const seen = (files: Record<string, string>, run = saying('')) => firstBoot(hostView(fileTree({ 'etc/x': '', ...files })), run)();
  const withInvocation = (): string => {
    const root = fileTree({ 'run/systemd/units/x': '' });
    fs.symlinkSync('abc', path.join(root, 'run/systemd/units/invocation:spatiumddi-firstboot.service'));
    return root;
  };
  it('names what is made next while its unit runs', async () => {
    expect(await seen({})).toBeNull();
    expect(await seen(RUNS)).toMatchObject({ step: 'making secrets and the certificate', failed: false, pct: null });
    expect(await seen({ ...RUNS, 'etc/spatiumddi/.env': 'A=b' })).toMatchObject({ step: 'starting k3s' });
    expect(await seen({ ...RUNS, 'etc/spatiumddi/.env': 'A=b', 'etc/rancher/k3s/k3s.yaml': 'x' })).toMatchObject({
      step: 'starting the services',
    });
  });
  it('a unit that failed stays on the screen, one that is done does not', async () => {
    const root = withInvocation();
    expect(await firstBoot(hostView(root), saying('ActiveState=failed\nResult=timeout\n'))()).toMatchObject({ failed: true });
    expect(await firstBoot(hostView(root), saying('ActiveState=active\nResult=success\n'))()).toBeNull();
    expect(await firstBoot(hostView(root), saying('', 1))()).toBeNull();
  });
});

describe('import of images', () => {
  const world = (open: string | null): string => {
    const dir = 'var/lib/rancher/k3s/agent/images';
    const root = fileTree({
      [`${dir}/a.tar.zst`]: '',
      [`${dir}/b.tar`]: '',
      [`${dir}/c.tar.gz`]: '',
      [`${dir}/.c.tar.part`]: '',
      [`${dir}/list.txt`]: '',
      'sys/fs/cgroup/system.slice/k3s.service/cgroup.procs': '41\n42\n',
      'proc/41/comm': 'containerd-shim\n',
      'proc/42/comm': 'k3s-server\n',
      'proc/42/fd/0': '',
    });
    if (open !== null) fs.symlinkSync(open, path.join(root, 'proc/42/fd/7'));
    return root;
  };
  const seen = (open: string | null) => imageImport(hostView(world(open)), { now: () => '', monoMs: () => 0 })('k3s.service');
  it('the archive that k3s has open tells how many are done', async () => {
    expect(await seen('/var/lib/rancher/k3s/agent/images/b.tar')).toEqual({ done: 1, total: 3 });
    expect(await seen('/var/lib/rancher/k3s/agent/images/a.tar.zst')).toEqual({ done: 0, total: 3 });
  });
  it('none open: not known, and not none done', async () => {
    expect(await seen(null)).toBeNull();
    expect(await seen('/var/lib/rancher/k3s/agent/images/list.txt')).toBeNull();
  });
});

describe('who announces the virtual address', () => {
  const state = (node: string, serviceName = 'ui') => ({ status: { node, serviceName, serviceNamespace: 'spatium' } });
  const list = (...items: object[]): string => JSON.stringify({ items });
  it('in the records of MetalLB', () => {
    expect(nodeInStates(list(state('n2'), state('n3', 'other')), 'spatium', 'ui')).toBe('n2');
    expect(nodeInStates(list(state('n2'), state('n3')), 'spatium', 'ui')).toBeNull();
    expect(nodeInStates('not json', 'spatium', 'ui')).toBeNull();
  });
  it('in its events, the newest', () => {
    const event = (node: string, at: string, name = 'ui') => ({
      reason: 'nodeAssigned',
      message: `announcing from node "${node}" with protocol "layer2"`,
      lastTimestamp: at,
      involvedObject: { kind: 'Service', name, namespace: 'spatium' },
    });
    const events = [event('n1', '2026-11-30T10:00:00Z'), event('n2', '2026-11-30T11:00:00Z'), event('n3', '2026-11-30T12:00:00Z', 'x')];
    expect(nodeInEvents(events, 'spatium', 'ui')).toBe('n2');
    expect(nodeInEvents([], 'spatium', 'ui')).toBeNull();
  });
});

describe('alarms of etcd', () => {
  it('no list is no alarm; another answer is not known', () => {
    expect([parseAlarms('{"header":{"member_id":"1"}}'), parseAlarms('{}')]).toEqual([[], []]);
    const two = '{"header":{},"alarms":[{"memberID":"1","alarm":"NOSPACE"},{"memberID":"2","alarm":"NOSPACE"},{"alarm":"CORRUPT"}]}';
    expect(parseAlarms(two)).toEqual(['CORRUPT', 'NOSPACE']);
    expect(parseAlarms('{"error":"x"}')).toBeNull();
    expect(parseAlarms('<html>')).toBeNull();
  });
});

describe('busiest processes', () => {
  const stat = (pid: number, name: string, ticks: number, start = 5): string =>
    `${pid} (${name}) S 1 1 1 0 -1 0 0 0 0 0 ${ticks} 0 0 0 20 0 3 0 ${start} 1000 10 ${'0 '.repeat(30)}`;
  it('are known from the second look on; a number given out again counts from nothing', async () => {
    const root = fileTree({ 'proc/7/stat': stat(7, 'k3s (x)', 100), 'proc/8/stat': stat(8, 'idle', 50), 'proc/9/stat': stat(9, 'old', 1) });
    let nowMs = 0;
    const ask = topCpu(hostView(root), () => nowMs);
    expect(await ask()).toBeNull();
    fs.writeFileSync(path.join(root, 'proc/7/stat'), stat(7, 'k3s (x)', 600));
    fs.writeFileSync(path.join(root, 'proc/9/stat'), stat(9, 'new', 9000, 77));
    nowMs = 5_000;
    expect(await ask()).toBeNull();
    nowMs = 10_000;
    expect(await ask()).toEqual([{ comm: 'k3s (x)', pct: 50 }]);
  });
});
