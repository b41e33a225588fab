/** A panel of plain HTTP that does what a test says. */
import http from 'node:http';
import type net from 'node:net';
import type { PanelReply, PanelRequest, StatusReport } from '#model/pull.ts';

export type Behaviour = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** Plain HTTP, and only as much of a panel as this needs; the real one has tests of its own. */
export class TinyPanel {
  reports: StatusReport[] = [];
  polls = 0;
  behave: Behaviour | null = null;
  #version = 0;
  #body = '';
  #server: http.Server | null = null;
  port = 0;

  set(config: unknown): number {
    this.#version += 1;
    this.#body = JSON.stringify({ schema: 1, kind: 'lb', device_id: 'd1', version: this.#version, poll_seconds: 2, config });
    return this.#version;
  }

  async start(): Promise<void> {
    const server = http.createServer((request, response) => this.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as net.AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    if (request.method === 'POST') {
      let text = '';
      request.on('data', (part) => {
        text += part;
      });
      request.on('end', () => {
        this.reports.push(JSON.parse(text));
        response.writeHead(204).end();
      });
      return;
    }
    this.polls += 1;
    if (this.behave !== null) {
      this.behave(request, response);
      return;
    }
    const tag = `"v${this.#version}"`;
    if (request.headers['if-none-match'] === tag) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'application/json', etag: tag }).end(this.#body);
  }
}

/** Asks it as the panel client asks a panel. */
export const ask =
  (panel: TinyPanel) =>
  ({ method, path: target, headers, body }: PanelRequest): Promise<PanelReply> =>
    new Promise((resolve) => {
      const fail = (fault: 'unreachable' | 'timeout' | 'cut', error: Error) => resolve({ kind: 'failed', fault, message: error.message });
      const request = http.request(
        { host: '127.0.0.1', port: panel.port, method, path: target, headers: { ...headers }, timeout: 1500 },
        (response) => {
          let text = '';
          response.on('data', (part) => {
            text += part;
          });
          response.on('error', (error) => fail('cut', error));
          response.on('end', () =>
            resolve({ kind: 'reply', status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body: text }),
          );
        },
      );
      request.on('timeout', () => request.destroy(new Error('no answer in time')));
      request.on('error', (error) => fail('unreachable', error));
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
