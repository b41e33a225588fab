/** A panel on the host, and the load balancer that a machine becomes by it. The machine reaches the host as 10.0.2.2. */
import fs from 'node:fs';
import path from 'node:path';
import type { StatusReport } from '#model/pull.ts';
import { mintToken } from '../../panel/records.ts';
import { type Panel, startPanel } from '../../panel/server.ts';

export const HOST = '10.0.2.2';
const KIND = 'lb';

/** One listener that passes everything on to one server. */
export const balancer = (listen: { address: string; port: number }, server: { address: string; port: number }): unknown => ({
  listeners: [{ name: 'web', ...listen, default_backend: 'app' }],
  backends: [{ name: 'app', servers: [{ name: 'one', ...server }] }],
});

export class PanelLab {
  readonly dir: string;
  readonly panel: Panel;
  /** For the serial number of one machine, once. */
  readonly token: string;
  /** One line for each request since the test emptied it. */
  readonly seen: string[];

  private constructor(dir: string, panel: Panel, token: string, seen: string[]) {
    this.dir = dir;
    this.panel = panel;
    this.token = token;
    this.seen = seen;
  }

  static async open(dir: string, config: unknown): Promise<PanelLab> {
    fs.mkdirSync(path.join(dir, 'config'), { recursive: true });
    fs.writeFileSync(path.join(dir, 'config', `${KIND}.json`), JSON.stringify(config));
    const seen: string[] = [];
    const panel = await startPanel({ dir, log: (line) => seen.push(line) });
    return new PanelLab(dir, panel, await mintToken(panel.records, KIND, panel.pin), seen);
  }

  /** Into the root of an installed system. An image of a panel of its own brings this file; here the port is known only now. */
  settle(root: string): void {
    const settings = { kind: KIND, panel: `https://${HOST}:${this.panel.port}`, pins: [] };
    fs.writeFileSync(path.join(root, 'usr/lib/spatiumddi/pull.json'), JSON.stringify(settings));
  }

  /** The last report of each device. */
  reports(): StatusReport[] {
    const at = path.join(this.dir, 'status');
    if (!fs.existsSync(at)) return [];
    const names = fs.readdirSync(at).filter((name) => /^[^.].*\.json$/.test(name));
    return names.map((name) => JSON.parse(fs.readFileSync(path.join(at, name), 'utf8')) as StatusReport);
  }

  /** What makes a machine the one that the token was made for. */
  hardware(uuid: string): string[] {
    return ['-smbios', `type=1,serial=${this.token},uuid=${uuid}`];
  }

  close(): Promise<void> {
    return this.panel.close();
  }
}
