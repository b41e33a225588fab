import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hostsWith } from '../../../src/boot/identity.ts';
import { renderEtc } from '../../../src/boot/render.ts';
import { isBuildKey, renderSshKeys } from '../../../src/boot/ssh-keys.ts';
import type { Target } from '../../../src/boot/target.ts';
import { run } from '../../../src/system/run.ts';
import { putFile } from '../../support/temp.ts';

let root: string;
let notes: string[];
let target: Target;

const put = (file: string, text: string): void => putFile(path.join(root, file), text);
const get = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const has = (file: string): boolean => fs.existsSync(path.join(root, file));
const mode = (file: string): string => (fs.statSync(path.join(root, file)).mode & 0o777).toString(8);

const CONFIG = '/var/lib/spatium-state/spatium-config.yaml';
const STATIC = '/etc/NetworkManager/system-connections/10-spatium-static.nmconnection';
const DHCP = '/etc/NetworkManager/system-connections/10-spatium-dhcp.nmconnection';
const BASE = `hostname: "ddi-01"\nrole: "appliance"\ncontrol_plane_url: "https://cp.example"\nnetwork_mode: "static"
network_interface: "ens3"\nnetwork_ip: "192.0.2.10"\nnetwork_prefix: "24"\nnetwork_gateway: "192.0.2.1"\nnetwork_dns: "1.1.1.1"\n`;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-render-'));
  notes = [];
  target = { root, run, note: (text) => notes.push(text) };
  put('/etc/hosts', '127.0.0.1\tlocalhost\n127.0.1.1\tspatium-medium\n');
  put('/etc/NetworkManager/system-connections/mine.nmconnection', 'by hand\n');
  put('/etc/ssh/sshd_config', '');
  put('/proc/sys/kernel/random/boot_id', '1b4e28ba-2fa1-11d2-883f-0016d3cca427\n');
  put('/sys/class/net/ens3/mtu', '1500\n');
  put(CONFIG, BASE);
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

describe('spatium render', () => {
  test('writes host name, network, role and status, each with its mode', async () => {
    expect(await renderEtc(target)).toEqual([]);
    expect(get('/etc/hostname')).toBe('ddi-01\n');
    expect(get('/etc/hosts')).toBe('127.0.0.1\tlocalhost\n127.0.1.1\tddi-01\n');
    expect(get(STATIC)).toContain('address1=192.0.2.10/24,192.0.2.1');
    expect(mode(STATIC)).toBe('600');
    expect(get('/etc/spatiumddi/role-config')).toBe('ROLE=appliance\nCONTROL_PLANE_URL=https://cp.example\n');
    expect(mode('/etc/spatiumddi/role-config')).toBe('644');
    expect(get('/etc/spatiumddi/network-status')).toBe(
      'INTERFACE=ens3\nMODE=static\nMTU=1500\nMTU_REQUESTED=\nMTU_APPLIED=default\nBOOT_ID=1b4e28ba-2fa1-11d2-883f-0016d3cca427\n',
    );
    expect(fs.readlinkSync(path.join(root, '/var/persist/spatium-supervisor'))).toBe('/var/lib/spatium-state/supervisor');
    expect(mode('/var/lib/spatium-state/supervisor')).toBe('700');
  });

  test('a second run writes nothing', async () => {
    await renderEtc(target);
    notes.length = 0;
    await renderEtc(target);
    expect(notes).toEqual([]);
  });

  test('a pairing code makes the role file private', async () => {
    put(CONFIG, `${BASE}bootstrap_pairing_code: "12345678"\n`);
    await renderEtc(target);
    expect(get('/etc/spatiumddi/role-config')).toContain('BOOTSTRAP_PAIRING_CODE=12345678\n');
    expect(mode('/etc/spatiumddi/role-config')).toBe('600');
    expect(notes.join('\n')).not.toContain('12345678');
  });

  test('from static to DHCP: the old profile goes, one made by hand stays, the uuid is kept', async () => {
    await renderEtc(target);
    const uuid = /uuid=(.*)/.exec(get(STATIC))?.[1];
    put(STATIC, get(STATIC).replace(/uuid=.*/, 'uuid=11111111-2222-4333-8444-555555555555'));
    await renderEtc(target);
    expect(get(STATIC)).toContain('uuid=11111111-2222-4333-8444-555555555555');
    fs.rmSync(path.join(root, STATIC));
    await renderEtc(target);
    expect(get(STATIC)).toContain(`uuid=${uuid}`);
    put(CONFIG, BASE.replace('"static"', '"dhcp"'));
    await renderEtc(target);
    expect([has(STATIC), has(DHCP)]).toEqual([false, true]);
    expect(get('/etc/NetworkManager/system-connections/mine.nmconnection')).toBe('by hand\n');
  });

  test('a bad host name does not cost the network', async () => {
    put('/etc/hostname', 'old\n');
    put(CONFIG, BASE.replace('ddi-01', 'two.parts'));
    const failures = await renderEtc(target);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain('hostname');
    expect(get('/etc/hostname')).toBe('old\n');
    expect(has(STATIC)).toBe(true);
  });

  test('without STATE nothing changes, and that is a failure', async () => {
    fs.rmSync(path.join(root, CONFIG));
    const failures = await renderEtc(target);
    expect(failures.join()).toContain(CONFIG);
    expect(get('/etc/hosts')).toContain('spatium-medium');
  });

  test('the id that the boot menu gives is kept; later STATE counts, and a difference is said', async () => {
    put('/proc/cmdline', 'ro systemd.machine_id=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa quiet\n');
    put('/run/machine-id', '0123456789abcdef0123456789abcdef\n');
    await renderEtc(target);
    expect(get('/var/lib/spatium-state/machine-id')).toBe(`${'a'.repeat(32)}\n`);
    put('/proc/cmdline', `ro systemd.machine_id=${'b'.repeat(32)}\n`);
    await renderEtc(target);
    expect(get('/etc/machine-id')).toBe(`${'a'.repeat(32)}\n`);
    expect(notes.join()).toContain('boot menu');
  });

  test('the machine id comes from STATE, or the running one is kept there', async () => {
    put('/run/machine-id', '0123456789abcdef0123456789abcdef\n');
    put('/etc/machine-id', '');
    await renderEtc(target);
    expect(get('/var/lib/spatium-state/machine-id')).toBe('0123456789abcdef0123456789abcdef\n');
    put('/run/machine-id', 'ffffffffffffffffffffffffffffffff\n');
    await renderEtc(target);
    expect(get('/etc/machine-id')).toBe('0123456789abcdef0123456789abcdef\n');
  });
});

