/** The status socket: a snapshot with an ETag, a stream of frames, the log. Read only. */
import http from 'node:http';
import type { Frame, LogLine, SectionName, Sections, Snapshot } from '#model/status.ts';
import { SECTION_NAMES, STATUS_SCHEMA } from '#model/status.ts';
import { errnoOf } from '#system/files.ts';
import { groupId, prepareSocket, publishSocket, type SocketHolder } from '#system/sockets.ts';
import { type Admission, admission, type Limits, MAX_CONNECTIONS, MAX_STREAMS } from './admission.ts';
import { fitSections } from './frame-size.ts';
import { logFlow, MAX_LINES_PER_S } from './log-flow.ts';
import type { LogRing } from './log-ring.ts';
import { ndjsonWriter } from './ndjson-writer.ts';
import { faultOf, numberOf } from './query.ts';
import type { Change, Clock, StatusStore } from './store.ts';

const PING_MS = 5_000;
const DEFAULT_MIN_INTERVAL_MS = 250;
const DEFAULT_LOG_LINES = 200;
/** Members may read the status without being root. */
const STATUS_GROUP = 'spatium-host';

export interface StatusServerOptions {
  readonly socket: string;
  readonly store: StatusStore;
  readonly log: LogRing;
  readonly clock: Clock;
  /** Program and version, `spatium 0.1.0`. */
  readonly server: string;
  /** Different after every start. */
  readonly instance: string;
  readonly pingMs?: number;
  readonly limits?: Limits;
}

export interface RunningServer {
  /** Whose socket clients find at the path of this one. */
  holder(): Promise<SocketHolder>;
  close(): Promise<void>;
}

/** null for what is no URL at all: a client may send any bytes. */
function urlOf(req: http.IncomingMessage): URL | null {
  const text = req.url ?? '/';
  return URL.canParse(text, 'http://localhost') ? new URL(text, 'http://localhost') : null;
}

/** A whole JSON answer with its length. */
export function sendJson(res: http.ServerResponse, status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): void {
  const text = `${JSON.stringify(body)}\n`;
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers });
  res.end(text);
}

/** `{"error": {code, msg}}`, the one form of every refusal. */
export const sendError = (res: http.ServerResponse, status: number, code: string, msg: string, headers?: http.OutgoingHttpHeaders): void =>
  sendJson(res, status, { error: { code, msg } }, headers);

class StatusServer {
  readonly options: StatusServerOptions;
  readonly #admission: Admission;
  constructor(options: StatusServerOptions, admitted: Admission) {
    this.options = options;
    this.#admission = admitted;
  }

  /** False when a stream found no place, and was told so. */
  #admit(res: http.ServerResponse): boolean {
    if (this.#admission.takeStream(res)) return true;
    const hint = 'too many streams; GET /v1/status is answered';
    sendError(res, 503, 'busy', hint, { 'retry-after': '5', connection: 'close' });
    return false;
  }

  snapshot(): Snapshot {
    const { store, clock, server, instance } = this.options;
    return {
      schema: STATUS_SCHEMA,
      server,
      instance,
      now: clock.now(),
      sections: fitSections(store.sections(SECTION_NAMES)),
      verdict: store.verdict,
    };
  }

  handle(req: http.IncomingMessage, res: http.ServerResponse): void {
    const url = urlOf(req);
    if (url === null) {
      sendError(res, 400, 'bad_request', 'the address of the request cannot be read');
      return;
    }
    const routes: Readonly<Record<string, () => void>> = {
      '/v1/status': () => this.status(req, res),
      '/v1/stream': () => this.stream(url.searchParams, res),
      '/v1/log': () => this.log(url.searchParams, res),
    };
    const route = routes[url.pathname];
    if (!route) {
      sendError(res, 404, 'not_found', `no ${url.pathname} here; there are ${Object.keys(routes).join(', ')}`);
      return;
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      sendError(res, 405, 'method_not_allowed', 'this socket only answers GET', { allow: 'GET, HEAD' });
      return;
    }
    const fault = faultOf(url.searchParams);
    if (fault !== null) {
      sendError(res, 400, 'bad_query', fault);
      return;
    }
    if (req.method === 'HEAD' && url.pathname !== '/v1/status') {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' }).end();
      return;
    }
    route();
  }

