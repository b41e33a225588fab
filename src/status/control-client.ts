/** Asks the control socket for an action, and follows what it does. */

import http from 'node:http';
import { parseJson } from '#model/json.ts';
import { readShape } from '#model/shape.ts';
import { ACTION_EVENT, ACTION_LIST, ACTION_PLAN, type ActionEvent, type ActionList, type ActionPlan } from '#model/status.ts';
import type { ActionArgs } from './action-catalogue.ts';
import { getOnce, lineReader, MAX_FRAME_BYTES, reasonOf } from './pull.ts';
import { plainJson } from './sanitise.ts';

const PLAN_MS = 5_000;
/** Milliseconds as a rule; but the machine that somebody wants to restart is the one that is slow. */
const LIST_MS = 5_000;
/** Longer than any action's own time limit. */
const RUN_MS = 20 * 60_000;

export type PlanAnswer = { readonly ok: true; readonly plan: ActionPlan } | { readonly ok: false; readonly why: string };

export interface ControlTarget {
  readonly socket: string;
  /** Named in the audit line. */
  readonly tty: string;
  /** Administrator whose password was given; named in the audit line. */
  readonly admin?: string | null;
}

interface Exchange {
  readonly target: ControlTarget;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** For the whole exchange, however the bytes come; null: as long as it takes. */
  readonly timeoutMs: number | null;
  readonly onResponse: (res: http.IncomingMessage) => void;
  readonly onFail: (why: string) => void;
}

function post({ target, name, body, timeoutMs, onResponse, onFail }: Exchange): { stop(): void } {
  const req = http.request(
    {
      socketPath: target.socket,
      path: `/v1/actions/${name}`,
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'x-spatium-tty': target.tty,
        ...(target.admin ? { 'x-spatium-admin': target.admin } : {}),
      },
    },
    onResponse,
  );
  if (timeoutMs !== null) {
    const limit = setTimeout(() => {
      onFail(`no complete answer within ${timeoutMs / 1000} s`);
      req.destroy();
    }, timeoutMs);
    req.on('close', () => clearTimeout(limit));
  }
  req.on('error', (e: Error) => onFail(reasonOf(e)));
  req.end(JSON.stringify(body));
  return { stop: () => void req.destroy() };
}

function errorText(body: string, status: number | undefined): string {
  const v = plainJson(parseJson(body));
  const error = typeof v === 'object' && v !== null && 'error' in v ? v.error : null;
  const msg = typeof error === 'object' && error !== null && 'msg' in error ? error.msg : null;
  return typeof msg === 'string' ? msg : `the supervisor answers ${status ?? 'nothing'}`;
}

/** The whole answer; what is beyond the largest frame is not kept. */
function collect(res: http.IncomingMessage, onBody: (body: string) => void, onFail: (why: string) => void): void {
  let body = '';
  res.setEncoding('utf8');
  res.on('data', (part: string) => {
    if (body.length < MAX_FRAME_BYTES) body += part;
  });
  res.on('error', (e: Error) => onFail(reasonOf(e)));
  res.on('end', () => onBody(body));
}

/** What the policy allows, and what of it can be done now; null when nobody answers. */
export async function listActions(target: Pick<ControlTarget, 'socket'>): Promise<ActionList['actions'] | null> {
  const answer = await getOnce(target.socket, '/v1/actions', LIST_MS);
  const read = answer.ok ? readShape(ACTION_LIST, plainJson(parseJson(answer.body))) : null;
  return read?.ok ? read.value.actions : null;
}

/** What the action would do, with the token that confirms it. Changes nothing. */
export function planAction(target: ControlTarget, name: string, args: ActionArgs = {}): Promise<PlanAnswer> {
  return new Promise((resolve) => {
    const onFail = (why: string): void => resolve({ ok: false, why });
    const onResponse = (res: http.IncomingMessage): void => {
      const onBody = (body: string): void => {
        const plan = readShape(ACTION_PLAN, plainJson(parseJson(body)));
        if (res.statusCode === 200 && plan.ok) resolve({ ok: true, plan: plan.value });
        else onFail(errorText(body, res.statusCode));
      };
      collect(res, onBody, onFail);
    };
    post({ target, name, body: { args }, timeoutMs: PLAN_MS, onResponse, onFail });
  });
}

type OnEvent = (event: ActionEvent) => void;

/** Reads the events of an action; `done` comes exactly once, whatever happens. */
function eventReader(onEvent: OnEvent): { readonly onResponse: (res: http.IncomingMessage) => void; readonly end: (msg: string) => void } {
  let done = false;
  const finish: OnEvent = (event) => {
    if (done) return;
    done ||= event.t === 'done';
    onEvent(event);
  };
  const end = (msg: string): void => finish({ t: 'done', stream: null, line: null, rc: null, msg });
  const onResponse = (res: http.IncomingMessage): void => {
    if (res.statusCode !== 200) {
      collect(res, (body) => end(errorText(body, res.statusCode)), end);
      return;
    }
    const onLine = (text: string): void => {
      const event = readShape(ACTION_EVENT, plainJson(parseJson(text)));
      if (event.ok) finish(event.value);
    };
    res.on(
      'data',
      lineReader(MAX_FRAME_BYTES, onLine, () => res.destroy()),
    );
    res.on('error', (e: Error) => end(reasonOf(e)));
    res.on('close', () => end('the supervisor closed the connection'));
  };
  return { onResponse, end };
}

export interface Confirmed {
  readonly plan: ActionPlan;
  readonly args: ActionArgs;
  /** What the operator typed, where the plan wants that. */
  readonly typed: string | null;
}

/** Carries out a confirmed plan. The last event is `done`, whatever happens. */
export function runAction(target: ControlTarget, { plan, args, typed }: Confirmed, onEvent: OnEvent): void {
  const { onResponse, end } = eventReader(onEvent);
  const body = { confirm_token: plan.confirm_token, args, ...(typed === null ? {} : { typed }) };
  post({ target, name: plan.name, body, timeoutMs: RUN_MS, onResponse, onFail: end });
}

/** Follows an action that only reads, until it ends or is stopped. After `stop` nothing more is said. */
export function followAction(target: ControlTarget, name: string, args: ActionArgs, onEvent: OnEvent): { stop(): void } {
  let stopped = false;
  const { onResponse, end } = eventReader((event) => {
    if (!stopped) onEvent(event);
  });
  const { stop } = post({ target, name, body: { args }, timeoutMs: null, onResponse, onFail: end });
  return {
    stop: () => {
      stopped = true;
      stop();
    },
  };
}