describe('hosts', () => {
  test('a line that names the host is left alone; a missing one is put after localhost', () => {
    const own = '127.0.0.1 localhost\n127.0.1.1 ddi-01.example ddi-01\n';
    expect(hostsWith(own, 'ddi-01')).toBe(own);
    expect(hostsWith('# top\n127.0.0.1 localhost\n::1 localhost\n', 'a')).toBe('# top\n127.0.0.1 localhost\n127.0.1.1\ta\n::1 localhost\n');
  });
});

// ssh-keygen looks for primes: a second when idle, many on a busy machine.
describe('SSH host keys', { timeout: 60_000 }, () => {
  const KEYS = '/var/lib/spatium-state/ssh';

  test('are made once, kept on STATE, copied to /etc/ssh with their modes', async () => {
    put('/etc/hostname', 'ddi-01\n');
    await renderSshKeys(target, false);
    expect(has('/etc/ssh/ssh_host_ed25519_key')).toBe(false);
    await renderSshKeys(target, true);
    const key = get(`${KEYS}/ssh_host_ed25519_key`);
    expect(get('/etc/ssh/ssh_host_ed25519_key')).toBe(key);
    expect(mode('/etc/ssh/ssh_host_ed25519_key')).toBe('600');
    expect(mode('/etc/ssh/ssh_host_rsa_key.pub')).toBe('644');
    expect(get('/etc/ssh/ssh_host_ed25519_key.pub')).toMatch(/ root@ddi-01\n$/);
    fs.rmSync(path.join(root, '/etc/ssh/ssh_host_ed25519_key'));
    await renderSshKeys(target, true);
    expect(get('/etc/ssh/ssh_host_ed25519_key')).toBe(key);
  });

  test('that came with an image are replaced once', async () => {
    put('/etc/hostname', 'ddi-01\n');
    put(`${KEYS}/ssh_host_ed25519_key`, 'private');
    put(`${KEYS}/ssh_host_ed25519_key.pub`, 'ssh-ed25519 AAAA root@0123456789ab\n');
    await renderSshKeys(target, true);
    expect(get(`${KEYS}/ssh_host_ed25519_key`)).not.toBe('private');
    expect(has(`${KEYS}/.build-keys-checked`)).toBe(true);
  });

  test('of /etc/ssh are adopted when they are this machine’s own', async () => {
    put('/etc/hostname', 'ddi-01\n');
    put('/etc/ssh/ssh_host_ed25519_key', 'private');
    put('/etc/ssh/ssh_host_ed25519_key.pub', 'ssh-ed25519 AAAA root@ddi-01\n');
    await renderSshKeys(target, true);
    expect(get(`${KEYS}/ssh_host_ed25519_key`)).toBe('private');
  });

  test('a name that looks like a build machine’s is no fault on that machine', () => {
    expect(isBuildKey('ssh-rsa AAAA root@0123456789ab', 'ddi-01')).toBe(true);
    expect(isBuildKey('ssh-rsa AAAA root@0123456789ab', '0123456789ab')).toBe(false);
    expect(isBuildKey('ssh-rsa AAAA root@ddi-01', 'other')).toBe(false);
  });
});
