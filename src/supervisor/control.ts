/** The control socket: root only. A first POST tells what would happen, a second one with its token does it. */

import http from 'node:http';
import { isRecord, parseJson } from '#model/json.ts';
import type { ActionList } from '#model/status.ts';
import { ACTIONS, type ActionArgs, type ActionSpec, actionNamed, argsFault } from '#status/action-catalogue.ts';
import { type ActionPorts, doneEvent, draftOf, perform, planOf, type Say } from '#status/action-run.ts';
import type { Policy } from '#status/policy.ts';
import { plainText } from '#status/sanitise.ts';
import { listenOn, type RunningServer, sendError, sendJson } from '#status/server.ts';
import { messageOf } from '#system/complain.ts';
import { findTool } from '#system/tools.ts';
import type { ActionWork, ActionWorks } from './actions/work.ts';
import { Confirmations } from './confirmations.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** Output that waits for a slow reader of an action. */
const MAX_BACKLOG_BYTES = 1024 * 1024;

export interface ControlOptions {
  readonly socket: string;
  /** Read for every request, so that a changed file counts at once. */
  readonly policy: () => Promise<Policy>;
  readonly ports: ActionPorts;
  /** Actions that are more than the commands of the catalogue. */
  readonly works?: ActionWorks;
  readonly monoMs: () => number;
  /** Said for every confirmed action. */
  readonly audit: (text: string) => void;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly msg: string;
}
type Body = { readonly ok: true; readonly value: Readonly<Record<string, unknown>> } | ({ readonly ok: false } & Refusal);

const badBody = (msg: string): Body => ({ ok: false, status: 400, code: 'bad_body', msg });

/** The text of some bytes; null: they are not UTF-8. */
function utf8Text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The JSON object of a request; {} for an empty body. Decoded whole: a character may lie across two chunks. */
async function bodyOf(req: http.IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES)
      return { ok: false, status: 413, code: 'too_large', msg: `the body is larger than ${MAX_BODY_BYTES} bytes` };
    chunks.push(chunk);
  }
  const text = utf8Text(Buffer.concat(chunks));
  if (text === null) return badBody('the body is not UTF-8');
  const value = text.trim() === '' ? {} : parseJson(text);
  if (!isRecord(value)) return badBody('the body is not a JSON object');
  // A token that was meant as one and cannot be one must not look like a question for a plan.
  const wrong = ['confirm_token', 'typed'].find((key) => !['undefined', 'string'].includes(typeof (value[key] ?? undefined)));
  return wrong === undefined ? { ok: true, value } : badBody(`${wrong} is not a text`);
}

/** The words of an action: texts only. null: not an object of texts. */
function argsOf(body: Readonly<Record<string, unknown>>): ActionArgs | null {
  const args = body['args'] ?? {};
  if (!isRecord(args)) return null;
  const entries = Object.entries(args);
  return entries.every(([, v]) => typeof v === 'string') ? Object.fromEntries(entries as [string, string][]) : null;
}

const headerText = (req: http.IncomingMessage, name: string, fallback: string): string =>
  plainText(String(req.headers[name] ?? fallback)).slice(0, 40);

/** Words for the audit line; a secret one is left out. */
const wordsOf = (spec: ActionSpec, args: ActionArgs): string =>
  spec.args.flatMap((a) => (a.secret ? [] : [` ${a.name}=${plainText(args[a.name] ?? '')}`])).join('');

