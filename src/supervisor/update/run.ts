/** One run of the updater: settle what an earlier one left, look at what is published, and carry it through or say why not. */
import type { KeyObject } from 'node:crypto';
import type { PanelReply, ReleaseManifest } from '#model/pull.ts';
import { sha256Of } from '#system/part-file.ts';
import { type Decision, decide } from './decide.ts';
import { type DownloadPorts, download } from './download.ts';
import { type ProbePorts, placeVersion, probeVersion } from './install.ts';
import { readManifest } from './manifest.ts';
import { activate, type SettlePorts, settle, type Verdict } from './settle.ts';
import { type BadRelease, type LastUpdate, withBad } from './state.ts';

export interface UpdatePorts {
  readonly settle: SettlePorts;
  readonly probe: ProbePorts;
  readonly download: DownloadPorts;
  readonly askManifest: () => Promise<PanelReply>;
  readonly keys: readonly KeyObject[];
  readonly channel: string;
  /** What a manifest's path is relative to. */
  readonly panel: string;
  /** The image's own program, which runs while no version is installed. */
  readonly imageProgram: string;
  /** What that program says of itself; null when it cannot be run. */
  readonly imageVersion: () => Promise<string | null>;
  readonly isApplying: () => Promise<boolean>;
  readonly freeBytes: () => Promise<number>;
  readonly note: (text: string) => void;
}

export const EXIT = { done: 0, failed: 1, later: 75 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a run, and keeps what it came to. A refusal that was told already is not told again. */
async function conclude(ports: UpdatePorts, last: Omit<LastUpdate, 'at'>, bad?: Omit<BadRelease, 'at'>): Promise<ExitCode> {
  const { store, now } = ports.settle;
  const state = await store.load();
  const old = state.last;
  const isKnown = bad === undefined && old?.version === last.version && old.outcome === last.outcome && old.why === last.why;
  if (isKnown) return EXIT.done;
  const at = now();
  const next = { ...state, last: { ...last, at } };
  await store.save(bad === undefined ? next : withBad(next, { ...bad, at }));
  ports.note(`${last.version}: ${last.why}`);
  return EXIT.failed;
}

function tell(verdict: Verdict, ports: UpdatePorts): ExitCode {
  switch (verdict.kind) {
    case 'none':
      return EXIT.done;
    case 'installed':
      ports.note(`version ${verdict.version} runs`);
      return EXIT.done;
    case 'rolled_back':
      ports.note(`version ${verdict.version} was taken back: ${verdict.why}`);
      return EXIT.failed;
  }
}

/** The published manifest with a good signature; otherwise how this run ends. */
async function published(ports: UpdatePorts): Promise<ReleaseManifest | ExitCode> {
  const reply = await ports.askManifest();
  if (reply.kind === 'failed') {
    ports.note(`the panel cannot be asked: ${reply.message}`);
    return EXIT.later;
  }
  if (reply.status === 404 || reply.status === 204) {
    ports.note(`nothing is published on channel ${ports.channel}`);
    return EXIT.done;
  }
  if (reply.status !== 200) {
    ports.note(`the panel answers ${reply.status} for channel ${ports.channel}`);
    return EXIT.later;
  }
  const read = readManifest(reply.body, ports.keys);
  if (read.ok) return read.manifest;
  return conclude(ports, { version: 'manifest', outcome: 'refused', why: read.why });
}

async function judge(manifest: ReleaseManifest, ports: UpdatePorts): Promise<Decision> {
  const { store, runningVersion } = ports.settle;
  const current = await store.current();
  const program = current === null ? ports.imageProgram : store.programOf(current);
  const version = current ?? (await ports.imageVersion()) ?? 'unknown';
  return decide(manifest, {
    running: await runningVersion(),
    installed: { version, sha256: await sha256Of(program) },
    state: await store.load(),
    channel: ports.channel,
    isApplying: await ports.isApplying(),
    freeBytes: await ports.freeBytes(),
  });
}

async function install(manifest: ReleaseManifest, ports: UpdatePorts, signal: AbortSignal): Promise<ExitCode> {
  const { version, sha256 } = manifest;
  const { store } = ports.settle;
  const url = new URL(manifest.url, ports.panel);
  ports.note(`loading ${version}, ${(manifest.size / 1e6).toFixed(0)} MB`);
  const loaded = await download(store.versionsDir, { version, url, sizeBytes: manifest.size, sha256 }, ports.download, signal);
  if (loaded.kind === 'later') {
    ports.note(`${version} is not loaded: ${loaded.why}`);
    return EXIT.later;
  }
  if (loaded.kind === 'failed') return conclude(ports, { version, outcome: 'failed', why: loaded.why });
  const program = await placeVersion(store, version, loaded.file);
  const probe = await probeVersion(program, version, ports.probe);
  if (probe.kind === 'later') {
    ports.note(`${version} is not tried: ${probe.why}`);
    return EXIT.later;
  }
  if (probe.kind === 'bad') {
    const code = await conclude(ports, { version, outcome: 'refused', why: probe.why }, { version, sha256, reason: 'self_check' });
    await store.prune([await store.current(), ...(await store.load()).installed.map((i) => i.version)]);
    return code;
  }
  // The download took its time; a configuration may have come meanwhile.
  if (await ports.isApplying()) {
    ports.note(`${version} is loaded; a configuration is being applied, so it waits`);
    return EXIT.later;
  }
  return tell(await activate({ version, sha256, over: await ports.imageVersion() }, ports.settle), ports);
}

/** The whole run. The lock is the caller's. Rejects when the signal comes; everything is then as `settle` and the boot step expect it. */
export async function runUpdate(ports: UpdatePorts, signal: AbortSignal): Promise<ExitCode> {
  const { store } = ports.settle;
  await store.prepare();
  const settled = await settle(ports.settle);
  if (settled.kind !== 'none') return tell(settled, ports);
  const manifest = await published(ports);
  if (typeof manifest === 'number') return manifest;
  const decision = await judge(manifest, ports);
  switch (decision.act) {
    case 'nothing':
      ports.note(decision.why);
      return EXIT.done;
    case 'later':
      ports.note(decision.why);
      return EXIT.later;
    case 'restart': {
      ports.note(`${decision.why}; restarting it`);
      return (await ports.settle.restart()) === null ? EXIT.done : EXIT.failed;
    }
    case 'refuse':
      // How it failed is worth more than that it is not tried again, and was told.
      if (decision.code === 'bad' && (await store.load()).last?.version === manifest.version) return EXIT.done;
      return conclude(ports, { version: manifest.version, outcome: 'refused', why: decision.why });
    case 'install':
      return install(manifest, ports, signal);
  }
}
