import { expect, it } from 'vitest';
import { demoMachine } from '#machine/demo-machine.gen.ts';
import type { Sources } from '#machine/sources.ts';
import { probeSurroundings } from '#machine/surroundings.ts';
import type { RunResult } from '#system/run.ts';

interface World {
  readonly files?: Readonly<Record<string, string>>;
  readonly nmcli?: string;
  /** Exit status of ping; null: not installed. */
  readonly ping?: number | null;
}

function world({ files = {}, nmcli, ping = null }: World): Sources {
  const base = { argv: [], stdout: '', stderr: '', tail: [], durationMs: 1 };
  const pinged: RunResult = ping === null ? { ...base, kind: 'not_started', errno: 'ENOENT' } : { ...base, kind: 'exited', code: ping };
  return {
    text: async (file) => files[file] ?? null,
    names: async (dir) =>
      Object.keys(files)
        .filter((f) => f.startsWith(`${dir}/`))
        .map((f) => f.slice(dir.length + 1)),
    bytes: async () => null,
    claimed: async () => null,
    target: async () => null,
    result: async () => pinged,
    output: async () => nmcli ?? null,
  };
}

it('time servers of both kinds of lease, each once, and nothing that is no address or name', async () => {
  const nmcli = 'DHCP4.OPTION[1]:domain_name = x\nDHCP4.OPTION[7]:ntp_servers = 192.0.2.5 192.0.2.6\nDHCP4.OPTION[9]:routers = 192.0.2.1\n';
  const files = { '/run/systemd/netif/leases/2': 'ADDRESS=192.0.2.9\nNTP=192.0.2.6 time.example.test \u001b[2J\n' };
  expect((await probeSurroundings(demoMachine, world({ nmcli, files }))).offeredNtp).toEqual([
    '192.0.2.5',
    '192.0.2.6',
    'time.example.test',
  ]);
  expect((await probeSurroundings(demoMachine, world({}))).offeredNtp).toEqual([]);
});

it.each<[string, number | null, boolean | null]>([
  ['an answer', 0, true],
  ['silence', 1, false],
  ['an error of ping', 2, null],
  ['no ping', null, null],
])('gateway: %s', async (_, ping, expected) =>
  expect((await probeSurroundings(demoMachine, world({ ping }))).gatewayAnswers).toBe(expected),
);

it('without a gateway nobody is asked', async () =>
  expect((await probeSurroundings({ ...demoMachine, interfaces: [] }, world({ ping: 0 }))).gatewayAnswers).toBeNull());

it.each<[string, string | null, string | null]>([
  ['APPLIANCE_VERSION="2026.11.1"\nBUILD_TIME="2026-11-20T08:00:00Z"\n', '2026-11-20', '2026.11.1'],
  ['APPLIANCE_VERSION=dev\nBUILD_TIME="yesterday"\n', null, 'dev'],
  ['', null, null],
])('the image: %j', async (text, buildDate, imageVersion) => {
  const files = text === '' ? {} : { '/etc/spatiumddi/appliance-release': text };
  expect(await probeSurroundings(demoMachine, world({ files }))).toMatchObject({ buildDate, imageVersion });
});
