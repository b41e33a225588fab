/** A panel to test against: real HTTPS on loopback, the whole wire of docs/panel-api.md, and faults on order. */
import type http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { isRecord } from '#model/json.ts';
import { ensureDir, readTextIfExists, writeAtomic } from '#system/files.ts';
import { type Answer, isAnswer, json } from './answer.ts';
import { Configs } from './configs.ts';
import { approval, authenticate, enrol, register, rotate, type Terms } from './enrol.ts';
import { type CertificateFault, FaultPlan, insteadOf, isInstead, type Route, send } from './faults.ts';
import { Guesses } from './guesses.ts';
import { PanelKeys } from './keys.ts';
import { type Device, RecordFile } from './records.ts';
import { fileAnswer, manifestAnswer } from './releases.ts';
import { StatusBook } from './status-book.ts';

export interface PanelOptions {
  readonly dir: string;
  /** 0: any free one. */
  readonly port?: number;
  /** One line a request, never a secret. */
  readonly log?: (line: string) => void;
  readonly nowMs?: () => number;
  /** A token needs an operator's yes, as a pairing code always does. */
  readonly needsApproval?: boolean;
}

export interface Panel {
  readonly url: string;
  readonly port: number;
  readonly pin: string;
  readonly records: RecordFile;
  readonly keys: PanelKeys;
  /** Bytes received on all connections after the TLS handshake. */
  readonly receivedBytes: () => number;
  readonly requests: () => readonly string[];
  /** Puts faults.json in place, and waits until it counts. */
  readonly faults: (plan: unknown) => Promise<void>;
  readonly close: () => Promise<void>;
}

const MAX_BODY_BYTES = 256 * 1024;
const FAULT_LOOK_MS = 200;
/** Node's own default is 5 s, which is also the usual time between two polls. */
const KEEP_ALIVE_MS = 20_000;

