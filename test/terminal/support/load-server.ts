/** A status socket that is more than a console should have to bear: load-server.ts KIND SOCKET. Says once a second what it sent. */
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { sectionsOf } from '../../support/status-fixtures.ts';

const [kind = 'quiet', socket = ''] = process.argv.slice(2);
/** Just below the largest frame that a reader takes. */
const FRAME_BYTES = 1024 * 1024 - 4096;
const FRAME_EVERY_MS = 250;
const sent = { lines: 0, frames: 0 };

const verdict = { level: 'HEALTHY', reasons: [], unknown_sections: [], computed_at: new Date().toISOString() };

function frame(seq: number, filler: string): string {
  const now = new Date().toISOString();
  const sections = sectionsOf({ supervisor: { loop_last_at: now } });
  const head = seq === 1 ? { t: 'snapshot', seq, schema: 1, server: 'load', instance: 'i', now, verdict } : { t: 'patch', seq, now };
  return `${JSON.stringify({ ...head, sections, filler })}\n`;
}

function stream(res: http.ServerResponse): void {
  let seq = 0;
  const filler = kind === 'frames' ? 'x'.repeat(FRAME_BYTES - frame(1, '').length) : '';
  const send = (): void => {
    if (res.writableLength > 2 * FRAME_BYTES) return;
    seq += 1;
    sent.frames += 1;
    res.write(frame(seq, filler));
  };
  send();
  const timer = setInterval(send, FRAME_EVERY_MS);
  res.on('close', () => clearInterval(timer));
}

/** As many lines as the reader takes. */
function flood(res: http.ServerResponse): void {
  const more = (): void => {
    if (res.closed) return;
    let goesOn = true;
    while (goesOn) {
      let part = '';
      for (let i = 0; i < 500; i += 1) {
        sent.lines += 1;
        part += `{"t":"log","id":${sent.lines},"at":"2026-11-30T15:55:53Z","src":"journal","unit":"noise","sev":"info","text":"line ${sent.lines} of many, long enough to be one"}\n`;
      }
      goesOn = res.write(part);
    }
    res.once('drain', () => setImmediate(more));
  };
  more();
}

const onRequest = (req: http.IncomingMessage, res: http.ServerResponse): void => {
  res.writeHead(200, { 'content-type': 'application/x-ndjson' });
  res.flushHeaders();
  if (req.url?.startsWith('/v1/stream')) stream(res);
  else if (req.url?.startsWith('/v1/log') && kind === 'flood') flood(res);
};

/** Bytes without end that are no protocol: HTTP at first, then anything. */
function garbage(connection: net.Socket): void {
  connection.on('error', () => undefined);
  connection.once('data', () => {
    connection.write('HTTP/1.1 200 OK\r\n\r\n{"t":"snapshot","seq":1,"schema":1,"sections":{"vitals":7},"now":"\x1b[2J"}\n');
    const noise = Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i * 7919) % 256));
    const more = (): void => {
      while (!connection.destroyed && connection.write(noise));
    };
    connection.on('drain', more);
    more();
  });
}

fs.rmSync(socket, { force: true });
const server = kind === 'garbage' ? net.createServer(garbage) : http.createServer(onRequest);
server.listen(socket, () => process.stdout.write('ready\n'));
setInterval(() => process.stdout.write(`${JSON.stringify(sent)}\n`), 1000).unref();
process.on('SIGTERM', () => process.exit(0));
