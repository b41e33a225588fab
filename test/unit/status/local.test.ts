import { describe, expect, it } from 'vitest';
import { parseUptime } from '#status/collector.ts';
import * as fmt from '#status/format.ts';
import { diskMounts, diskOf, severityOf } from '#status/local/disks.ts';
import { parseSelfCheck } from '#status/local/firewall.ts';
import { defaultGateway4, defaultGateway6, hexToIpv6, webUiUrls } from '#status/local/network.ts';
import { breaches, parsePressure } from '#status/local/psi.ts';
import { cpuPercent, parseCpuTimes, parseMeminfo } from '#status/local/vitals.ts';
import { parsePolicy } from '#status/policy.ts';
import { parseMountinfo } from '#system/mountinfo.ts';

const MOUNTS = `22 1 8:4 / / rw,relatime - ext4 /dev/sda4 rw
23 22 0:21 / /proc rw - proc proc rw
24 22 8:6 / /var rw,noatime shared:3 - ext4 /dev/sda6 rw
25 24 8:6 /home /home rw - ext4 /dev/sda6 rw
26 22 8:3 / /var/lib/spatium-state ro - ext4 /dev/sda3 ro,errors=remount-ro
27 22 7:0 / /snap ro - squashfs /dev/loop0 ro
28 22 8:17 / /mnt/a\\040b rw - vfat /dev/sdb1 rw
29 22 0:40 / /net rw - nfs4 server:/x rw
`;

describe('disks', () => {
  it('lists each disk file system once, and nothing that is not on a disk', () => {
    const found = diskMounts(parseMountinfo(MOUNTS)).map((m) => [m.target, m.isReadOnly]);
    expect(found).toEqual([
      ['/', false],
      ['/mnt/a b', false],
      ['/var', false],
      ['/var/lib/spatium-state', true],
    ]);
  });
  it('counts use as df does: reserved blocks belong to nobody', () => {
    const m = parseMountinfo(MOUNTS)[0];
    if (!m) throw new Error('no mount');
    const d = diskOf(m, { totalBytes: 1000, freeBytes: 150, availableBytes: 100, inodesTotal: 0, inodesFree: 0 }, false, null);
    expect([d.used_pct, d.severity, d.inodes_used_pct]).toEqual([89.5, 'warning', null]);
  });
  it('a disk that cannot be read is unknown, and a full backup disk is no disaster', () => {
    expect(severityOf(null, 'var')).toBe('unknown');
    expect(severityOf(99, 'removable')).toBe('warning');
  });
});

describe('vitals', () => {
  it('the first sample has no CPU share, and a counter that went back has none', () => {
    const a = parseCpuTimes('cpu  100 0 100 800 0 0 0 0 0 0\n');
    const b = parseCpuTimes('cpu  150 0 150 850 50 0 0 0 0 0\n');
    expect(cpuPercent(null, a)).toBeNull();
    expect(cpuPercent(a, b)).toBe(50);
    expect(cpuPercent(b, a)).toBeNull();
  });
  it('reads meminfo in bytes', () => expect(parseMeminfo('MemTotal:       1000 kB\n').get('MemTotal')).toBe(1_024_000));
});

describe('psi', () => {
  it.each([
    ['12.50 3.10\n', []],
    ['600.00 3.10\n', []],
    ['600.01 3.10\n', ['cpu_some']],
    [null, ['cpu_some']],
  ])('the load of booting itself is not judged: uptime %j gives %j', (uptime, wanted) => {
    const busy = { some: { avg10: 90, avg60: 90, avg300: 90 }, full: null };
    expect(breaches(busy, null, parseUptime(uptime))).toEqual(wanted);
  });
  const text = 'some avg10=1.00 avg60=2.00 avg300=50.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';
  it('tells not reported from zero', () => {
    expect(parsePressure(null)).toBeNull();
    expect(parsePressure('')).toBeNull();
    expect(parsePressure(text)?.full?.avg300).toBe(0);
  });
  it('judges the five-minute average, never CPU full', () => {
    const p = parsePressure(text);
    expect(breaches(p, null, null)).toEqual(['cpu_some']);
    expect(breaches({ some: null, full: { avg10: 99, avg60: 99, avg300: 99 } }, null, 3600)).toEqual([]);
  });
});