  status(req: http.IncomingMessage, res: http.ServerResponse): void {
    const etag = `"${this.options.instance}-${this.options.store.version}"`;
    const known = (req.headers['if-none-match'] ?? '').split(',').map((t) => t.trim().replace(/^W\//, ''));
    if (known.includes(etag) || known.includes('*')) {
      res.writeHead(304, { etag }).end();
      return;
    }
    sendJson(res, 200, this.snapshot(), { etag, 'cache-control': 'no-cache' });
  }

  stream(query: URLSearchParams, res: http.ServerResponse): void {
    if (!this.#admit(res)) return;
    const minIntervalMs = numberOf(query, 'min_interval_ms', DEFAULT_MIN_INTERVAL_MS, 60_000);
    const { store, clock } = this.options;
    const pending = { changed: new Set<SectionName>(), observed: new Set<SectionName>(), verdict: false };
    let seq = 1;
    let timer: NodeJS.Timeout | null = null;
    const flush = (): void => {
      timer = null;
      const nothing = pending.changed.size + pending.observed.size === 0 && !pending.verdict;
      if (nothing || !writer.ready) return;
      seq += 1;
      send({
        t: 'patch',
        seq,
        now: clock.now(),
        sections: fitSections(store.sections(pending.changed)),
        observed: agesOf(store.sections(pending.observed)),
        ...(pending.verdict ? { verdict: store.verdict } : {}),
      });
      pending.changed.clear();
      pending.observed.clear();
      pending.verdict = false;
      ping.refresh();
    };
    const schedule = (): void => {
      timer ??= setTimeout(flush, minIntervalMs);
    };
    const onChange = (change: Change): void => {
      for (const name of change.changed) {
        pending.changed.add(name);
        pending.observed.delete(name);
      }
      for (const name of change.observed) if (!pending.changed.has(name)) pending.observed.add(name);
      pending.verdict ||= change.verdictChanged;
      schedule();
    };
    const stop = store.onChange(onChange);
    const writer = ndjsonWriter(res, flush, () => {
      stop();
      if (timer) clearTimeout(timer);
      clearInterval(ping);
    });
    const send = (frame: Frame): void => writer.write(frame);
    const ping = setInterval(() => {
      if (writer.ready) send({ t: 'ping', seq, now: clock.now() });
    }, this.options.pingMs ?? PING_MS);
    send({ t: 'snapshot', seq, ...this.snapshot() });
  }

  log(query: URLSearchParams, res: http.ServerResponse): void {
    const ring = this.options.log;
    const wanted = lineFilter(query);
    const since = numberOf(query, 'since_id', 0, Number.MAX_SAFE_INTEGER);
    const first = ring.after(since, numberOf(query, 'limit', DEFAULT_LOG_LINES, 2000)).filter(wanted);
    if (query.get('follow') !== '1') {
      res.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
      res.end(first.map((l) => `${JSON.stringify(l)}\n`).join(''));
      return;
    }
    if (!this.#admit(res)) return;
    let lastId = first.at(-1)?.id ?? since;
    const send = (line: LogLine): void => {
      if (!writer.ready) return;
      writer.write(line);
      lastId = line.id;
    };
    const perS = Math.max(1, numberOf(query, 'max_lines_per_s', MAX_LINES_PER_S, MAX_LINES_PER_S));
    const flow = logFlow({ perS, burst: perS, monoMs: this.options.clock.monoMs }, send);
    // A reader that is behind gets the newest lines once it has caught up.
    const catchUp = (): void => {
      flow.clear();
      for (const line of ring.after(lastId, DEFAULT_LOG_LINES)) if (wanted(line)) flow.add(line);
    };
    const stop = ring.onLine((line) => {
      if (wanted(line) && writer.ready) flow.add(line);
    });
    const writer = ndjsonWriter(res, catchUp, () => {
      stop();
      flow.clear();
      clearInterval(ping);
    });
    const ping = setInterval(() => {
      if (writer.ready) writer.write({ t: 'ping', seq: lastId, now: this.options.clock.now() });
    }, this.options.pingMs ?? PING_MS);
    for (const line of first) writer.write(line);
  }
}

function agesOf(sections: Sections): Record<string, { observed_at: string; age_ms: number }> {
  const out: Record<string, { observed_at: string; age_ms: number }> = {};
  for (const [name, s] of Object.entries(sections)) {
    if (s && s.observed_at !== null && s.age_ms !== null) out[name] = { observed_at: s.observed_at, age_ms: s.age_ms };
  }
  return out;
}

function lineFilter(query: URLSearchParams): (line: LogLine) => boolean {
  const units = query.getAll('unit');
  const severities = query.getAll('sev');
  return (line) => (units.length === 0 || units.includes(line.unit ?? '')) && (severities.length === 0 || severities.includes(line.sev));
}

/** Listens on a unix socket and puts it in place in one step. Rejects when it cannot. */
export async function listenOn(
  server: http.Server,
  socket: string,
  access: { readonly mode: number; readonly group: string | null },
): Promise<RunningServer> {
  const name = await prepareSocket(socket);
  await new Promise<void>((resolve, reject) => {
    const refused = (error: Error): void =>
      reject(new Error(`${socket}: no socket can be made there (${errnoOf(error) ?? error.message})`, { cause: error }));
    server.once('error', refused);
    server.listen(name, () => {
      server.off('error', refused);
      resolve();
    });
  });
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  try {
    const gid = access.group === null ? null : await groupId(access.group);
    const published = await publishSocket(socket, { mode: access.mode, gid });
    return {
      holder: published.holder,
      close: async () => {
        await published.withdraw();
        await close();
      },
    };
  } catch (error) {
    // A listener that nobody can find would keep the process alive.
    await close();
    throw error;
  }
}

/** Serves the status until closed. */
export async function serveStatus(options: StatusServerOptions): Promise<RunningServer> {
  // Whoever sends half a request must not hold its place for long.
  const server = http.createServer({
    keepAliveTimeout: 30_000,
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 2_000,
  });
  const admitted = admission(server, options.limits ?? { streams: MAX_STREAMS, connections: MAX_CONNECTIONS });
  const status = new StatusServer(options, admitted);
  server.on('request', (req, res) => {
    if (admitted.hasPlace(req.socket)) status.handle(req, res);
    else sendError(res, 503, 'busy', 'too many connections; try again', { 'retry-after': '1', connection: 'close' });
  });
  return listenOn(server, options.socket, { mode: 0o660, group: STATUS_GROUP });
}
