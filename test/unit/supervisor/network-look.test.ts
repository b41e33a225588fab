/** Gateway, name servers and an edit that waits: what the supervisor adds to the network. */
import dgram from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf } from '#console/style.ts';
import { adoptionOf, connectivityOf, dnsAnswers, gatewayAnswers } from '#supervisor/collectors/network-look.ts';
import { hostView } from '#system/observe.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { fileTree } from '../../support/temp.ts';

const ARP = `IP address       HW type     Flags       HW address            Mask     Device
192.0.2.1        0x1         0x2         02:fc:00:00:00:05     *        eth0
192.0.2.9        0x1         0x0         00:00:00:00:00:00     *        eth0
`;

describe('the gateway', () => {
  it('answers, does not, or was not asked', () => {
    expect(['192.0.2.1', '192.0.2.9', '192.0.2.7'].map((g) => gatewayAnswers(ARP, g))).toEqual([true, false, null]);
  });
});

describe('name servers', () => {
  const clock = { atMs: 0, now: () => '2026-11-30T15:55:53Z', monoMs: () => clock.atMs };
  it('are asked once a minute, lost twice before they are down, and anew when they change', async () => {
    clock.atMs = 0;
    const asked: string[] = [];
    let isUp = true;
    const look = connectivityOf(hostView(fileTree({ 'proc/net/arp': ARP })), clock, async (s) => {
      asked.push(s);
      return isUp;
    });
    const at = async (s: number, servers = ['a', 'b']) => {
      clock.atMs = s * 1000;
      await look('192.0.2.1', servers);
      await sleep(1);
      return (await look('192.0.2.1', servers)).dns?.ok ?? null;
    };
    expect([await at(0), await at(5), asked.length]).toEqual([true, true, 2]);
    isUp = false;
    expect([await at(60), await at(120)]).toEqual([true, false]);
    isUp = true;
    expect([await at(121, ['c']), asked.at(-1)]).toEqual([true, 'c']);
    expect((await look(null, [])).gateway).toBeNull();
  });
  it('nobody is asked for a file tree', async () => {
    const look = connectivityOf(hostView(fileTree({ x: '' })), clock, null);
    expect(await look('192.0.2.1', ['192.0.2.1'])).toEqual({ gateway: null, dns: null });
  });
  it('an error is an answer, a closed port is none', async () => {
    const server = dgram.createSocket('udp4');
    // SERVFAIL with the question repeated.
    server.on('message', (m, from) => {
      const reply = Buffer.from(m);
      reply[2] = 0x80 | (m[2] ?? 0);
      reply[3] = 2;
      server.send(reply, from.port, from.address);
    });
    await new Promise<void>((r) => server.bind(0, '127.0.0.1', () => r()));
    const { port } = server.address() as AddressInfo;
    expect(await dnsAnswers(`127.0.0.1:${port}`)).toBe(true);
    await new Promise<void>((r) => server.close(() => r()));
    expect(await dnsAnswers(`127.0.0.1:${port}`)).toBe(false);
  });
});

describe('an edit of the managed profile', () => {
  const clock = { now: () => '', monoMs: () => 0 };
  it('is not known without a configuration on STATE', async () => {
    const root = fileTree({ x: '' });
    expect(await adoptionOf(hostView(root), root, clock)()).toBeNull();
  });
  it('is told on the first page, since the next boot undoes it', () => {
    const adopt = {
      managed: true,
      keyfile: 'x',
      drift: [{ key: 'network_dns', state: '', live: '9.9.9.9' }],
      unadoptable: [],
      extra_profiles: [],
    };
    const connectivity = { gateway: { ok: false, checked_at: '' }, dns: { ok: true, checked_at: '' } };
    const page = (over: Parameters<typeof stateOf>[2]) =>
      composeFrame(stateOf({ network: { adopt, connectivity } }, {}, over), { columns: 80, rows: 50 })
        .map(textOf)
        .join('\n');
    expect(page({})).toMatch(/gateway 192\.168\.10\.1 NO ANSWER {2}DNS 1\.1\.1\.1 1\.0\.0\.1\n/);
    expect(page({})).toContain('1 network edit lost at the next boot');
    expect(page({ page: 'health' })).toContain('network_dns: (not set) -> 9.9.9.9');
  });
});
