/** A machine in a temporary folder: SMBIOS, STATE, the real identity store, and a real panel beside it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PATHS } from '../../../src/model/limits.ts';
import type { PullSettings } from '../../../src/model/pull.ts';
import type { IdentityDeps } from '../../../src/supervisor/identity/deps.ts';
import { IdentityKeeper } from '../../../src/supervisor/identity/keeper.ts';
import { codeFile } from '../../../src/supervisor/identity/open.ts';
import { identityStore } from '../../../src/supervisor/identity/store.ts';
import { panelClient } from '../../../src/supervisor/panel/client.ts';
import { presentedLeaf } from '../../../src/supervisor/panel/trust.ts';
import type { Panel } from '../../panel/server.ts';
import { atEnd } from '../../support/at-end.ts';
import { tempDir } from '../../support/temp.ts';
import { BUILT_AT_MS } from '../panel/support.ts';

export const UUID = '11223344-5566-7788-99aa-bbccddeeff00';
export const OTHER_UUID = 'deadbeef-0000-4000-8000-000000000001';

export class Machine {
  readonly root = tempDir();
  readonly lines: string[] = [];
  readonly forgotten: string[] = [];
  nowMs = Date.now();
  random = 0.5;

  constructor(uuid = UUID) {
    mkdirSync(path.join(this.root, 'sys/class/dmi/id'), { recursive: true });
    mkdirSync(path.join(this.root, PATHS.state), { recursive: true });
    this.uuid(uuid);
    this.serial('');
  }

  uuid(text: string): void {
    writeFileSync(path.join(this.root, 'sys/class/dmi/id/product_uuid'), `${text}\n`);
  }
  serial(text: string): void {
    writeFileSync(path.join(this.root, 'sys/class/dmi/id/product_serial'), `${text}\n`);
  }
  code(text: string | null): void {
    const file = path.join(this.root, PATHS.state, 'pairing-code');
    if (text === null) rmSync(file, { force: true });
    else writeFileSync(file, `${text}\n`, { mode: 0o600 });
  }
  get file(): string {
    return path.join(this.root, PATHS.pullIdentity, 'identity.json');
  }
  stored(): Record<string, unknown> {
    return JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, unknown>;
  }

  deps(panel: Panel | string, more: Partial<IdentityDeps> = {}, settings: Partial<PullSettings> = {}): IdentityDeps {
    const url = typeof panel === 'string' ? panel : panel.url;
    return {
      settings: { kind: 'lb', panel: url, pins: [], ...settings },
      store: identityStore(path.join(this.root, PATHS.pullIdentity)),
      root: this.root,
      code: codeFile(this.root),
      agentVersion: '1.2.3',
      clock: { wallMs: () => this.nowMs, monoMs: () => this.nowMs, sleep: async () => undefined },
      random: () => this.random,
      log: (line) => void this.lines.push(line),
      forgetOther: async (id) => void this.forgotten.push(id),
      connect: (to, trust) => {
        const client = panelClient({ panel: to, trust, userAgent: 'spatium/test', builtAtMs: BUILT_AT_MS, nowMs: Date.now });
        atEnd(() => client.close());
        return client;
      },
      lookAt: (to) => presentedLeaf(new URL(to), 2000),
      isVerificationOff: false,
      ...more,
    };
  }

  async keeper(panel: Panel | string, more: Partial<IdentityDeps> = {}, settings: Partial<PullSettings> = {}): Promise<IdentityKeeper> {
    const keeper = new IdentityKeeper(this.deps(panel, more, settings));
    await keeper.open();
    return keeper;
  }

  /** Does one step, then lets the time pass that it asks for. */
  async step(keeper: IdentityKeeper): Promise<number> {
    const ms = await keeper.step();
    this.nowMs += ms;
    return ms;
  }
}

/** One poll as the loop would make it. */
export async function poll(keeper: IdentityKeeper): Promise<number | string> {
  const bearer = keeper.credential();
  if (bearer === null) return 'no credential';
  const reply = await keeper.ask({ method: 'GET', path: '/v1/lb/config', bearer });
  if (reply.kind === 'failed') return reply.fault;
  await keeper.noteStatus(reply.status);
  return reply.status;
}
