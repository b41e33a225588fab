/** The real console on a pseudo terminal, and a status socket that says what a test wants it to say. */
import fs from 'node:fs';
import path from 'node:path';
import type { SectionData, SectionName } from '#model/status.ts';
import { LogRing } from '#status/log-ring.ts';
import { OPEN_POLICY } from '#status/policy.ts';
import { serveStatus } from '#status/server.ts';
import { type Clock, type Observation, StatusStore } from '#status/store.ts';
import { serveControl } from '#supervisor/control.ts';
import { bundleArgv, REPO } from '../../support/program.ts';
import { HEALTHY_DATA } from '../../support/status-fixtures.ts';
import { Pty, type PtyOptions } from './pty.ts';

/** SPATIUM_BIN names another executable; `bundle` asks for the bundle although there is one. */
export function consoleProgram(): string[] {
  const named = process.env['SPATIUM_BIN'];
  if (named === 'bundle') return bundleArgv('dev-console.mjs');
  const file = named ?? path.join(REPO, 'dist/spatium-console');
  if (!fs.existsSync(file)) return bundleArgv('dev-console.mjs');
  return path.basename(file) === 'spatium-console' ? [file] : [file, 'console'];
}

export interface ConsoleOptions extends Partial<Omit<PtyOptions, 'argv'>> {
  readonly socket: string;
  readonly args?: readonly string[];
}

export function startConsole({ socket, args = [], term = 'xterm', ...rest }: ConsoleOptions): Pty {
  return new Pty({ argv: [...consoleProgram(), '--socket', socket, ...args], term, ...rest });
}

export const realClock: Clock = { now: () => new Date().toISOString(), monoMs: () => performance.now() };

/** A status socket with a healthy box behind it, observed again every half second until `pause`. `absent` sections do not apply. */
export async function statusStand(socket: string, absent: readonly SectionName[] = []) {
  const names = Object.keys(HEALTHY_DATA) as (keyof typeof HEALTHY_DATA)[];
  const now: Record<string, unknown> = Object.fromEntries(names.map((n) => [n, { state: 'ok', data: HEALTHY_DATA[n] }]));
  for (const name of ['storage', ...absent]) now[name] = { state: 'not_applicable' };
  const store = new StatusStore(realClock, Object.fromEntries(Object.keys(now).map((n) => [n, { ttlMs: 2000, source: 'test' }])));
  const observe = (): void => {
    // The one fact that is judged by the wall clock.
    now['supervisor'] = { state: 'ok', data: { ...HEALTHY_DATA.supervisor, loop_last_at: realClock.now() } };
    for (const [name, seen] of Object.entries(now)) store.observe(name as 'vitals', seen as Observation<SectionData['vitals']>);
  };
  observe();
  let timer: NodeJS.Timeout | null = setInterval(observe, 500);
  const log = new LogRing();
  const server = await serveStatus({ socket, store, log, clock: realClock, server: 'test', instance: String(Math.random()), pingMs: 500 });
  return {
    log,
    set: <K extends SectionName>(name: K, data: SectionData[K]): void => {
      now[name] = { state: 'ok', data };
      store.observe(name, { state: 'ok', data });
    },
    /** Nothing is observed any more, as when the supervisor hangs; the connection stays. */
    pause: (): void => {
      if (timer) clearInterval(timer);
      timer = null;
    },
    close: async (): Promise<void> => {
      if (timer) clearInterval(timer);
      await server.close();
    },
  };
}

/** A control socket beside a status socket; it plans every action and carries out none. Returns what ends it. */
export async function refusingControl(statusSocket: string): Promise<() => Promise<void>> {
  const refuse = () => Promise.reject(new Error('no action in a test'));
  const control = await serveControl({
    socket: path.join(path.dirname(statusSocket), 'control.sock'),
    policy: async () => OPEN_POLICY,
    ports: { run: refuse, remove: refuse },
    monoMs: realClock.monoMs,
    audit: () => undefined,
  });
  return () => control.close();
}
