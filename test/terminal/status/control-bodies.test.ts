/** Bodies that the control socket must refuse by name, and one that arrives in pieces. */
import net from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parsePolicy } from '#status/policy.ts';
import { serveControl } from '#supervisor/control.ts';
import { run } from '#system/run.ts';
import { atEnd } from '../../support/at-end.ts';
import { tempDir } from '../../support/temp.ts';

async function control() {
  const socket = path.join(tempDir(), 'control.sock');
  const audited: string[] = [];
  const server = await serveControl({
    socket,
    policy: async () => parsePolicy('{"actions":["power.cancel"]}'),
    ports: { run: (argv, options) => run(['echo', ...argv], options), remove: async () => undefined },
    monoMs: () => performance.now(),
    audit: (text) => audited.push(text),
  });
  atEnd(() => server.close());
  return { socket, audited };
}

/** One request whose body goes out in the given pieces, a moment apart; the whole answer as text. */
function post(socket: string, pieces: readonly (string | Buffer)[]): Promise<string> {
  const sizeBytes = pieces.reduce((n, p) => n + Buffer.byteLength(p), 0);
  return new Promise((resolve) => {
    const s = net.connect(socket);
    let answer = '';
    s.on('data', (data) => {
      answer += data.toString();
    });
    s.on('error', () => undefined);
    s.on('close', () => resolve(answer));
    s.write(`POST /v1/actions/power.cancel HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${sizeBytes}\r\n\r\n`);
    pieces.forEach((piece, i) => {
      setTimeout(() => s.write(piece), i * 60);
    });
  });
}

it.each([
  ['a number as token', '{"confirm_token":1}', 400, 'confirm_token is not a text'],
  ['a list as token', '{"confirm_token":[]}', 400, 'confirm_token is not a text'],
  ['an object as typed text', '{"typed":{}}', 400, 'typed is not a text'],
  ['bytes that are no UTF-8', Buffer.from('{"args":{},"x":"\xff"}', 'latin1'), 400, 'the body is not UTF-8'],
  ['a body that is too large', `{"x":"${'y'.repeat(17_000)}"}`, 413, 'larger than 16384 bytes'],
  ['many bytes in few characters', `{"x":"${'\u20ac'.repeat(6000)}"}`, 413, 'larger than 16384 bytes'],
])('%s is refused and gives no token', async (_name, body, status, words) => {
  const { socket, audited } = await control();
  const answer = await post(socket, [body]);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toContain(words);
  expect(answer).not.toContain('"confirm_token":"');
  expect(audited).toEqual([]);
});

it('a character that is cut between two pieces arrives whole', async () => {
  const { socket } = await control();
  const body = Buffer.from('{"args":{"\u00e9":"x"}}');
  const cut = body.indexOf(0xc3) + 1;
  expect(await post(socket, [body.subarray(0, cut), body.subarray(cut)])).toContain('takes no \u00e9');
});