describe('network', () => {
  it('takes the default route with the lowest metric', () => {
    const table =
      'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\neth1\t00000000\t0100000A\t0003\t0\t0\t200\t00000000\neth0\t00000000\t010AA8C0\t0003\t0\t0\t100\t00000000\neth0\t000AA8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\n';
    expect(defaultGateway4(table)).toBe('192.168.10.1');
    expect(defaultGateway4('Iface\n')).toBeNull();
  });
  it('writes IPv6 short', () => {
    expect(hexToIpv6('fe800000000000000000000000000001')).toBe('fe80::1');
    expect(hexToIpv6('20010db8000000000000000000000000')).toBe('2001:db8::');
    expect(hexToIpv6('20010db8000100020003000400050006')).toBe('2001:db8:1:2:3:4:5:6');
    const zero = '0'.repeat(32);
    expect(defaultGateway6(`${zero} 00 ${zero} 00 fe800000000000000000000000000001 00000400 1 0 00000003 eth0\n`)).toBe('fe80::1');
  });
  it('an IPv6-only box has an address to type', () => {
    const i = {
      addrs: [
        { addr: 'fe80::1', prefix: 64, family: 'v6', scope: 'link', dynamic: null },
        { addr: '2001:db8::5', prefix: 64, family: 'v6', scope: 'global', dynamic: null },
      ],
    };
    expect(webUiUrls([i as never])).toEqual([{ url: 'https://[2001:db8::5]', kind: 'node', family: 'v6' }]);
  });
});

describe('firewall self-check', () => {
  it('malformed counts as never checked', () => {
    for (const text of [null, '', '[]', '{"status":"odd","checked_at":1}', '{"status":"open"}'])
      expect(parseSelfCheck(text, 0).status).toBe('never');
  });
  it('an invalid time to live is 900 s', () => {
    expect(parseSelfCheck('{"status":"blocked","checked_at":100,"ttl_s":-1}', 130_000)).toMatchObject({ ttl_s: 900, age_s: 30 });
  });
});

describe('policy', () => {
  it('a missing file allows, a broken one forbids, a list is a list', () => {
    expect(parsePolicy(null)).toMatchObject({ login: true, problem: null });
    expect(parsePolicy('{"login": fals}')).toMatchObject({ login: false, actions: [], problem: 'the policy file is not JSON' });
    expect(parsePolicy('{"logn": false}').login).toBe(false);
    expect(parsePolicy('{"login":false,"actions":["power.reboot"]}')).toEqual({
      login: false,
      actions: ['power.reboot'],
      password: true,
      problem: null,
    });
  });
});

describe('numbers for people', () => {
  it('cuts shares, so that 89.9 is not yet 90 and unknown is no number', () => {
    expect([fmt.percent(89.9), fmt.percent(0), fmt.percent(null)]).toEqual(['89%', '0%', '?']);
    expect([fmt.bytes(null), fmt.bytes(0), fmt.bytes(1536), fmt.bytes(252 * 1024 ** 3), fmt.bytes(1023)]).toEqual([
      '?',
      '0B',
      '1.5K',
      '252G',
      '1.0K',
    ]);
    expect([fmt.age(null), fmt.age(59_999), fmt.age(60_000), fmt.age(47 * 3_600_000), fmt.age(48 * 3_600_000)]).toEqual([
      '?',
      '59s',
      '1m',
      '47h',
      '2d',
    ]);
    expect([fmt.uptime(59_000), fmt.uptime(3_660_000), fmt.uptime(90_000_000)]).toEqual(['0m', '1h 01m', '1d 01h']);
  });
});
