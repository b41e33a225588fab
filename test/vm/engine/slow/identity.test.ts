/** What STATE makes of a machine at boot: its network, and after /var was emptied its name, its keys and its account. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Settings } from '#model/answers.ts';
import { type Bench, installInVm, makeBench } from '../bench-vm.ts';
import { makeDiskFile, type VmDisk, WWN_PATHS } from '../disks.ts';
import { Installed } from '../installed.ts';

/** An IPv6 address without a gateway: the router of QEMU's network announces itself. */
const NETWORK: Settings['network'] = {
  mode: 'static',
  interface: 'enp0s2',
  ipv4: { address: '10.0.2.77', prefix: 24, gateway: '10.0.2.2' },
  dns: [],
  ipv6: { address: 'fec0::77', prefix: 64, gateway: null },
  mtu: null,
};
const HOST_KEYS = 'cat /etc/ssh/ssh_host_*_key.pub | sort | sha256sum; ls /etc/ssh/ssh_host_*_key.pub | wc -l';

let bench: Bench;
let disk: VmDisk;
let machine: Installed | null = null;
let hostKeys = '';

beforeAll(async () => {
  bench = makeBench();
  disk = { file: makeDiskFile(bench.dir, 'one'), serial: 'ONE-DISK' };
  const outcome = await installInVm(bench, [disk], { disks: [WWN_PATHS[0]], settings: { network: NETWORK } });
  expect([outcome.failure, outcome.checks.filter((c) => !c.ok)]).toEqual([null, []]);
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

it('has its IPv6 address and the gateway that is announced, and then loses all of /var', async () => {
  machine = await Installed.start([disk], 'uefi');
  expect(await machine.failedUnits()).toBe('');
  expect(await machine.run('ip -color=never -6 addr show dev enp0s2')).toContain('fec0::77/64');
  expect(await machine.run('ip -color=never -6 route show default')).toContain('via fe80::2');
  hostKeys = await machine.run(HOST_KEYS);
  expect(hostKeys).toMatch(/\n3$/);
  expect(await machine.run('stat -c %a /var/lib/spatium-state/account.json')).toBe('600');
  // A program that runs may put something back; what counts is that /etc and the homes are gone.
  await machine.run(
    'find /var -xdev -mindepth 1 -delete 2>/dev/null; rm -rf /var/persist /var/home; sync; test ! -e /var/persist',
    600_000,
  );
});

it('comes back with its name, its keys and its account', async () => {
  machine = await Installed.start([disk], 'uefi', 'admin');
  expect(await machine.run('hostname; findmnt -no FSTYPE /etc; findmnt -no TARGET /home')).toBe('ddi-1\noverlay\n/home');
  expect(await machine.run('id -nG')).toMatch(/\bsudo\b/);
  expect(await machine.run(HOST_KEYS)).toBe(hostKeys);
  expect(await machine.run("printf 'bench-Passw0rd\\n' | sudo -S -p '' id -u")).toBe('0');
});
