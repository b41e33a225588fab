/**
 * A day in less than a minute: 24 hours of a box with its incidents through the store, the judge, the real socket and a client, at
 * more than a thousand times its pace. Prints one JSON line: the heap after garbage collection at every quarter, and what was sent.
 * Run as `node --expose-gc test/bench/soak.ts`, or `npm run bench -- soak`.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { SectionData, SectionName } from '#model/status.ts';
import { followStatus } from '#status/client.ts';
import { type ClientModel, clientVerdict } from '#status/client-model.ts';
import { LogRing } from '#status/log-ring.ts';
import { serveStatus } from '#status/server.ts';
import { StatusStore } from '#status/store.ts';
import { EMPTY_MEMORY } from '#status/verdict.ts';
import { podsData } from '#supervisor/collectors/cluster-sections.ts';
import { disk, HEALTHY_DATA, pod } from '../support/status-fixtures.ts';

const HOURS = Number(process.env['SOAK_HOURS'] ?? 24);
const STEP_S = 5;
const HOUR_S = 3600;
const START_MS = Date.parse('2026-11-30T00:00:00Z');

let simulatedMs = 0;
const clock = { now: () => new Date(START_MS + simulatedMs).toISOString(), monoMs: () => simulatedMs };

const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error('run with --expose-gc');

/** The same numbers at every run. */
let seed = 7;
const random = (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

/** Pods come and go with new names, as deployments do; some crash for a while. */
function podsAt(s: number): SectionData['pods'] {
  const generation = Math.floor(s / 900);
  return podsData(
    Array.from({ length: 40 }, (_, i) => {
      const isBad = i === generation % 40 && s % 900 > 700;
      return pod(`worker-${i}-${i % 4 === 0 ? generation : 0}`, {
        restarts: Math.floor(s / 7200),
        ...(isBad ? { state: 'CrashLoopBackOff', severity: 'critical', severity_code: 'state', ready: 0 } : {}),
      });
    }),
  );
}

const vitalsAt = (): SectionData['vitals'] => ({ ...HEALTHY_DATA.vitals, cpu_pct: Math.round(1000 * random()) / 10, load1: random() });

const disksAt = (s: number): SectionData['disks'] => ({ mounts: [disk('/', 40), disk('/var', 80 + 12 * Math.sin(s / 5000))] });

/** Of this moment: the supervisor that is observed goes on looking. */
const healthyAt = (name: keyof typeof HEALTHY_DATA): unknown =>
  name === 'supervisor' ? { ...HEALTHY_DATA.supervisor, loop_last_at: clock.now() } : HEALTHY_DATA[name];

/** What two consoles see; the first also judges. */
function watch(socket: string) {
  const seen = { frames: 0, logLines: 0, levels: new Set<string>(), lost: 0, lastHour: null as string | null };
  let memory = EMPTY_MEMORY;
  const onModel = (model: ClientModel): void => {
    seen.lastHour = model.serverNow?.at ?? null;
    seen.frames += 1;
    const judged = clientVerdict(model, clock.monoMs(), memory);
    memory = judged.memory;
    seen.levels.add(judged.verdict.level);
  };
  const follow = (onEach: (model: ClientModel) => void) =>
    followStatus({
      socket,
      monoMs: clock.monoMs,
      now: clock.now,
      minIntervalMs: 0,
      onModel: onEach,
      onLink: (l) => {
        if (l.state === 'lost') seen.lost += 1;
      },
      onLog: () => {
        seen.logLines += 1;
      },
    });
  const clients = [follow(onModel), follow(() => undefined)];
  const stop = (): void => {
    for (const client of clients) client.stop();
  };
  return { seen, stop };
}

async function main(): Promise<void> {
  const socket = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-soak-')), 's.sock');
  const names = Object.keys(HEALTHY_DATA) as (keyof typeof HEALTHY_DATA)[];
  const info = { ttlMs: 120_000, source: 'soak' };
  const store = new StatusStore(clock, { ...Object.fromEntries(names.map((n) => [n, info])), storage: info });
  const log = new LogRing();
  const server = await serveStatus({ socket, store, log, clock, server: 'soak', instance: 'soak' });
  const { seen, stop } = watch(socket);
  const observe = <K extends SectionName>(name: K, data: SectionData[K]): void => store.observe(name, { state: 'ok', data });
  const heaps: number[] = [];
  const startedMs = performance.now();
  for (let s = 0; s <= HOURS * HOUR_S; s += STEP_S) {
    simulatedMs = s * 1000;
    observe('vitals', vitalsAt());
    if (s % 10 === 0) observe('pods', podsAt(s));
    if (s % 60 === 0) store.observe('storage', { state: 'not_applicable' });
    if (s % 30 === 0) observe('disks', disksAt(s));
    if (s % 60 === 0) for (const n of names) if (!['vitals', 'pods', 'disks'].includes(n)) observe(n, healthyAt(n) as never);
    for (let i = 0; i < 2; i += 1)
      log.add({ at: clock.now(), src: 'journal', unit: 'k3s', sev: 'info', text: `line ${i} at ${s} ${'x'.repeat(60)}` });
    if (s % 60 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    if (s % ((HOURS * HOUR_S) / 8) === 0) {
      collect?.();
      heaps.push(process.memoryUsage().heapUsed);
    }
  }
  const tookS = (performance.now() - startedMs) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 200));
  const result = {
    factor: Math.round((HOURS * HOUR_S) / tookS),
    took_s: Math.round(tookS * 10) / 10,
    heaps_mib: heaps.map((b) => Math.round((b / 1024 ** 2) * 100) / 100),
    frames: seen.frames,
    log_lines: seen.logLines,
    levels: [...seen.levels].sort(),
    lost: seen.lost,
    remembered: Object.keys(store.memory.seen).length,
    last_hour: seen.lastHour,
  };
  stop();
  await server.close();
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

await main();
