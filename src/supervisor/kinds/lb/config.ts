/** What a panel may ask of a load balancer. The JSON Schema is made from it; what no schema can say is in `faultIn`. */
import { isIP } from 'node:net';
import { choice, type Field, flag, listOf, maybe, optional, record, type ValueOf, whole, words } from '../field.ts';

const name = words('a name: letters, digits, dot, dash, underscore; at most 60', /^[A-Za-z0-9][A-Za-z0-9._-]*$/, 60);

/** The pattern is for the schema; the judgement is Node's. */
const ADDRESS_TEXT = words('an IPv4 or IPv6 address', /^[0-9A-Fa-f.:]+$/, 45);
const address: Field<string> = {
  schema: ADDRESS_TEXT.schema,
  read: (value, path) => {
    const text = ADDRESS_TEXT.read(value, path);
    return text.ok && isIP(text.value) === 0 ? { ok: false, path, wanted: 'an IPv4 or IPv6 address' } : text;
  },
};
const port = whole(1, 65_535);
const hostName = words('a host name, or *. and one', /^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, 253);
/** Nothing that ends or splits a word of the file that is written. */
const urlPath = words(
  'a path that begins with a slash, of printable characters without quotes, # and backslash',
  /^\/[A-Za-z0-9._~!$&()*+,;=:@%/?-]*$/,
  500,
);
/** Linear patterns only: a certificate is long enough for any other to take minutes. What is between the lines HAProxy judges. */
const PEM_WANTED = 'a certificate, its chain and its key in PEM';
const PEM_TEXT = words(PEM_WANTED, /^[\x20-\x7e\r\n]*$/, 65_536);
const PEM_LINES = ['-----BEGIN ', '-----END '] as const;
const pem: Field<string> = {
  schema: { ...PEM_TEXT.schema, allOf: PEM_LINES.map((pattern) => ({ pattern })) },
  read: (value, path) => {
    const text = PEM_TEXT.read(value, path);
    return text.ok && !PEM_LINES.every((line) => text.value.includes(line)) ? { ok: false, path, wanted: PEM_WANTED } : text;
  },
};
const milliseconds = whole(10, 86_400_000);

const tls = record({
  /** The first is for clients that send no name. */
  certificates: listOf(name, 200, 1),
  min_version: optional(choice('1.2', '1.3'), '1.2'),
  http2: optional(flag, true),
});

const route = record({
  hosts: optional(listOf(hostName, 100), []),
  path_prefix: maybe(urlPath),
  backend: name,
});

const listener = record({
  name,
  /** Absent: every address of both families. */
  address: maybe(address),
  port,
  mode: optional(choice('http', 'tcp'), 'http'),
  tls: maybe(tls),
  redirect_to_https: optional(flag, false),
  max_connections: optional(whole(1, 1_000_000), 10_000),
  accept_proxy: optional(flag, false),
  /** The first that fits decides; http only. */
  routes: optional(listOf(route, 500), []),
  default_backend: maybe(name),
});

const server = record({
  name,
  address,
  port,
  weight: optional(whole(0, 256), 100),
  is_backup: optional(flag, false),
  max_connections: optional(whole(1, 1_000_000), 5000),
  /** To this server; `verify` against the authorities of the system. */
  tls: maybe(record({ verify: optional(flag, true), name: maybe(hostName) })),
});

const check = record({
  type: optional(choice('tcp', 'http'), 'tcp'),
  path: optional(urlPath, '/'),
  host: maybe(hostName),
  /** Absent: every status from 200 to 399. */
  expect_status: maybe(whole(100, 599)),
  interval_ms: optional(milliseconds, 2000),
  rise: optional(whole(1, 100), 2),
  fall: optional(whole(1, 100), 3),
});

const backend = record({
  name,
  mode: optional(choice('http', 'tcp'), 'http'),
  balance: optional(choice('roundrobin', 'leastconn', 'source'), 'roundrobin'),
  /** Name of a cookie that keeps a client on its server; http only. */
  sticky_cookie: maybe(words('a cookie name', /^[A-Za-z0-9_-]+$/, 60)),
  forward_for: optional(flag, true),
  check: maybe(check),
  servers: optional(listOf(server, 500), []),
});

export const LB_CONFIG = record({
  listeners: optional(listOf(listener, 200), []),
  backends: optional(listOf(backend, 500), []),
  certificates: optional(listOf(record({ name, pem }), 500), []),
  timeouts: optional(
    record({
      connect_ms: optional(milliseconds, 5000),
      client_ms: optional(milliseconds, 50_000),
      server_ms: optional(milliseconds, 50_000),
    }),
    { connect_ms: 5000, client_ms: 50_000, server_ms: 50_000 },
  ),
});

export type LbConfig = ValueOf<typeof LB_CONFIG>;
export type Listener = LbConfig['listeners'][number];
export type Backend = LbConfig['backends'][number];
export type Server = Backend['servers'][number];

/** `where is taken twice`, for the first name that two entries share. Files and sections differ by case, but people do not. */
function doubled(where: string, names: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const entry of names) {
    const key = entry.toLowerCase();
    if (seen.has(key)) return `${where}: ${entry} is there twice`;
    seen.add(key);
  }
  return null;
}

function faultOfListener(l: Listener, config: LbConfig): string | null {
  const at = `listener ${l.name}`;
  const used = [...l.routes.map((r) => r.backend), ...(l.default_backend === null ? [] : [l.default_backend])];
  if (l.mode === 'tcp' && (l.routes.length > 0 || l.redirect_to_https)) return `${at}: routes and redirect_to_https need mode http`;
  if (l.redirect_to_https && l.tls !== null) return `${at}: redirect_to_https on a listener that has TLS would never end`;
  if (used.length === 0 && !l.redirect_to_https) return `${at}: no default_backend and no route`;
  for (const wanted of used) {
    const found = config.backends.find((b) => b.name === wanted);
    if (!found) return `${at}: there is no backend ${wanted}`;
    if (found.mode !== l.mode) return `${at}: mode ${l.mode}, but backend ${wanted} has mode ${found.mode}`;
  }
  const bare = l.routes.findIndex((r) => r.hosts.length === 0 && r.path_prefix === null);
  if (bare >= 0) return `${at}: routes[${bare}] has neither hosts nor path_prefix; use default_backend`;
  const missing = l.tls?.certificates.find((c) => !config.certificates.some((known) => known.name === c));
  return missing === undefined ? null : `${at}: there is no certificate ${missing}`;
}

function faultOfBackend(b: Backend): string | null {
  const at = `backend ${b.name}`;
  if (b.mode === 'tcp' && b.sticky_cookie !== null) return `${at}: sticky_cookie needs mode http`;
  return doubled(
    `${at}, servers`,
    b.servers.map((s) => s.name),
  );
}

/** What is wrong between the parts, in words; null when nothing is. */
export function faultIn(config: LbConfig): string | null {
  const { listeners, backends, certificates } = config;
  return (
    doubled(
      'listeners',
      listeners.map((l) => l.name),
    ) ??
    doubled(
      'backends',
      backends.map((b) => b.name),
    ) ??
    doubled(
      'certificates',
      certificates.map((c) => c.name),
    ) ??
    doubled(
      'addresses of listeners',
      listeners.map((l) => `${l.address ?? '*'} port ${l.port}`),
    ) ??
    listeners.reduce<string | null>((fault, l) => fault ?? faultOfListener(l, config), null) ??
    backends.reduce<string | null>((fault, b) => fault ?? faultOfBackend(b), null)
  );
}
