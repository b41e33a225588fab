import { describe, expect, it } from 'vitest';
import { byUrgency, podsData } from '#supervisor/collectors/cluster-sections.ts';
import { parseRestore } from '#supervisor/collectors/etcd.ts';
import { failedChecks } from '#supervisor/kube/cluster.ts';
import { parseKubeconfig } from '#supervisor/kube/kubeconfig.ts';
import { Growth, metric } from '#supervisor/kube/metrics.ts';
import { nodeFacts, quantity } from '#supervisor/kube/node-facts.ts';
import { type KubePod, podFacts } from '#supervisor/kube/pod-facts.ts';
import { RestartHistory } from '#supervisor/kube/restart-history.ts';

const NOW = Date.parse('2026-11-30T15:55:53Z');
const ago = (s: number): string => new Date(NOW - s * 1000).toISOString();

function kubePod(over: { status?: KubePod['status']; metadata?: KubePod['metadata']; spec?: KubePod['spec'] } = {}): KubePod {
  return {
    metadata: {
      name: 'spatium-control-spatiumddi-api-6f9b',
      namespace: 'spatium',
      creationTimestamp: ago(86_400),
      ownerReferences: [{ kind: 'ReplicaSet' }],
      ...over.metadata,
    },
    spec: { nodeName: 'n1', containers: [{}], ...over.spec },
    status: {
      phase: 'Running',
      podIP: '10.42.0.9',
      containerStatuses: [{ ready: true, restartCount: 0, state: { running: { startedAt: ago(86_000) } } }],
      ...over.status,
    },
  };
}
const facts = (p: KubePod, restarts1h: number | null = null) => podFacts(p, NOW, { restarts1h });
const waiting = (reason: string, restartCount = 0) => [
  {
    ready: false,
    restartCount,
    state: { waiting: { reason } },
    lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: ago(60) } },
  },
];
const restarted = (restartCount: number, startedS: number) => [
  { ready: true, restartCount, state: { running: { startedAt: ago(startedS) } } },
];

const CASES: readonly (readonly [string, KubePod, string, string, string | null])[] = [
  ['healthy', kubePod(), 'Running', 'ok', null],
  ['T02 crash loop', kubePod({ status: { containerStatuses: waiting('CrashLoopBackOff', 6) } }), 'CrashLoopBackOff', 'critical', 'state'],
  ['T03 4 restarts, the last 30 s ago', kubePod({ status: { containerStatuses: restarted(4, 30) } }), 'Running', 'critical', 'flapping'],
  ['T04 2 restarts, the last 30 s ago', kubePod({ status: { containerStatuses: restarted(2, 30) } }), 'Running', 'ok', null],
  ['a lifetime of restarts is no alarm', kubePod({ status: { containerStatuses: restarted(40, 9000) } }), 'Running', 'ok', null],
  [
    'T08 init image pull',
    kubePod({
      status: { phase: 'Pending', containerStatuses: waiting('PodInitializing'), initContainerStatuses: waiting('ImagePullBackOff') },
    }),
    'Init:ImagePullBackOff',
    'critical',
    'state',
  ],
  [
    'an init container still at work',
    kubePod({
      metadata: { creationTimestamp: ago(20) },
      status: { phase: 'Pending', containerStatuses: waiting('PodInitializing'), initContainerStatuses: [{ state: { running: {} } }] },
    }),
    'PodInitializing',
    'pending',
    null,
  ],
  [
    'T09 config error',
    kubePod({ status: { phase: 'Pending', containerStatuses: waiting('CreateContainerConfigError') } }),
    'CreateContainerConfigError',
    'critical',
    'state',
  ],
  [
    'T10 unschedulable for 15 min',
    kubePod({
      metadata: { creationTimestamp: ago(900) },
      status: {
        phase: 'Pending',
        containerStatuses: [],
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes: insufficient cpu' }],
      },
    }),
    'Pending',
    'warning',
    'unschedulable',
  ],
  [
    'pending for 10 s',
    kubePod({ metadata: { creationTimestamp: ago(10) }, status: { phase: 'Pending', containerStatuses: waiting('ContainerCreating') } }),
    'ContainerCreating',
    'pending',
    null,
  ],
  ['evicted is history', kubePod({ status: { phase: 'Failed', reason: 'Evicted', containerStatuses: [] } }), 'Evicted', 'ok', null],
  ['failed', kubePod({ status: { phase: 'Failed', containerStatuses: [] } }), 'Failed', 'critical', 'state'],
  ['terminating for an hour is stuck', kubePod({ metadata: { deletionTimestamp: ago(3600) } }), 'Terminating', 'warning', 'stuck'],
  [
    'terminating is no fault',
    kubePod({ metadata: { deletionTimestamp: ago(3) }, status: { containerStatuses: waiting('CrashLoopBackOff') } }),
    'Terminating',
    'ok',
    null,
  ],
  [
    'not ready for ten minutes',
    kubePod({
      status: {
        containerStatuses: [{ ready: false, restartCount: 0, state: { running: {} } }],
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(600) }],
      },
    }),
    'Running',
    'warning',
    'not_ready',
  ],
  [
    'not ready for ten seconds',
    kubePod({
      status: {
        containerStatuses: [{ ready: false, restartCount: 0, state: { running: {} } }],
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(10) }],
      },
    }),
    'Running',
    'pending',
    null,
  ],
];

