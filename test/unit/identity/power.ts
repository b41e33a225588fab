/** Power cuts on order, for the crash models. */
import type { IdentityDeps } from '../../../src/supervisor/identity/deps.ts';
import type { Panel } from '../../panel/server.ts';
import type { Machine } from './support.ts';

/** The power is gone: whatever the process does after it has no effect. */
export class PowerCut extends Error {}

/** Counts what a process does to the world, and ends it before or after the nth such thing. */
export class Fuse {
  #done = 0;
  #isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';

  constructor(at: number, when: 'before' | 'after') {
    this.#at = at;
    this.#when = when;
  }

  get count(): number {
    return this.#done;
  }

  async around<T>(act: () => Promise<T>): Promise<T> {
    this.#check();
    this.#done++;
    if (this.#done === this.#at && this.#when === 'before') this.#blow();
    const value = await act();
    if (this.#done === this.#at && this.#when === 'after') this.#blow();
    this.#check();
    return value;
  }

  #check(): void {
    if (this.#isDead) throw new PowerCut('no power');
  }
  #blow(): never {
    this.#isDead = true;
    throw new PowerCut('no power');
  }
}

/** The machine's real parts, each of which may be the last thing that happens. A cut after a question loses the reply. */
export function fused(machine: Machine, panel: Panel, fuse: Fuse): Partial<IdentityDeps> {
  const deps = machine.deps(panel);
  return {
    store: {
      load: deps.store.load,
      save: (identity) => fuse.around(() => deps.store.save(identity)),
      standing: { load: deps.store.standing.load, save: (content) => fuse.around(() => deps.store.standing.save(content)) },
    },
    code: { read: deps.code.read, remove: () => fuse.around(deps.code.remove) },
    forgetOther: (id) => fuse.around(() => deps.forgetOther(id)),
    lookAt: (to) => fuse.around(() => deps.lookAt(to)),
    connect: (to, trust) => {
      const client = deps.connect(to, trust);
      return { ...client, ask: (request, signal) => fuse.around(() => client.ask(request, signal)) };
    },
  };
}
