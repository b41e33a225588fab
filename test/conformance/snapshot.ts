/** Checks of `GET /v1/status`. */
import http from 'node:http';
import { type Check, expect, fits, type Json, parse, type Sections } from './check.ts';
import { ask, until } from './talk.ts';

const LEVELS = ['CRITICAL', 'DEGRADED', 'UNKNOWN', 'HEALTHY'];

async function snapshot(socket: string): Promise<Json> {
  const r = await ask(socket, '/v1/status');
  expect(r.status === 200, `GET /v1/status answers ${r.status}, not 200`);
  return parse(r.body, 'GET /v1/status');
}

const schema: Check = {
  id: 'schema',
  title: 'the snapshot fits the published schema',
  async run(socket) {
    const r = await ask(socket, '/v1/status');
    expect(r.status === 200, `GET /v1/status answers ${r.status}, not 200`);
    expect((r.headers['content-type'] ?? '').includes('application/json'), `content-type is ${r.headers['content-type'] ?? 'missing'}`);
    fits(null, parse(r.body, 'GET /v1/status'), 'GET /v1/status');
  },
};

/** What a section may hold in each state. */
function stateFault(name: string, s: Json): string | null {
  const [state, data, error] = [s['state'], s['data'] ?? null, s['error'] ?? null];
  if (state === 'ok' && (data === null || s['observed_at'] === null || error !== null))
    return `${name} is ok without data or time, or with an error`;
  if (state === 'unavailable' && error === null) return `${name} is unavailable and does not say why`;
  if ((state === 'unknown' || state === 'not_applicable') && data !== null) return `${name} is ${String(state)} and has data`;
  if (typeof s['age_ms'] === 'number' && s['age_ms'] < 0) return `${name} has an age of ${s['age_ms']} ms`;
  return typeof s['ttl_ms'] === 'number' && s['ttl_ms'] > 0 ? null : `${name} has no time to live`;
}

const states: Check = {
  id: 'states',
  title: 'every section holds what its state says',
  async run(socket) {
    const sections = (await snapshot(socket))['sections'] as Sections;
    const faults = Object.entries(sections).flatMap(([name, s]) => stateFault(name, s) ?? []);
    expect(faults.length === 0, faults.join('; '));
  },
};

const verdict: Check = {
  id: 'verdict',
  title: 'the verdict is its worst reason, and no knowledge is no health',
  async run(socket) {
    const whole = await snapshot(socket);
    const v = whole['verdict'] as { level: string; reasons: readonly { level: string; section: string; text: string }[] };
    const ranks = v.reasons.map((r) => LEVELS.indexOf(r.level));
    expect(
      ranks.every((r, i) => i === 0 || r >= (ranks[i - 1] ?? 0)),
      'the reasons are not in order, worst first',
    );
    const worst = v.reasons[0]?.level ?? 'HEALTHY';
    expect(v.level === worst, `the level is ${v.level} and the worst reason ${worst}`);
    const known = Object.values(whole['sections'] as Sections).filter((s) => s['state'] === 'ok');
    expect(known.length > 0 || v.level !== 'HEALTHY', 'HEALTHY with no section known');
    expect(
      v.reasons.every((r) => r.text !== ''),
      'a reason has no text',
    );
  },
};

const etag: Check = {
  id: 'etag',
  title: 'an ETag that is known gives 304, until something was observed',
  async run(socket) {
    const first = await ask(socket, '/v1/status');
    const tag = String(first.headers.etag ?? '');
    expect(/^(W\/)?".+"$/.test(tag), `the ETag is ${tag || 'missing'}`);
    // The state may change between two requests, so one 304 in a few tries is asked for.
    let current = tag;
    const is304 = await until(async () => {
      const r = await ask(socket, '/v1/status', { headers: { 'if-none-match': `"other", ${current}` } });
      if (r.status === 304) expect(r.body === '', 'a 304 has a body');
      else expect(r.headers.etag !== current, 'the same ETag was answered with 200');
      current = String(r.headers.etag ?? current);
      return r.status === 304;
    }, 5_000);
    expect(is304, 'no 304 for the ETag that it has just sent');
    const isNew = await until(async () => (await ask(socket, '/v1/status', { headers: { 'if-none-match': tag } })).status === 200, 20_000);
    expect(isNew, 'the same ETag for 20 s: nothing was observed');
  },
};

const keepAlive: Check = {
  id: 'keep-alive',
  title: 'a connection serves more than one request',
  async run(socket) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 3; i += 1) expect((await ask(socket, '/v1/status', { agent })).status === 200, 'a later request was not answered');
    agent.destroy();
  },
};

export const SNAPSHOT_CHECKS: readonly Check[] = [schema, states, verdict, etag, keepAlive];
