/** What the supervisor serves and the console shows. */
import { bool, int, list, map, obj, oneOf, opt, type Shape, type Static, text, time } from './shape.ts';
import { API, ETCD, EVENTS, K3S, LOADBALANCER, NODES, PLATFORM, PODS, POSTGRES, USAGE } from './status-cluster.ts';
import { CERTS, CLUSTER_OPS, CONTROL_PLANE, FIREWALL, HOST_CONFIG, PAIRING, PULL, UPGRADE } from './status-fleet.ts';
import { DISKS, IDENTITY, META, NETWORK, POWER, PSI, SLOTS, STORAGE, SUPERVISOR, TIME, VITALS } from './status-sections.ts';

/** Version of the protocol, in every snapshot; a reader refuses a greater one. */
export const STATUS_SCHEMA = 1;

/** Every section there is, with the shape of its data. */
export const SECTION_SHAPES = {
  meta: META,
  identity: IDENTITY,
  network: NETWORK,
  vitals: VITALS,
  psi: PSI,
  disks: DISKS,
  storage: STORAGE,
  slots: SLOTS,
  upgrade: UPGRADE,
  power: POWER,
  pairing: PAIRING,
  control_plane: CONTROL_PLANE,
  pull: PULL,
  supervisor: SUPERVISOR,
  k3s: K3S,
  nodes: NODES,
  etcd: ETCD,
  pods: PODS,
  usage: USAGE,
  postgres: POSTGRES,
  api: API,
  platform: PLATFORM,
  loadbalancer: LOADBALANCER,
  firewall: FIREWALL,
  host_config: HOST_CONFIG,
  time: TIME,
  certs: CERTS,
  cluster_ops: CLUSTER_OPS,
  events: EVENTS,
} as const satisfies Record<string, Shape>;

export type SectionName = keyof typeof SECTION_SHAPES;
export type SectionData = { readonly [K in SectionName]: Static<(typeof SECTION_SHAPES)[K]> };

export const SECTION_NAMES = Object.keys(SECTION_SHAPES) as readonly SectionName[];

const SECTION_STATES = ['ok', 'unknown', 'unavailable', 'not_applicable'] as const;
export type SectionState = (typeof SECTION_STATES)[number];

export interface Section<T> {
  readonly state: SectionState;
  /** RFC 3339 UTC of the observation that `data` holds; null when never observed. */
  readonly observed_at: string | null;
  /** Age at the time of sending, milliseconds; the receiver adds its own monotonic time. */
  readonly age_ms: number | null;
  readonly ttl_ms: number;
  readonly source: string;
  readonly error: { readonly code: string; readonly msg: string } | null;
  /** null: not known. A null field inside: not recorded, never zero. */
  readonly data: T | null;
}

/** Sections a server does not offer are absent. */
export type Sections = { readonly [K in SectionName]?: Section<SectionData[K]> };

export const LEVELS = ['CRITICAL', 'DEGRADED', 'UNKNOWN', 'HEALTHY'] as const;
export type Level = (typeof LEVELS)[number];

export const REASON = obj({
  code: text,
  level: oneOf('CRITICAL', 'DEGRADED', 'UNKNOWN'),
  subject: opt(text),
  text,
  since: time,
  section: text,
  /** The key that helps, e.g. `F7`. */
  action_hint: opt(text),
});

export const VERDICT = obj({
  level: oneOf('CRITICAL', 'DEGRADED', 'UNKNOWN', 'HEALTHY'),
  reasons: list(REASON),
  unknown_sections: list(text),
  computed_at: time,
});

export type VerdictReason = Static<typeof REASON>;
export type Verdict = Static<typeof VERDICT>;

/** The envelope of a section without its data. */
export const ENVELOPE = obj({
  state: oneOf(...SECTION_STATES),
  observed_at: opt(time),
  age_ms: opt(int),
  ttl_ms: int,
  source: text,
  error: opt(obj({ code: text, msg: text })),
});

/** `GET /v1/status`. */
export interface Snapshot {
  readonly schema: number;
  readonly server: string;
  readonly instance: string;
  readonly now: string;
  readonly sections: Sections;
  readonly verdict: Verdict;
}

/** One line of `GET /v1/stream`. `seq` counts frames of one connection without gaps; a ping repeats the last one. */
export type Frame =
  | ({ readonly t: 'snapshot'; readonly seq: number } & Snapshot)
  | {
      readonly t: 'patch';
      readonly seq: number;
      readonly now: string;
      /** Replaced whole, never merged. */
      readonly sections: Sections;
      /** Sections observed again with the same content: only their age changed. */
      readonly observed?: Readonly<Record<string, { readonly observed_at: string; readonly age_ms: number }>>;
      readonly verdict?: Verdict;
    }
  | { readonly t: 'ping'; readonly seq: number; readonly now: string };

export const OBSERVED = map(obj({ observed_at: time, age_ms: int }));

const LOG_SEVERITIES = ['err', 'warn', 'info', 'debug'] as const;

/** One line of `GET /v1/log`. */
export const LOG_LINE = obj({
  t: oneOf('log'),
  id: int,
  at: time,
  src: oneOf('journal', 'app', 'kernel', 'supervisor'),
  unit: opt(text),
  sev: oneOf(...LOG_SEVERITIES),
  text,
});
export type LogLine = Static<typeof LOG_LINE>;

/** What `POST /v1/actions/NAME` answers before anything happens: what it would do, and a token to say yes with. */
export const ACTION_PLAN = obj({
  name: text,
  summary: text,
  consequences: list(text),
  /** Text the operator has to type, for what cannot be undone. */
  typed_confirm: opt(text),
  confirm_token: text,
  expires_s: int,
});
export type ActionPlan = Static<typeof ACTION_PLAN>;

/** One line of the answer to a confirmed action. */
export const ACTION_EVENT = obj({
  t: oneOf('out', 'done'),
  stream: opt(oneOf('stdout', 'stderr')),
  line: opt(text),
  /** null: did not exit by itself. */
  rc: opt(int),
  msg: opt(text),
});
export type ActionEvent = Static<typeof ACTION_EVENT>;

export const ACTION_LIST = obj({
  actions: list(
    obj({
      name: text,
      title: text,
      key: opt(text),
      destructive: bool,
      /** Why it cannot be done now; null when it can. */
      why: opt(text),
      /** For each word that the action wants and that can be picked from a list, the list. */
      choices: opt(map(list(text))),
    }),
  ),
});
export type ActionList = Static<typeof ACTION_LIST>;