class Control {
  readonly #options: ControlOptions;
  readonly #confirmations: Confirmations;
  #busy: string | null = null;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#confirmations = new Confirmations(options.monoMs);
  }

  #work(spec: ActionSpec): ActionWork {
    return this.#options.works?.[spec.name] ?? {};
  }

  /** Why an action cannot be done on this box now. */
  async #obstacle(spec: ActionSpec): Promise<string | null> {
    if (spec.tool !== null && (await findTool(spec.tool)) === null) return `${spec.tool} is not installed`;
    const work = this.#work(spec);
    if (work.obstacle) return work.obstacle();
    return work.run || spec.steps.length > 0 || spec.place === 'console' ? null : 'this supervisor cannot do it';
  }

  async #list(policy: Policy): Promise<ActionList> {
    const allowed = ACTIONS.filter((a) => policy.actions.includes(a.name));
    const listed = allowed.map(async (spec) => {
      const { name, title, destructive } = spec;
      const why = await this.#obstacle(spec);
      const choices = why === null ? await this.#work(spec).choices?.() : undefined;
      return { name, title, key: null, destructive, why, choices: choices ?? null };
    });
    return { actions: await Promise.all(listed) };
  }

  async handle(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    const policy = await this.#options.policy();
    if (pathname === '/v1/actions' && req.method === 'GET') return sendJson(res, 200, await this.#list(policy));
    const name = /^\/v1\/actions\/([a-z0-9_.]+)$/.exec(pathname)?.[1];
    if (name === undefined) return sendError(res, 404, 'not_found', `no ${pathname} here; there is /v1/actions/NAME`);
    if (req.method !== 'POST') return sendError(res, 405, 'method_not_allowed', 'actions are asked for with POST', { allow: 'POST' });
    const spec = actionNamed(name);
    if (!spec) return sendError(res, 404, 'no_such_action', `there is no action ${name}`);
    if (!policy.actions.includes(spec.name))
      return sendError(res, 403, 'not_allowed', `${name} is not allowed by the policy of this image`);
    const body = await bodyOf(req);
    if (!body.ok) return sendError(res, body.status, body.code, body.msg);
    const args = argsOf(body.value);
    const fault = args === null ? 'args is not an object of texts' : argsFault(spec, args);
    if (args === null || fault !== null) return sendError(res, 400, 'bad_args', fault ?? '');
    const why = await this.#obstacle(spec);
    if (why !== null) return sendError(res, 409, 'not_possible', why);
    if (!spec.confirmed) return this.#do(spec, args, res);
    await this.#confirmed(spec, args, body.value, req, res);
  }

  /** Without a token it plans; with one it acts. */
  async #confirmed(
    spec: ActionSpec,
    args: ActionArgs,
    body: Readonly<Record<string, unknown>>,
    req: http.IncomingMessage,
    res: http.ServerResponse,
  ): Promise<void> {
    const token = body['confirm_token'];
    const what = JSON.stringify([spec.name, ...spec.args.map((a) => args[a.name])]);
    if (typeof token !== 'string') {
      const draft = await (this.#work(spec).draft?.(args) ?? draftOf(spec, this.#options.ports));
      if (!draft.ok) return sendError(res, 409, 'not_possible', draft.why);
      return sendJson(res, 200, planOf(spec, args, draft, this.#confirmations.issue(what, draft.typedConfirm)));
    }
    const typed = typeof body['typed'] === 'string' ? body['typed'] : null;
    if (!this.#confirmations.redeem(what, token, typed))
      return sendError(res, 409, 'not_confirmed', 'the confirmation is not valid any more, or not what had to be typed; ask again');
    if (this.#busy !== null) return sendError(res, 409, 'busy', `${this.#busy} is still running`);
    this.#busy = spec.name;
    const who = headerText(req, 'x-spatium-admin', '');
    const by = who === '' ? '' : ` by ${who}`;
    this.#options.audit(`${spec.name}${wordsOf(spec, args)} confirmed on ${headerText(req, 'x-spatium-tty', 'unknown terminal')}${by}`);
    try {
      await this.#do(spec, args, res);
    } finally {
      this.#busy = null;
    }
  }

  async #do(spec: ActionSpec, args: ActionArgs, res: http.ServerResponse): Promise<void> {
    const left = new AbortController();
    res.on('close', () => left.abort());
    res.writeHead(200, { 'content-type': 'application/x-ndjson' });
    res.flushHeaders();
    const say: Say = (event) => {
      // A log is faster than a reader now and then; what it cannot take is not kept for it.
      if (event.t === 'done' || res.writableLength < MAX_BACKLOG_BYTES) res.write(`${JSON.stringify(event)}\n`);
    };
    const work = this.#work(spec);
    try {
      await (work.run ? work.run(args, say, left.signal) : perform(spec, this.#options.ports, say));
    } catch (error) {
      say(doneEvent(null, messageOf(error)));
    } finally {
      res.end();
    }
  }
}

/** Serves actions until closed. */
export function serveControl(options: ControlOptions): Promise<RunningServer> {
  const control = new Control(options);
  const server = http.createServer({ requestTimeout: 10_000 }, (req, res) => {
    control.handle(req, res).catch((error: unknown) => {
      const msg = messageOf(error);
      if (res.headersSent) res.end();
      else sendError(res, 500, 'failed', msg);
    });
  });
  return listenOn(server, options.socket, { mode: 0o600, group: null });
}
