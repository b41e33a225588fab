/** A box with real programs as releases, real processes as the service and a real server; only systemd is not there. */
import fs from 'node:fs';
import type https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { byteSource } from '#supervisor/update/byte-source.ts';
import { DOWNLOAD_LIMITS } from '#supervisor/update/download.ts';
import { watchHealth } from '#supervisor/update/health.ts';
import { panelManifest } from '#supervisor/update/panel-manifest.ts';
import { readReady } from '#supervisor/update/ready.ts';
import { runUpdate, type UpdatePorts } from '#supervisor/update/run.ts';
import { runningVersion } from '#supervisor/update/service.ts';
import { VersionStore } from '#supervisor/update/store.ts';
import { run } from '#system/run.ts';
import { ChildService } from '../../support/child-service.ts';
import { KEYS, type Manner, type Publisher, program, startPublisher } from './releases.ts';

const LIMITS = { windowMs: 1500, startMs: 4000, slowMs: 4000, everyMs: 100, silentMs: 1000 };
export const none = new AbortController().signal;

export class Box {
  readonly dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-upd-'));
  readonly said: string[] = [];
  readonly publisher: Publisher;
  readonly store: VersionStore;
  readonly service: ChildService;
  isApplying = false;
  /** For the whole manifest, milliseconds. */
  wholeMs = 5000;

  private constructor(publisher: Publisher) {
    this.publisher = publisher;
    fs.mkdirSync(path.join(this.dir, 's'));
    fs.writeFileSync(path.join(this.dir, 'image'), program('1.0.0', 'good'), { mode: 0o755 });
    this.store = new VersionStore({ agent: path.join(this.dir, 'agent'), state: path.join(this.dir, 'update.json') });
    this.service = new ChildService(path.join(this.dir, 'agent'), path.join(this.dir, 'image'), ['supervise', '--socket', this.socket], {
      ...process.env,
      SOCKET: this.socket,
    });
  }

  /** The image's own version runs. */
  static async start(): Promise<Box> {
    const box = new Box(await startPublisher());
    await box.service.start();
    await box.answers('1.0.0');
    return box;
  }

  get socket(): string {
    return path.join(this.dir, 's/status.sock');
  }

  async ports(signal: AbortSignal = none, panel = this.publisher.url, agent?: https.Agent): Promise<UpdatePorts> {
    const sleep = (ms: number): Promise<void> => pause(ms, undefined, { signal });
    const source = panelManifest({ panel, channel: 'stable', userAgent: 'test', agent, wholeMs: this.wholeMs });
    const note = (text: string): void => void this.said.push(text);
    const health = {
      service: this.service.port,
      runningVersion: () => runningVersion(this.socket),
      ready: () => readReady(path.join(this.dir, 's/agent-ready.json')),
      monoMs: () => performance.now(),
      sleep,
    };
    return {
      settle: {
        store: this.store,
        restart: this.service.port.restart,
        resetFailed: this.service.port.resetFailed,
        health: (version) => watchHealth(version, health, LIMITS),
        runningVersion: health.runningVersion,
        now: () => new Date().toISOString(),
      },
      probe: { run, sleep },
      download: {
        get: byteSource({ agentFor: source.agentFor, userAgent: 'test', headersMs: 5000 }),
        sleep: (ms, stop) => pause(Math.min(ms, 20), undefined, { signal: stop }),
        limits: DOWNLOAD_LIMITS,
        note,
      },
      askManifest: () => source.ask(signal),
      keys: [KEYS.publicKey],
      channel: 'stable',
      panel,
      imageProgram: path.join(this.dir, 'image'),
      imageVersion: async () => '1.0.0',
      isApplying: async () => this.isApplying,
      freeBytes: async () => 100e9,
      note,
    };
  }

  publish(version: string, manner: Manner): void {
    this.publisher.publish(version, Buffer.from(program(version, manner)));
  }

  async update(): Promise<number> {
    return runUpdate(await this.ports(), none);
  }

  /** Resolves when this version answers on the status socket. */
  async answers(version: string): Promise<void> {
    for (const untilMs = Date.now() + 10_000; (await runningVersion(this.socket)) !== version; await pause(50))
      if (Date.now() > untilMs) throw new Error(`${version} does not answer`);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.publisher.close();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}
