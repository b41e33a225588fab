/** An appliance and a panel in one process: a clock that the test moves, an identity, and answers in a row. */
import type { IdentityPort, PanelReply, PanelRequest } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { storeFiles as realFiles, type StoreFiles } from '#supervisor/apply/files.ts';
import { type Daemon, good, type Kind } from '#supervisor/kinds/kind.ts';
import type { PullClock } from '#supervisor/pull/clock.ts';

/** Timers in order of their time; nothing happens until `run`. */
export class FakeClock implements PullClock {
  nowMs = 0;
  wallOffsetMs = Date.parse('2026-11-30T00:00:00Z');
  chance = 0.5;
  #timers = new Map<number, { readonly atMs: number; readonly work: () => void }>();
  #next = 0;

  readonly monoMs = (): number => this.nowMs;
  readonly wallMs = (): number => this.wallOffsetMs + this.nowMs;
  readonly random = (): number => this.chance;
  readonly after = (ms: number, work: () => void): (() => void) => {
    const id = this.#next++;
    this.#timers.set(id, { atMs: this.nowMs + ms, work });
    return () => void this.#timers.delete(id);
  };

  get pending(): number {
    return this.#timers.size;
  }

  /** Lets `ms` go by, with everything that falls due, and with what that sets off. */
  async run(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      await settle();
      const due = [...this.#timers].filter(([, t]) => t.atMs <= endMs).sort((a, b) => a[1].atMs - b[1].atMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.nowMs = Math.max(this.nowMs, due[1].atMs);
      due[1].work();
    }
    this.nowMs = endMs;
    await settle();
  }
}

let busy = 0;

const counted =
  <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    busy += 1;
    try {
      return await work(...args);
    } finally {
      busy -= 1;
    }
  };

/** The real files; the clock stands still while they are at work. */
export const storeFiles: StoreFiles = {
  read: counted(realFiles.read),
  write: counted(realFiles.write),
  link: counted(realFiles.link),
  readLink: counted(realFiles.readLink),
  rename: counted(realFiles.rename),
  remove: counted(realFiles.remove),
  list: counted(realFiles.list),
  makeDir: counted(realFiles.makeDir),
  sweep: counted(realFiles.sweep),
};

/** Until nothing happens any more without time going by. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 4; quiet = busy === 0 ? quiet + 1 : 0) await new Promise((resolve) => setImmediate(resolve));
}

export const reply = (status: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}): PanelReply => ({
  kind: 'reply',
  status,
  headers: status === 200 ? { 'content-type': 'application/json', ...headers } : headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

export const envelope = (version: number, more: Readonly<Record<string, unknown>> = {}) => ({
  schema: 1,
  kind: 'lb',
  device_id: 'd1',
  version,
  config: {},
  ...more,
});

export class FakeIdentity implements IdentityPort {
  secret: Secret | null = new Secret('spd_secret_of_the_device');
  id: string | null = 'd1';
  readonly requests: PanelRequest[] = [];
  readonly statuses: number[] = [];
  /** Set by the test: what is answered next; the last one stays. */
  answers: ((request: PanelRequest) => PanelReply | Promise<PanelReply>)[] = [];
  #listeners = new Set<() => void>();

  readonly state = () => (this.secret === null ? ('enrolling' as const) : ('active' as const));
  readonly deviceId = () => this.id;
  readonly credential = () => this.secret;
  readonly noteStatus = async (status: number) => void this.statuses.push(status);
  readonly onChange = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  change(): void {
    for (const listener of this.#listeners) listener();
  }
  readonly ask = async (request: PanelRequest): Promise<PanelReply> => {
    this.requests.push(request);
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    return answer ? answer(request) : reply(503);
  };
}

/** Takes every configuration but `{"bad": true}`. */
export const easyKind = (emptyDir: string): Kind => ({
  kind: 'lb',
  unit: 'model.service',
  emptyDir,
  prepare: (config) =>
    (config as { bad?: boolean }).bad
      ? { ok: false, message: 'bad: wanted no such key' }
      : {
          ok: true,
          prepared: {
            files: () => [{ name: 'c', text: JSON.stringify(config), mode: 0o600 }],
            expected: [],
            listens: [],
            secrets: [],
            notices: () => [],
          },
        },
});

export const easyDaemon: Daemon = {
  check: async () => good,
  reload: async () => good,
  state: async () => ({ isActive: true, mainPid: 1, restarts: 0 }),
  probe: async () => good,
  version: async () => '1',
};
