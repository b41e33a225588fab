/** A load balancer's configuration as the files of HAProxy (2.6 to 3.x). Pure. */
import type { RenderedFile } from '../kind.ts';
import type { Backend, LbConfig, Listener, Server } from './config.ts';

export const CONFIG_FILE = 'haproxy.cfg';

export interface LbPlaces {
  /** Where the running HAProxy answers questions. */
  readonly statsSocket: string;
}

export const LB_PLACES: LbPlaces = { statsSocket: '/run/haproxy/spatium.sock' };

const certFile = (name: string): string => `certs/${name}.pem`;
/** Certificates of a listener, one a line: a line of the configuration itself has room for 64 words. */
const listFile = (listener: string): string => `lists/${listener}.txt`;
const hostPort = (address: string, port: number): string => `${address.includes(':') ? `[${address}]` : address}:${port}`;

const globals = (mark: string, places: LbPlaces): string[] => [
  'global',
  '    log stdout format raw daemon notice',
  '    user haproxy',
  '    group haproxy',
  '    chroot /var/lib/haproxy',
  `    description ${mark}`,
  `    stats socket ${places.statsSocket} mode 600 level operator expose-fd listeners`,
  // Relative to this file: certificates are found in the staged tree and in the running one alike.
  '    default-path config',
  '    ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets',
  '    hard-stop-after 1h',
];

const defaults = ({ timeouts: t }: LbConfig): string[] => [
  'defaults',
  '    log global',
  '    mode http',
  '    option dontlognull',
  '    option dontlog-normal',
  `    timeout connect ${t.connect_ms}`,
  `    timeout client ${t.client_ms}`,
  `    timeout server ${t.server_ms}`,
  '    timeout http-request 10s',
  '    timeout queue 30s',
];

function bindLine(l: Listener): string {
  // One socket for both families.
  const place = l.address === null ? `[::]:${l.port} v4v6` : hostPort(l.address, l.port);
  const tls =
    l.tls === null
      ? ''
      : ` ssl crt-list ${listFile(l.name)} ssl-min-ver TLSv${l.tls.min_version}` +
        (l.mode === 'http' ? ` alpn ${l.tls.http2 ? 'h2,http/1.1' : 'http/1.1'}` : '');
  return `    bind ${place}${l.accept_proxy ? ' accept-proxy' : ''}${tls}`;
}

function hostTest(host: string): string {
  return host.startsWith('*.') ? `req.hdr(host),field(1,:) -m end -i ${host.slice(1)}` : `req.hdr(host),field(1,:) -m str -i ${host}`;
}

function routeLines(l: Listener): string[] {
  return l.routes.flatMap((r, i) => {
    const host = r.hosts.map((h) => `    acl host_${i} ${hostTest(h)}`);
    const path = r.path_prefix === null ? [] : [`    acl path_${i} path -m beg ${r.path_prefix}`];
    const tests = [...(host.length > 0 ? [`host_${i}`] : []), ...(path.length > 0 ? [`path_${i}`] : [])].join(' ');
    return [...host, ...path, `    use_backend b_${r.backend} if ${tests}`];
  });
}

const frontend = (l: Listener): string[] => [
  `frontend l_${l.name}`,
  `    mode ${l.mode}`,
  bindLine(l),
  `    maxconn ${l.max_connections}`,
  ...(l.mode === 'http' && l.tls !== null ? ['    http-request set-header X-Forwarded-Proto https'] : []),
  ...(l.redirect_to_https ? ['    http-request redirect scheme https code 301'] : []),
  ...routeLines(l),
  ...(l.default_backend === null ? [] : [`    default_backend b_${l.default_backend}`]),
];

function checkLines(b: Backend): string[] {
  if (b.check === null || b.check.type === 'tcp') return [];
  const { path, host, expect_status } = b.check;
  const header = host === null ? '' : ` ver HTTP/1.1 hdr Host ${host}`;
  return [
    '    option httpchk',
    `    http-check send meth GET uri ${path}${header}`,
    `    http-check expect status ${expect_status ?? '200-399'}`,
  ];
}

function serverLine(s: Server, b: Backend): string {
  const check = b.check === null ? '' : ` check inter ${b.check.interval_ms}ms rise ${b.check.rise} fall ${b.check.fall}`;
  const cookie = b.sticky_cookie === null ? '' : ` cookie ${s.name}`;
  const backup = s.is_backup ? ' backup' : '';
  const name = s.tls?.name == null ? '' : ` sni str(${s.tls.name}) check-sni ${s.tls.name} verifyhost ${s.tls.name}`;
  const tls = s.tls === null ? '' : ` ssl verify ${s.tls.verify ? 'required ca-file @system-ca' : 'none'}${name}`;
  return `    server ${s.name} ${hostPort(s.address, s.port)} weight ${s.weight} maxconn ${s.max_connections}${check}${cookie}${backup}${tls}`;
}

const backend = (b: Backend): string[] => [
  `backend b_${b.name}`,
  `    mode ${b.mode}`,
  `    balance ${b.balance}`,
  ...(b.mode === 'http' && b.forward_for ? ['    option forwardfor'] : []),
  ...(b.sticky_cookie === null ? [] : [`    cookie ${b.sticky_cookie} insert indirect nocache httponly`]),
  ...checkLines(b),
  ...b.servers.map((s) => serverLine(s, b)),
];

/** HAProxy wants something to listen on; without listeners a socket that only root can open stands in. */
const placeholder = (places: LbPlaces): string[] => [
  'frontend l_none',
  `    bind ${places.statsSocket}.none mode 600`,
  '    http-request return status 503',
];

const section = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** Names of frontends as HAProxy's statistics list them. */
export const frontendsOf = (config: LbConfig): readonly string[] =>
  config.listeners.length === 0 ? ['l_none'] : config.listeners.map((l) => `l_${l.name}`);

export function renderLb(config: LbConfig, mark: string, places: LbPlaces = LB_PLACES): readonly RenderedFile[] {
  const parts = [
    '# Written from what the panel sent. A change made here is lost with the next version.\n',
    section(globals(mark, places)),
    section(defaults(config)),
    ...(config.listeners.length === 0 ? [section(placeholder(places))] : config.listeners.map((l) => section(frontend(l)))),
    ...config.backends.map((b) => section(backend(b))),
  ];
  return [
    { name: CONFIG_FILE, text: parts.join('\n'), mode: 0o600 },
    ...config.listeners.flatMap((l) =>
      l.tls === null ? [] : [{ name: listFile(l.name), text: section(l.tls.certificates.map(certFile)), mode: 0o600 }],
    ),
    ...config.certificates.map((c) => ({ name: certFile(c.name), text: c.pem.endsWith('\n') ? c.pem : `${c.pem}\n`, mode: 0o600 })),
  ];
}
