/** Pages and dialogs that frames are kept of. */
import type { ScreenState } from '#console/screen-state.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import { logLines, stateOf } from './console-fixtures.ts';
import { FLEET, NEVER, SERVING, wave } from './frame-states.ts';
import { PULL_DATA } from './status-fixtures.ts';

const HISTORY = {
  cpuPct: wave(300, 100),
  memoryPct: wave(300, 60),
  pressurePct: wave(300, 20),
  diskPct: Array.from({ length: 300 }, () => 40),
  networkBytesPerS: wave(300, 3e6),
};
const FAILED_PULL = {
  ...PULL_DATA,
  state: 'failed',
  fetched_version: 43,
  consecutive_failures: 3,
  failed: {
    version: 43,
    phase: 'validate',
    outcome: 'reverted',
    message: 'haproxy: line 12: unknown keyword "blance" in section "backend web"; the configuration before it runs on',
    attempts: 2,
    retry_at: '2026-11-30T16:10:00Z',
  },
  update: { running: '0.1.0', target: '0.2.0', phase: 'downloading', bad: ['0.1.9'], checked_at: '2026-11-30T15:40:00Z' },
} as const;
const REVOKED = {
  ...PULL_DATA,
  identity: 'revoked',
  code: 'ENR-403',
  message: 'The panel has revoked this device on 2026-11-29. Approve it again there, or give it a new token.',
} as const;
const PROCESSES = {
  total: 180,
  running: 2,
  blocked: 1,
  zombies: 1,
  rows: Array.from({ length: 180 }, (_, i) => ({
    pid: 400 + i,
    name: ['k3s-server', 'containerd', 'kworker/0:1', 'postgres: writer'][i % 4] as string,
    state: i === 1 ? 'D' : i === 2 ? 'Z' : i < 4 ? 'R' : 'S',
    user: i % 3 === 0 ? 'root' : 'systemd-network',
    cpuPct: i === 3 ? null : Math.max(0, 95 - i * 7),
    step: 0,
    memoryBytes: 1e9 / (i + 1),
    threads: 1 + (i % 30),
  })),
};
const plan = (name: string, over = {}) => {
  const spec = actionNamed(name);
  return {
    name,
    summary: spec?.summary ?? '',
    consequences: spec?.consequences ?? [],
    typed_confirm: null,
    confirm_token: 't',
    expires_s: 30,
    ...over,
  };
};
const EMPTY = { value: '', cursor: 0 };
const order = { plan: plan('power.reboot'), args: {}, typed: null };

export const PAGES: Readonly<Record<string, ScreenState>> = {
  health: stateOf({ etcd: { alarms: null }, power: { last_reboot_reason: null }, vitals: { top_cpu: [] } }, {}, { page: 'health' }),
  'health-serving': stateOf(SERVING, {}, { page: 'health' }),
  'health-fleet': stateOf(FLEET, {}, { page: 'health' }),
  monitor: stateOf({}, {}, { page: 'monitor', history: HISTORY }),
  processes: stateOf({}, {}, { page: 'processes', processes: PROCESSES }),
  'pull-ok': stateOf({ pull: PULL_DATA }, {}, { page: 'pull' }),
  'pull-failed': stateOf({ pull: FAILED_PULL }, {}, { page: 'pull' }),
  'pull-revoked': stateOf({ pull: REVOKED }, {}, { page: 'pull' }),
  'pull-stale': stateOf({ pull: PULL_DATA }, { pull: { age_ms: 15_000 } }, { page: 'pull' }),
  'pull-unknown': stateOf({}, { pull: NEVER }, { page: 'pull' }),
  pods: stateOf({}, {}, { page: 'pods', pod: 'spatium/pod-3' }),
  podlog: stateOf(
    {},
    {},
    {
      page: 'podlog',
      podLog: {
        ns: 'spatium',
        pod: 'api-6f9b5c7d8-abcde',
        ended: null,
        log: { lines: logLines(30).map((l) => ({ ...l, at: '' })), scroll: 4, paused: true, filter: 'k3s', typing: true, note: '' },
      },
    },
  ),
  'log-flood': stateOf(
    {},
    {},
    { log: { lines: logLines(60), scroll: 0, paused: false, filter: '', typing: false, note: 'about 98000 lines a second' } },
  ),
  confirm: stateOf(
    {},
    {},
    { dialog: { kind: 'confirm', plan: plan('network.edit'), args: {}, typed: EMPTY, yes: false, untilMs: 30_000 } },
  ),
  'confirm-typed': stateOf(
    {},
    {},
    {
      dialog: {
        kind: 'confirm',
        plan: plan('etcd.restore', { typed_confirm: 'ddi-prod-01' }),
        args: {},
        typed: { value: 'ddi-pr', cursor: 6 },
        yes: true,
        untilMs: 90_000,
      },
    },
  ),
  password: stateOf(
    {},
    {},
    {
      dialog: {
        kind: 'password',
        order,
        title: 'Reboot',
        admins: ['ops', 'second'],
        at: 0,
        state: { value: 'secret', cursor: 6 },
        fault: null,
        busy: false,
        untilMs: 60_000,
      },
    },
  ),
  form: stateOf(
    {},
    {},
    {
      dialog: {
        kind: 'form',
        action: 'pair.set',
        title: 'Pair again',
        fields: (actionNamed('pair.set')?.args ?? []).map((arg, i) => ({ arg, state: i === 0 ? EMPTY : { value: '12345678', cursor: 8 } })),
        at: 1,
        fault: null,
        untilMs: 60_000,
      },
    },
  ),
};