describe('pods', () => {
  it.each(CASES)('%s', (_name, pod, state, severity, code) => {
    const f = facts(pod);
    expect([f.state, f.severity, f.severity_code]).toEqual([state, severity, code]);
  });
  it('ten restarts within an hour are flapping even between two of them', () => {
    expect(facts(kubePod({ status: { containerStatuses: restarted(40, 400) } }), 10)).toMatchObject({
      severity: 'critical',
      severity_code: 'flapping',
    });
  });
  it('restarts of a lifetime are no flapping: once watched for an hour, or after a run that was longer', () => {
    const old = kubePod({ status: { containerStatuses: restarted(40, 30) } });
    const hour = 3_600_000;
    expect(podFacts(old, NOW, { restarts1h: 1, watchedMs: hour }).severity).toBe('ok');
    expect(podFacts(old, NOW, { restarts1h: 3, watchedMs: hour }).severity_code).toBe('flapping');
    expect(podFacts(old, NOW, { restarts1h: 0, watchedMs: hour - 1 }).severity_code).toBe('flapping');
    const afterDays = { startedAt: ago(90_000), finishedAt: ago(31), exitCode: 1, reason: 'Error' };
    const [once] = restarted(4, 30);
    const rested = kubePod({ status: { containerStatuses: [{ ...once, lastState: { terminated: afterDays } }] } });
    expect(podFacts(rested, NOW, { restarts1h: 0, watchedMs: 0 }).severity).toBe('ok');
    expect(podFacts(rested, NOW, { restarts1h: 3, watchedMs: 0 }).severity_code).toBe('flapping');
  });
  it('keeps the last exit, and shortens the name', () => {
    expect(facts(kubePod({ status: { containerStatuses: waiting('CrashLoopBackOff', 6) } }))).toMatchObject({
      short: 'api-6f9b',
      kind: 'Deploy',
      restarts: 6,
      ready: 0,
      total: 1,
      last_exit: { reason: 'OOMKilled', code: 137 },
    });
  });
  it('an empty object invents nothing', () => {
    expect(facts({})).toMatchObject({
      name: '?',
      node: null,
      ip: null,
      ready: 0,
      total: 0,
      restarts: 0,
      last_exit: null,
      last_restart_at: null,
    });
  });
  it('sorts the worst first and counts', () => {
    const done = { ...facts(kubePod()), state: 'Succeeded' };
    const data = podsData([facts(kubePod()), facts(kubePod({ status: { containerStatuses: waiting('ErrImagePull') } })), done]);
    expect(data.counts).toEqual({ total: 3, ready: 1, pending: 0, failed: 1, succeeded: 1 });
    expect([...data.list].sort(byUrgency)).toEqual(data.list);
    expect(data.list[0]?.state).toBe('ErrImagePull');
  });
  it('500 pods are sent and the rest is counted', () => {
    expect(podsData(Array.from({ length: 620 }, () => facts(kubePod())))).toMatchObject({ truncated_count: 120, counts: { total: 620 } });
  });
});

