/** The control socket: root only. A first POST tells what would happen, a second one with its token does it. */
import http from 'node:http';
import { ACTIONS, type ActionSpec, actionNamed } from '#status/action-catalogue.ts';
import { type ActionPorts, perform, planOf } from '#status/action-run.ts';
import type { Policy } from '#status/policy.ts';
import { plainText } from '#status/sanitise.ts';
import { listenOn, type RunningServer, sendError, sendJson } from '#status/server.ts';
import { Confirmations } from './confirmations.ts';

const MAX_BODY_BYTES = 16 * 1024;

export interface ControlOptions {
  readonly socket: string;
  /** Read for every request, so that a changed file counts at once. */
  readonly policy: () => Promise<Policy>;
  readonly ports: ActionPorts;
  readonly monoMs: () => number;
  /** Said for every confirmed action. */
  readonly audit: (text: string) => void;
}

/** The JSON object of a request; {} for an empty body, null for anything else. */
async function bodyOf(req: http.IncomingMessage): Promise<Record<string, unknown> | null> {
  let text = '';
  for await (const chunk of req) {
    text += String(chunk);
    if (text.length > MAX_BODY_BYTES) return null;
  }
  if (text.trim() === '') return {};
  try {
    const v: unknown = JSON.parse(text);
    return typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

class Control {
  readonly #options: ControlOptions;
  readonly #confirmations: Confirmations;
  #busy: string | null = null;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#confirmations = new Confirmations(options.monoMs);
  }

  async handle(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    const policy = await this.#options.policy();
    if (pathname === '/v1/actions' && req.method === 'GET') {
      const actions = ACTIONS.filter((a) => policy.actions.includes(a.name));
      const listed = actions.map(({ name, title, destructive }) => ({ name, title, key: null, destructive }));
      sendJson(res, 200, { actions: listed });
      return;
    }
    const name = /^\/v1\/actions\/([a-z0-9_.]+)$/.exec(pathname)?.[1];
    if (name === undefined) return sendError(res, 404, 'not_found', `no ${pathname} here; there is /v1/actions/NAME`);
    if (req.method !== 'POST') return sendError(res, 405, 'method_not_allowed', 'actions are asked for with POST', { allow: 'POST' });
    const spec = actionNamed(name);
    if (!spec) return sendError(res, 404, 'no_such_action', `there is no action ${name}`);
    if (!policy.actions.includes(spec.name))
      return sendError(res, 403, 'not_allowed', `${name} is not allowed by the policy of this image`);
    const body = await bodyOf(req);
    if (body === null) return sendError(res, 400, 'bad_body', 'the body is not a JSON object');
    await this.#act(spec, body, req, res);
  }

  async #act(spec: ActionSpec, body: Record<string, unknown>, req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const token = body['confirm_token'];
    if (typeof token !== 'string') return sendJson(res, 200, planOf(spec, this.#confirmations.issue(spec.name)));
    if (!this.#confirmations.redeem(spec.name, token))
      return sendError(res, 409, 'not_confirmed', 'the confirmation is not valid any more; ask again');
    if (this.#busy !== null) return sendError(res, 409, 'busy', `${this.#busy} is still running`);
    this.#busy = spec.name;
    const tty = plainText(String(req.headers['x-spatium-tty'] ?? 'unknown terminal')).slice(0, 40);
    this.#options.audit(`${spec.name} confirmed on ${tty}`);
    res.writeHead(200, { 'content-type': 'application/x-ndjson' });
    try {
      await perform(spec, this.#options.ports, (event) => res.write(`${JSON.stringify(event)}\n`));
    } finally {
      this.#busy = null;
      res.end();
    }
  }
}

/** Serves actions until closed. */
export function serveControl(options: ControlOptions): Promise<RunningServer> {
  const control = new Control(options);
  const server = http.createServer({ requestTimeout: 10_000 }, (req, res) => {
    control.handle(req, res).catch((error: unknown) => {
      const msg = error instanceof Error ? error.message : String(error);
      if (res.headersSent) res.end();
      else sendError(res, 500, 'failed', msg);
    });
  });
  return listenOn(server, options.socket, { mode: 0o600, group: null });
}
