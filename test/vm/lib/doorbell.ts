/** Asks a port of a machine again and again from the host, and keeps every time that nothing answered after the first answer. */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Vm } from './qemu.ts';

const EVERY_MS = 1000;
/** For an emulated machine on a busy host. Refused or cut off counts at once. */
const PATIENCE_MS = 60_000;

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

const ask = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, timeout: PATIENCE_MS, agent: false }, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
      response.once('error', (error) => resolve(error.message));
    });
    request.once('timeout', () => request.destroy(new Error('no answer in time')));
    request.once('error', (error) => resolve(error.message));
  });

export class Doorbell {
  readonly missed: string[] = [];
  isOpen = false;
  #isClosed = false;

  /** @throws Error when QEMU does not forward the port */
  static async open(vm: Vm, guestPort: number): Promise<Doorbell> {
    const port = await freePort();
    await vm.qmp('human-monitor-command', { 'command-line': `hostfwd_add n0 tcp:127.0.0.1:${port}-:${guestPort}` });
    const bell = new Doorbell();
    void bell.#ring(port);
    return bell;
  }

  async #ring(port: number): Promise<void> {
    while (!this.#isClosed) {
      const said = await ask(port);
      if (this.#isClosed) return;
      if (said === '200') this.isOpen = true;
      else if (this.isOpen) this.missed.push(`${new Date().toISOString().slice(11, 19)} ${said}`);
      await pause(EVERY_MS);
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}
