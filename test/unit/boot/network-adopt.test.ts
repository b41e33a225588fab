import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { networkCommand, readNetworkCall } from '../../../src/boot/network-command.ts';
import { renderEtc } from '../../../src/boot/render.ts';
import type { Target } from '../../../src/boot/target.ts';
import { run } from '../../../src/system/run.ts';

const CONFIG = '/var/lib/spatium-state/spatium-config.yaml';
const STATIC = '/etc/NetworkManager/system-connections/10-spatium-static.nmconnection';
let root: string;
let target: Target;
const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const edit = (change: (text: string) => string): void => fs.writeFileSync(path.join(root, STATIC), change(read(STATIC)));
const check = () => networkCommand(target, { adopt: false, json: true });
const adopt = () => networkCommand(target, { adopt: true, json: true });

beforeEach(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-adopt-'));
  target = { root, run, note: () => {} };
  fs.mkdirSync(path.dirname(path.join(root, CONFIG)), { recursive: true });
  fs.writeFileSync(
    path.join(root, CONFIG),
    '# kept\nhostname: "ddi-01"\nnetwork_mode: "static"\nnetwork_interface: "ens3"\nnetwork_ip: "192.0.2.10"\nnetwork_prefix: "24"\nnetwork_gateway: "192.0.2.1"\nnetwork_dns: "1.1.1.1, 2001:db8::53"\nnetwork_mtu: "1400"\n',
  );
  await renderEtc(target);
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

describe('spatium network', () => {
  test('a profile as rendered has no drift, whatever the spelling in STATE', async () => {
    const { text, code } = await check();
    expect(JSON.parse(text)).toEqual({ profile: '10-spatium-static.nmconnection', drift: [], notAdoptable: [], adopted: false });
    expect(code).toBe(0);
  });

  test('an edit is drift; adopted, it is what the next boot renders', async () => {
    edit((t) =>
      t.replace('address1=192.0.2.10/24,192.0.2.1', 'address1=192.0.2.44/25\ngateway=192.0.2.2').replace('dns=1.1.1.1;', 'dns=9.9.9.9;'),
    );
    expect(await check()).toMatchObject({ code: 10 });
    const { text, code } = await adopt();
    expect(code).toBe(0);
    expect(JSON.parse(text).drift.map((d: { key: string }) => d.key)).toEqual([
      'network_ip',
      'network_prefix',
      'network_gateway',
      'network_dns',
    ]);
    expect(read(CONFIG)).toMatch(/^# kept\n/);
    await renderEtc(target);
    expect(read(STATIC)).toContain('address1=192.0.2.44/25,192.0.2.2');
    expect(await check()).toMatchObject({ code: 0 });
  });

  test('an IPv6 address whose gateway is announced is kept, and renders to the same profile', async () => {
    edit((t) => t.replace('[ipv6]\nmethod=auto', '[ipv6]\nmethod=auto\naddress1=2001:db8::9/64'));
    expect((await adopt()).code).toBe(0);
    expect(read(CONFIG)).toContain('network6_ip: "2001:db8::9"');
    await renderEtc(target);
    expect(read(STATIC)).toContain('method=auto\naddress1=2001:db8::9/64\n');
    expect(JSON.parse((await check()).text).drift).toEqual([]);
  });

  test('clearing the MTU is a change', async () => {
    edit((t) => t.replace('mtu=1400\n', ''));
    expect(JSON.parse((await check()).text).drift).toEqual([{ key: 'network_mtu', state: '1400', profile: '' }]);
  });

  test('static to DHCP in the editor becomes the pinned DHCP profile', async () => {
    edit((t) => t.replace('method=manual', 'method=auto').replace(/address1=.*\n/, ''));
    await adopt();
    await renderEtc(target);
    expect(fs.existsSync(path.join(root, STATIC))).toBe(false);
    expect(read('/etc/NetworkManager/system-connections/10-spatium-dhcp.nmconnection')).toContain('interface-name=ens3');
  });

  test('what STATE has no word for is named, not dropped in silence', async () => {
    edit((t) =>
      t.replace('[ipv4]\n', '[ipv4]\nroute1=198.51.100.0/24,192.0.2.9\n').replace('mtu=1400', 'mtu=1400\ncloned-mac-address=stable'),
    );
    expect(JSON.parse((await check()).text)).toMatchObject({ drift: [], notAdoptable: ['ethernet.cloned-mac-address', 'ipv4.route1'] });
  });

  test('words: the bare link reports nothing and writes nothing', () => {
    expect(readNetworkCall([], true)).toBeNull();
    expect(readNetworkCall(['--json'], true)).toEqual({ adopt: false, json: true });
    expect(readNetworkCall(['--check'], true)).toEqual({ adopt: false, json: false });
    expect(readNetworkCall(['--adopt'], true)).toEqual({ adopt: true, json: false });
    expect(readNetworkCall(['adopt'], false)).toEqual({ adopt: true, json: false });
    expect(readNetworkCall(['adopt', '--check', '--adopt'], false)).toBeNull();
    expect(readNetworkCall(['adopt', '--force'], false)).toBeNull();
    expect(readNetworkCall([], false)).toBeNull();
  });
});
