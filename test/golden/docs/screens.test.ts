/** The console's screens in the README, drawn anew from the state that each of them shows. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import type { ScreenState } from '#console/screen-state.ts';
import { textOf } from '#console/style.ts';
import { identityCollector } from '#status/local/identity.ts';
import { EMPTY_MEMORY, judgeStatus } from '#status/verdict.ts';
import { hostView } from '#system/observe.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { REPO } from '../../support/program.ts';
import { disk, HEALTHY_DATA, PULL_DATA, type Spoil } from '../../support/status-fixtures.ts';
import { fileTree } from '../../support/temp.ts';

const GIB = 1024 ** 3;
const NOT_HERE = { state: 'not_applicable', data: null } as const;
const ADDRESS = { scope: 'global', dynamic: null } as const;

/** What the product says of a machine that nobody has set up. */
async function errorsOfNoRole(): Promise<readonly string[]> {
  const seen = await identityCollector(hostView(fileTree({ '/etc/hostname': 'vm' }))).collect();
  if (seen.state !== 'ok') throw new Error(seen.state);
  return seen.data.config_errors;
}

const NO_ROLE = { hostname: 'vm', role: null, install_role: null, appliance_version: null, stack_version: null, k3s_version: null };

/** A machine without a role, k3s or slots, at a time of its own. */
function workstation(wallMs: number, spoil: Spoil, over: Partial<ScreenState> = {}): ScreenState {
  const state = stateOf(
    {
      identity: NO_ROLE,
      supervisor: { loop_last_at: new Date(wallMs).toISOString() },
      ...spoil,
    },
    Object.fromEntries(['slots', 'k3s', 'nodes', 'pods', 'etcd', 'time'].map((name) => [name, NOT_HERE])),
    { wallMs, log: { lines: [], scroll: 0, paused: false, filter: '', typing: false, note: '' }, ...over },
  );
  const now = new Date(wallMs - 30_000).toISOString();
  return { ...state, verdict: judgeStatus({ view: state.view, now, nowMs: 0, memory: EMPTY_MEMORY }).verdict };
}

const plain = workstation(Date.parse('2026-11-30T20:32:04Z'), {
  identity: { ...NO_ROLE, config_errors: await errorsOfNoRole() },
  meta: { boot_at: '2026-11-30T18:20:30Z' },
  network: {
    web_ui_urls: [],
    interfaces: [
      {
        ...HEALTHY_DATA.network.interfaces[0]!,
        addrs: [
          { ...ADDRESS, addr: '192.0.2.2', prefix: 24, family: 'v4' },
          { ...ADDRESS, addr: 'fd00::2', prefix: 64, family: 'v6' },
        ],
      },
    ],
    gateway4: '192.0.2.1',
    dns_servers: ['192.0.2.53'],
    mode4: null,
  },
  vitals: { cpu_pct: 98, cpu_cores: 2, load1: 3.56, load5: 4.31, load15: 6.75, mem_total_bytes: 23.5 * GIB, mem_used_bytes: 1.5 * GIB },
  psi: {
    cpu: { some: { avg10: 0, avg60: 0, avg300: 46 }, full: { avg10: 0, avg60: 0, avg300: 0 } },
    io: { some: { avg10: 0, avg60: 0, avg300: 2 }, full: { avg10: 0, avg60: 0, avg300: 0 } },
  },
  disks: { mounts: [{ ...disk('/', 33), total_bytes: 252 * GIB }] },
});

const AT = Date.parse('2026-11-30T23:19:02Z');
const before = (seconds: number): string => new Date(AT - seconds * 1000).toISOString();
const pull = workstation(
  AT,
  {
    // The tour keeps the machine busy.
    psi: {
      breach: ['cpu_some'],
      some_pct: 50,
      cpu: { some: { avg10: 60, avg60: 60, avg300: 60 }, full: { avg10: 0, avg60: 0, avg300: 0 } },
    },
    pull: {
      ...PULL_DATA,
      panel: 'https://127.0.0.1:8443',
      identity: 'active',
      device_id: 'd-fb6180d1312b',
      pin: '0KUY1sym5a9auX2hHon0HDVBx6eIaFO9rG-QFPIZF7A',
      last_contact_at: before(20),
      next_poll_at: before(-10),
      fetched_version: 2,
      applied_version: 2,
      applied_at: before(70),
      state: 'failed',
      failed: {
        version: 3,
        phase: 'schema',
        outcome: 'not_started',
        attempts: 1,
        message: 'backends[0].servers[0].port: wanted a whole number from 1 to 65535',
        at: before(30),
        retry_at: null,
      } as never,
      update: null as never,
    },
  },
  { page: 'pull' },
);

const readme = fs.readFileSync(path.join(REPO, 'README.md'), 'utf8');

it.each<[string, ScreenState, RegExp]>([
  ['the dashboard of a workstation', plain, /npm run console`; .*:\n\n```\n([\s\S]*?)```/],
  ['a configuration that failed', pull, /F8\) says why [\s\S]*?```\n([\s\S]*?)```/],
])('the README shows %s as the console does', (_, state, where) => {
  const shown = where.exec(readme)?.[1]?.trimEnd().split('\n') ?? [];
  const frame = composeFrame(state, { columns: 80, rows: 24 }).map((l) => textOf(l).trimEnd());
  // The README leaves out the empty rows below, and the line of keys.
  expect(shown).toEqual(frame.slice(0, shown.length));
  expect(frame.slice(shown.length, 23).filter((l) => l !== '')).toEqual([]);
});
