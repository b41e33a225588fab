/** Checks of what a socket must refuse, and survive. */
import fs from 'node:fs';
import net from 'node:net';
import { type Check, expect, fits, isRefusal, parse } from './check.ts';
import { ask, follow, until } from './talk.ts';

const isAlive = async (socket: string): Promise<boolean> => (await ask(socket, '/v1/status').catch(() => null))?.status === 200;

const unknownPath: Check = {
  id: 'unknown-path',
  title: 'an unknown path is 404, with the reason in JSON',
  async run(socket) {
    for (const path of ['/', '/v1', '/v1/nothing', '/v2/status', '/v1/status/', '/v1/..%2fstatus']) {
      const r = await ask(socket, path);
      expect(r.status === 404, `GET ${path} answers ${r.status}, not 404`);
      isRefusal(r.body, `GET ${path}`);
    }
  },
};

const method: Check = {
  id: 'method',
  title: 'another method than GET is 405, with Allow and the reason in JSON',
  async run(socket) {
    for (const [verb, path] of [
      ['POST', '/v1/status'],
      ['PUT', '/v1/status'],
      ['DELETE', '/v1/stream'],
      ['POST', '/v1/log'],
    ] as const) {
      const r = await ask(socket, path, { method: verb });
      expect(r.status === 405, `${verb} ${path} answers ${r.status}, not 405`);
      expect((r.headers.allow ?? '').includes('GET'), `${verb} ${path}: no Allow header with GET`);
      isRefusal(r.body, `${verb} ${path}`);
    }
  },
};

const query: Check = {
  id: 'query',
  title: 'nonsense in a query is ignored or refused with 400, never an end',
  async run(socket) {
    const words = ['abc', '-1', '1e99', '', '9'.repeat(400), '%00', 'NaN'];
    for (const path of words.flatMap((w) => [`/v1/log?since_id=${w}`, `/v1/log?limit=${w}`, `/v1/status?x=${w}`])) {
      const { status } = await ask(socket, path);
      expect(status === 200 || status === 400, `GET ${path.slice(0, 60)} answers ${status}`);
    }
    const s = follow(socket, '/v1/stream?min_interval_ms=abc');
    await until(() => s.status() !== null, 5_000);
    s.close();
    expect(s.status() === 200 || s.status() === 400, `min_interval_ms=abc answers ${s.status() ?? 'nothing'}`);
  },
};

/** Sends bytes and waits until the other side has had enough of them, three seconds at most. */
function shout(socket: string, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const c = net.connect(socket, () => c.write(bytes, 'latin1'));
    const end = (): void => {
      clearTimeout(limit);
      c.destroy();
      resolve();
    };
    const limit = setTimeout(end, 3_000);
    c.on('close', end);
    c.on('error', () => undefined);
    c.resume();
  });
}

const garbage: Check = {
  id: 'garbage',
  title: 'it survives clients that speak nonsense',
  async run(socket) {
    const shouts = [
      '\x00\xff\x00\xff\r\n\r\n',
      'x'.repeat(200_000),
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      `GET /v1/status HTTP/1.1\r\n${'x: y\r\n'.repeat(5_000)}\r\n`,
      'GET /v1/status HTTP/9.9\r\n\r\n',
      'GET http://[ HTTP/1.1\r\nhost: x\r\n\r\n',
      'GET //\\ HTTP/1.1\r\nhost: x\r\n\r\n',
      'POST /v1/status HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\nabc',
    ];
    for (const s of shouts) {
      await shout(socket, s);
      expect(await isAlive(socket), `no snapshot after ${JSON.stringify(s.slice(0, 40))}`);
    }
  },
};

const many: Check = {
  id: 'many',
  title: 'thirty-two streams at once are served, and a snapshot beside them',
  async run(socket) {
    const streams = Array.from({ length: 32 }, () => follow(socket, '/v1/stream'));
    try {
      const isServed = await until(() => streams.every((s) => s.lines.length > 0), 10_000);
      const silent = streams.filter((s) => s.lines.length === 0);
      expect(isServed, `${silent.length} of 32 got nothing (status ${silent[0]?.status() ?? 'none'})`);
      for (const s of streams) fits('frame', parse(s.lines[0]?.text ?? '', 'a first frame'), 'a first frame');
      const r = await ask(socket, '/v1/status');
      expect(r.status === 200 && r.tookMs < 2_000, `a snapshot beside them: ${r.status} after ${Math.round(r.tookMs)} ms`);
    } finally {
      for (const s of streams) s.close();
    }
  },
};

const tooMany: Check = {
  id: 'too-many',
  title: 'with 300 streams each is served or refused in words, and a snapshot is still to be had',
  async run(socket) {
    const streams = Array.from({ length: 300 }, () => follow(socket, '/v1/stream'));
    try {
      const isAnswered = await until(() => streams.every((s) => s.status() !== null), 15_000);
      const unanswered = streams.filter((s) => s.status() === null).length;
      expect(isAnswered, `${unanswered} of 300 got no answer at all: refuse with 503 what is too much`);
      const odd = streams.find((s) => s.status() !== 200 && s.status() !== 503);
      expect(odd === undefined, `one got ${odd?.status() ?? '?'}, neither 200 nor 503`);
      expect(await isAlive(socket), 'no snapshot beside them');
    } finally {
      for (const s of streams) s.close();
    }
    expect(await until(() => isAlive(socket), 5_000), 'no snapshot after they had left');
  },
};

const mode: Check = {
  id: 'mode',
  title: 'the socket is not open to everybody',
  async run(socket) {
    const bits = fs.statSync(socket).mode & 0o777;
    expect((bits & 0o007) === 0, `its mode is ${bits.toString(8)}: others may connect`);
  },
};

export const REFUSAL_CHECKS: readonly Check[] = [unknownPath, method, query, garbage, many, tooMany, mode];