async function bodyOf(request: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

const SUPERVISOR = '/api/v1/appliance/supervisor/';

function routeOf(method: string, pathname: string): { route: Route; word: string } {
  if (pathname.startsWith(SUPERVISOR)) {
    const name = `${method} ${pathname.slice(SUPERVISOR.length)}`;
    const route = ({ 'POST register': 'pair', 'POST poll': 'approval', 'GET tls-pins': 'pins' } as const)[name];
    return { route: route ?? 'other', word: '' };
  }
  const [, v1, first = '', second = '', third = ''] = pathname.split('/');
  if (v1 !== 'v1') return { route: 'other', word: '' };
  if (method === 'POST' && second === '' && ['enroll', 'rotate'].includes(first)) return { route: first as Route, word: '' };
  if (method === 'GET' && first === 'releases')
    return second === 'files' ? { route: 'file', word: third } : { route: 'releases', word: second };
  if (method === 'GET' && second === 'config') return { route: 'config', word: first };
  if (method === 'POST' && second === 'status') return { route: 'status', word: first };
  return { route: 'other', word: '' };
}

class Server {
  readonly plan = new FaultPlan();
  readonly seen: string[] = [];
  readonly #options: PanelOptions;
  readonly #records: RecordFile;
  readonly #keys: PanelKeys;
  readonly #configs: Configs;
  readonly #statuses: StatusBook;
  readonly #guesses = new Guesses();

  constructor(options: PanelOptions, records: RecordFile, keys: PanelKeys) {
    this.#options = options;
    this.#records = records;
    this.#keys = keys;
    this.#configs = new Configs(options.dir, (text) => this.log(text));
    this.#statuses = new StatusBook(options.dir);
  }

  log(text: string): void {
    this.#options.log?.(`${new Date(this.#nowMs()).toISOString().slice(11, 19)} ${text}`);
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? Date.now();
  }

  async #device(bearer: string): Promise<Device | Answer> {
    return this.#records.change((r) => authenticate(r, bearer));
  }

  async #withDevice(bearer: string, kind: string, act: (device: Device) => Promise<Answer>): Promise<Answer> {
    const device = await this.#device(bearer);
    if (isAnswer(device)) return device;
    if (device.kind !== kind) return json(404, { message: `this device is a ${device.kind}` });
    const answer = await act(device);
    return { ...answer, note: `${device.device_id} ${answer.note ?? ''}`.trim() };
  }

  async #answer(request: http.IncomingMessage, route: Route, word: string, body: unknown): Promise<Answer> {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const terms: Terms = {
      nowMs: this.#nowMs(),
      needsApproval: this.#options.needsApproval ?? false,
      pinKey: this.#keys.caPublicKey,
    };
    switch (route) {
      case 'config':
        return this.#withDevice(bearer, word, (device) => this.#configs.answer(device, request.headers['if-none-match']));
      case 'status':
        return this.#withDevice(bearer, word, (device) => this.#statuses.take(device, body));
      case 'enroll':
        return this.#records.change((r) => enrol(r, bearer, body, terms));
      case 'pair':
        return this.#register(request, body, terms);
      case 'approval':
        return this.#records.change((r) => approval(r, bearer, terms));
      case 'rotate':
        return this.#rotate(bearer, body);
      case 'pins':
        return json(200, this.#keys.pinList(this.#nowMs()));
      case 'releases':
        return manifestAnswer(this.#options.dir, word);
      case 'file':
        return fileAnswer(this.#options.dir, word, request.headers.range, request.headers['if-range'] as string | undefined);
      case 'other':
        return json(404, { message: 'no such route' });
    }
  }

  async #register(request: http.IncomingMessage, body: unknown, terms: Terms): Promise<Answer> {
    const from = request.socket.remoteAddress ?? '';
    const waitMs = this.#guesses.waitMs(from, terms.nowMs);
    if (waitMs > 0)
      return json(429, { message: 'too many wrong codes came from there' }, { 'retry-after': String(Math.ceil(waitMs / 1000)) });
    const answer = await this.#records.change((r) => register(r, body, terms));
    if (answer.status === 401) this.#guesses.wrong(from, terms.nowMs);
    return answer;
  }

  #rotate(bearer: string, body: unknown): Promise<Answer> {
    return this.#records.change((r) => {
      const device = authenticate(r, bearer);
      return isAnswer(device) ? device : { ...rotate(device, body), note: device.device_id };
    });
  }

  async handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'https://panel');
    const method = request.method ?? '';
    const body = method === 'POST' ? await bodyOf(request) : undefined;
    if (pathname === '/_faults' && method === 'POST') {
      if (!isRecord(body)) {
        const message = 'the body is not a JSON object such as {"config": {"do": "hang"}}; {} takes all faults away';
        return void response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
      }
      const text = JSON.stringify(body);
      await writeAtomic(path.join(this.#options.dir, 'faults.json'), text);
      this.plan.load(text);
      return void response.writeHead(204).end();
    }
    await this.readFaults();
    const { route, word } = routeOf(method, pathname);
    const fault = this.plan.next(route);
    const answer = fault !== null && isInstead(fault) ? insteadOf(fault) : await this.#answer(request, route, word, body);
    const shown = answer === null ? 'no reply' : String(answer.status);
    this.seen.push(`${method} ${pathname} ${shown}${fault === null ? '' : ` ${fault.do}`}`);
    const tag = request.headers['if-none-match'];
    const details = [answer?.note, tag === undefined ? '' : `asked with ${tag}`, fault === null ? '' : `fault ${fault.do}`];
    this.log([method.padEnd(4), pathname.padEnd(18), shown, ...details.filter((d) => d)].join(' ').replace(/[^\x20-\x7e]/g, '?'));
    await send(response, answer, fault);
  }

  async readFaults(): Promise<void> {
    try {
      this.plan.load((await readTextIfExists(path.join(this.#options.dir, 'faults.json'))) ?? '');
    } catch (error) {
      this.log(`faults.json is not JSON, the last one counts: ${(error as Error).message}`);
    }
  }
}

/** Shows another certificate when the faults want one. Kept connections are ended, or nobody would see it. */
function certificateSwitch(server: https.Server, keys: PanelKeys): (which: CertificateFault) => void {
  let shown: CertificateFault = 'ok';
  return (which) => {
    if (which === shown) return;
    shown = which;
    const { keyPem, certPem } = keys.certificate(which);
    server.setSecureContext({ key: keyPem, cert: certPem });
    server.closeIdleConnections();
  };
}

/** Starts a panel on loopback. */
export async function startPanel(options: PanelOptions): Promise<Panel> {
  await ensureDir(path.join(options.dir, 'config'));
  const nowMs = options.nowMs ?? Date.now;
  const keys = await PanelKeys.open(options.dir, nowMs());
  const records = new RecordFile(options.dir);
  const panel = new Server(options, records, keys);
  await panel.readFaults();
  const own = keys.certificate('ok');
  const server = https.createServer({ key: own.keyPem, cert: own.certPem, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    panel.handle(request, response).catch((error: unknown) => {
      panel.log(`cannot answer: ${(error as Error).message}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const show = certificateSwitch(server, keys);
  const sockets = new Set<Socket>();
  let received = 0;
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  show(panel.plan.tls);
  const look = setInterval(() => void panel.readFaults().then(() => show(panel.plan.tls)), FAULT_LOOK_MS).unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    pin: keys.pin,
    records,
    keys,
    receivedBytes: () => received,
    requests: () => panel.seen,
    faults: async (plan) => {
      await writeAtomic(path.join(options.dir, 'faults.json'), JSON.stringify(plan));
      await panel.readFaults();
      show(panel.plan.tls);
    },
    close: () => {
      clearInterval(look);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
