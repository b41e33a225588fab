import { describe, expect, test } from 'vitest';
import { renderNetwork } from '../../../src/boot/network-profile.ts';

const UUID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const STATIC = {
  network_mode: 'static',
  network_interface: 'ens3',
  network_ip: '192.0.2.10',
  network_prefix: '24',
  network_gateway: '192.0.2.1',
  network_dns: '1.1.1.1 2606:4700:4700::1111,9.9.9.9',
};
const render = (values: Record<string, string>) => renderNetwork(new Map(Object.entries(values)), () => UUID);
/** Lines of one section, without the blank ones. */
const section = (text: string | undefined, name: string): string[] => {
  const lines = text?.split('\n') ?? [];
  const from = lines.indexOf(`[${name}]`) + 1;
  const to = lines.findIndex((line, i) => i >= from && line.startsWith('['));
  return lines.slice(from, to < 0 ? undefined : to).filter((line) => line !== '');
};

describe('static', () => {
  test('the whole file, v4 servers in ipv4 and v6 servers in ipv6', () => {
    const r = render(STATIC);
    expect(r.profile?.fileName).toBe('10-spatium-static.nmconnection');
    expect(r.profile?.text.split('\n').slice(1).join('\n')).toBe(
      `[connection]\nid=spatium-static\nuuid=${UUID}\ntype=ethernet\ninterface-name=ens3\nautoconnect=true\nautoconnect-priority=100\n\n[ethernet]\n\n[ipv4]\nmethod=manual\naddress1=192.0.2.10/24,192.0.2.1\ndns=1.1.1.1;9.9.9.9;\n\n[ipv6]\nmethod=auto\ndns=2606:4700:4700::1111;\n`,
    );
    expect(r).toMatchObject({ mode: 'static', interface: 'ens3', mtuOutcome: 'default', warnings: [] });
  });

  test('without servers there is no dns line', () => {
    expect(render({ ...STATIC, network_dns: '' }).profile?.text).not.toContain('dns=');
  });

  test('a /32 reaches its gateway over the link', () => {
    const text = render({ ...STATIC, network_prefix: '32', network_gateway: '198.51.100.1' }).profile?.text;
    expect(section(text, 'ipv4')).toContain('route1=198.51.100.1/32');
    expect(section(render(STATIC).profile?.text, 'ipv4').join()).not.toContain('route1');
  });

  test('static IPv6 with and without a gateway', () => {
    const v6 = { ...STATIC, network6_mode: 'static', network6_ip: '2001:db8::10', network6_prefix: '64' };
    expect(section(render({ ...v6, network6_gateway: 'fe80::1' }).profile?.text, 'ipv6')).toEqual([
      'method=manual',
      'address1=2001:db8::10/64,fe80::1',
      'dns=2606:4700:4700::1111;',
    ]);
    // The gateway is then the one that routers announce.
    expect(section(render(v6).profile?.text, 'ipv6').slice(0, 2)).toEqual(['method=auto', 'address1=2001:db8::10/64']);
    const host = render({ ...v6, network6_prefix: '128', network6_gateway: '2001:db8:1::1' });
    expect(section(host.profile?.text, 'ipv6')).toContain('route1=2001:db8:1::1/128');
  });

  test.each([
    ['network_ip', ''],
    ['network_ip', '192.0.2.300'],
    ['network_prefix', '+24'],
    ['network_prefix', '0'],
    ['network_gateway', ''],
    ['network_interface', ''],
    ['network_interface', 'en\ns3'],
  ])('%s %j leaves no profile, and says so', (key, value) => {
    const r = render({ ...STATIC, [key]: value });
    expect(r.profile).toBeNull();
    expect(r.warnings.join()).toContain(key);
  });

  test('a server that is no address is left out, not written through', () => {
    const r = render({ ...STATIC, network_dns: '1.1.1.1 dns.example' });
    expect(section(r.profile?.text, 'ipv4')).toContain('dns=1.1.1.1;');
    expect(r.warnings).toHaveLength(1);
  });
});

describe('MTU', () => {
  const v6 = { network6_mode: 'static', network6_ip: '2001:db8::10', network6_prefix: '64' };
  test.each([
    ['1400', {}, 'applied'],
    ['9000', {}, 'applied'],
    ['9001', {}, 'dropped'],
    ['575', {}, 'dropped'],
    ['01400', {}, 'dropped'],
    ['١٤٠٠', {}, 'dropped'],
    ['1400x', {}, 'dropped'],
    ['1279', v6, 'dropped'],
    ['1280', v6, 'applied'],
    ['1200', {}, 'applied'],
  ])('%s with %j is %s', (mtu, more, outcome) => {
    const r = render({ ...STATIC, ...more, network_mtu: mtu });
    expect(r.mtuOutcome).toBe(outcome);
    expect(section(r.profile?.text, 'ethernet')).toEqual(outcome === 'applied' ? [`mtu=${mtu}`] : []);
    expect(r.profile?.text).toContain('address1=');
  });

  test('DHCP on any port has nowhere to put it', () => {
    const r = render({ network_mode: 'dhcp', network_mtu: '1400' });
    expect(r).toMatchObject({ profile: null, mtuOutcome: 'n/a' });
    expect(r.warnings).toHaveLength(1);
  });
});

describe('DHCP', () => {
  test('a pinned port has its profile', () => {
    const r = render({ network_mode: 'dhcp', network_interface: 'eno1', network_mtu: '1400' });
    expect(r.profile?.fileName).toBe('10-spatium-dhcp.nmconnection');
    expect(section(r.profile?.text, 'connection')).toContain('interface-name=eno1');
    expect(section(r.profile?.text, 'ipv4')).toEqual(['method=auto']);
    expect(r.mtuOutcome).toBe('applied');
  });

  test('any port leaves it to NetworkManager', () => {
    expect(render({ network_mode: 'dhcp' })).toMatchObject({ profile: null, interface: null, warnings: [], mtuOutcome: 'n/a' });
  });
});
