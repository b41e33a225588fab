/** A poller on a clock and a panel of the test's, with a store in a fresh folder for every test. */
import fs from 'node:fs';
import { afterEach, beforeEach } from 'vitest';
import { type ConfigStore, openStore } from '#supervisor/apply/store.ts';
import { Poller } from '#supervisor/pull/poller.ts';
import { easyKind, FakeClock, FakeIdentity, storeFiles } from '../../support/pull-world.ts';
import { tempDir } from '../../support/temp.ts';

class PollerWorld {
  dir = '';
  clock = new FakeClock();
  identity = new FakeIdentity();
  store!: ConfigStore;
  poller!: Poller;
  storedCount = 0;
  refusals: string[] = [];

  /** Opens the store that is there, as another start of the agent does, and makes a poller for it. */
  async open(agentVersion = '1'): Promise<void> {
    this.store = await openStore({ dir: this.dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
    this.poller = new Poller({
      identity: this.identity,
      store: this.store,
      kind: easyKind('/nonexistent'),
      agentVersion,
      clock: this.clock,
      onStored: () => {
        this.storedCount += 1;
      },
      onRefused: (message) => this.refusals.push(message),
      onPolled: () => undefined,
    });
  }

  /** The agent ends and starts again; what it asked before is forgotten. */
  async restart(agentVersion?: string): Promise<void> {
    await this.poller.stop();
    await this.open(agentVersion);
    this.identity.requests.length = 0;
    this.poller.start();
  }

  /** What the questions said they have, in their order. */
  tags(): (string | undefined)[] {
    return this.identity.requests.map((r) => r.headers?.['if-none-match']);
  }
}

/** To be called once, at the top of a file. */
export function pollerWorld(): PollerWorld {
  const world = new PollerWorld();
  beforeEach(async () => {
    Object.assign(world, new PollerWorld(), { dir: tempDir() });
    await world.open();
  });
  afterEach(async () => {
    await world.poller.stop();
    fs.rmSync(world.dir, { recursive: true, force: true });
  });
  return world;
}