describe('restarts within an hour', () => {
  it('counts only what happened while watching, and forgets after an hour', () => {
    const h = new RestartHistory();
    const at = (restarts: number, ms: number) => h.update([{ key: 'a', restarts }], ms);
    at(40, 0);
    expect(h.lastHour('a', 0)).toBe(0);
    at(43, 1000);
    expect(h.lastHour('a', 1000)).toBe(3);
    at(43, 3_700_000);
    expect(h.lastHour('a', 3_700_000)).toBe(0);
    h.update([], 3_700_001);
    expect(h.lastHour('a', 3_700_001)).toBeNull();
  });
});

describe('nodes', () => {
  it.each([
    ['4', 4],
    ['3800m', 3.8],
    ['8131556Ki', 8_326_713_344],
    ['8Gi', 8_589_934_592],
    ['1e3', 1000],
    ['128974848', 128_974_848],
    ['', null],
    ['lots', null],
    [undefined, null],
  ])('quantity %s', (text, want) => expect(quantity(text)).toBe(want));
  it('reads readiness, roles, pressure', () => {
    const n = nodeFacts(
      {
        metadata: {
          name: 'n1',
          labels: { 'node-role.kubernetes.io/etcd': 'true', 'node-role.kubernetes.io/control-plane': 'true', other: '1' },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [
            { type: 'Ready', status: 'Unknown' },
            { type: 'DiskPressure', status: 'True' },
            { type: 'PIDPressure', status: 'False' },
          ],
        },
      },
      'n1',
      null,
    );
    expect(n).toMatchObject({
      local: true,
      ready: 'unknown',
      roles: ['etcd', 'control-plane'],
      conditions: ['cordoned', 'disk pressure'],
      allocatable_cpu_cores: null,
    });
  });
});

describe('metrics', () => {
  const text =
    '# HELP x\netcd_server_has_leader 1\nreq{code="200"} 5\nreq{code="500"} 2e1\nbad NaN\nworse +Inf\nreq_created{code="200"} 99\n';
  it('sums what is asked for; garbage is not known, and not zero', () => {
    expect(metric(text, 'etcd_server_has_leader')).toBe(1);
    expect(metric(text, 'req')).toBe(25);
    expect(metric(text, 'req', { code: '500' })).toBe(20);
    expect([metric(text, 'bad'), metric(text, 'worse'), metric(text, 'absent')]).toEqual([null, null, null]);
  });
  it('growth within a window, not since the beginning of time', () => {
    const g = new Growth(1000);
    expect([g.add(50, 0), g.add(50, 500), g.add(53, 1000), g.add(53, 2500), g.add(53, 4000)]).toEqual([null, 0, 3, 0, 0]);
    expect(g.add(2, 5000)).toBeNull();
  });
});

describe('small texts', () => {
  it('readiness checks that failed', () => {
    expect(failedChecks('[+]ping ok\n[-]etcd failed: reason withheld\n[-]informer-sync failed\nreadyz check failed')).toEqual([
      'etcd',
      'informer-sync',
    ]);
  });
  it('restore states, with the words of the runner', () => {
    expect(parseRestore('restoring\tsnapshot-1', 0)).toMatchObject({ state: 'restoring', reason: 'snapshot-1' });
    expect(parseRestore('failed\tno space', 0).state).toBe('failed');
    expect(parseRestore(null, null)).toEqual({ state: 'none', reason: null, since: null });
  });
  it('a kubeconfig keeps its key secret', () => {
    const k = parseKubeconfig(
      `clusters:\n- cluster:\n    certificate-authority-data: ${btoa('CA')}\n    server: https://127.0.0.1:6443\nusers:\n- user:\n    client-certificate-data: ${btoa('CERT')}\n    client-key-data: ${btoa('KEY-OF-THE-BOX')}\n`,
    );
    expect([k.server.href, k.ca, k.cert, k.key?.reveal()]).toEqual(['https://127.0.0.1:6443/', 'CA', 'CERT', 'KEY-OF-THE-BOX']);
    expect(JSON.stringify(k)).not.toContain('KEY-OF-THE-BOX');
    expect(() => parseKubeconfig('x: y')).toThrow('names no server');
  });
});
