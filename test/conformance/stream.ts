/** Checks of `GET /v1/stream` and `GET /v1/log`. */
import { type Check, expect, fits, type Json, parse, type Sections } from './check.ts';
import { ask, follow, pause, type Stream, until } from './talk.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
/** "At least every 5 s", and a second for a machine that is busy. */
const PING_LIMIT_MS = 6_000;

const frames = (s: Stream): Json[] => s.lines.map((l, i) => parse(l.text, `frame ${i + 1}`));

/** Runs a check over one stream and always closes it. */
async function over(socket: string, path: string, use: (s: Stream) => Promise<void>): Promise<void> {
  const s = follow(socket, path);
  try {
    expect(await until(() => s.lines.length > 0, 5_000), `${path}: nothing within 5 s (status ${s.status() ?? 'none'})`);
    await use(s);
  } finally {
    s.close();
  }
}

/** `seq` of every frame from that of the snapshot on; a ping repeats the last. */
function withoutGaps(all: readonly Json[]): void {
  expect(all[0]?.['t'] === 'snapshot', `the first frame is ${String(all[0]?.['t'])}, not a snapshot`);
  let seq = Number(all[0]?.['seq']);
  for (const [i, f] of all.entries()) {
    if (i > 0 && f['t'] !== 'ping') seq += 1;
    expect(f['seq'] === seq, `frame ${i + 1} (${String(f['t'])}) has seq ${String(f['seq'])}, not ${seq}`);
  }
}

const stream: Check = {
  id: 'stream',
  title: 'a stream is a snapshot and then frames that fit the schema, without gaps, none over 1 MiB',
  run: (socket) =>
    over(socket, '/v1/stream?min_interval_ms=0', async (s) => {
      expect((s.headers()['content-type'] ?? '').includes('ndjson'), `content-type is ${s.headers()['content-type'] ?? 'missing'}`);
      await until(() => s.lines.length >= 12, 8_000);
      const all = frames(s);
      withoutGaps(all);
      for (const [i, f] of all.entries()) fits('frame', f, `frame ${i + 1}`);
      const large = s.lines.find((l) => Buffer.byteLength(l.text) > MAX_FRAME_BYTES);
      expect(large === undefined, 'a frame is larger than 1 MiB');
    }),
};

/** The sections that a reader holds after these frames. */
function applied(all: readonly Json[]): Record<string, Json> {
  let sections: Record<string, Json> = {};
  for (const f of all) {
    const sent = (f['sections'] ?? {}) as Sections;
    sections = f['t'] === 'snapshot' ? { ...sent } : { ...sections, ...sent };
    for (const [name, age] of Object.entries((f['observed'] ?? {}) as Sections)) {
      expect(sections[name] !== undefined, `observed names ${name}, which was never sent`);
      sections[name] = { ...sections[name], ...age };
    }
  }
  return sections;
}

const agrees: Check = {
  id: 'agrees',
  title: 'whoever follows the stream knows what a snapshot says',
  run: (socket) =>
    over(socket, '/v1/stream?min_interval_ms=0', async (s) => {
      await pause(3_000);
      const snapshot = parse((await ask(socket, '/v1/status')).body, 'GET /v1/status')['sections'] as Sections;
      await pause(1_000);
      const held = applied(frames(s));
      expect(
        Object.keys(snapshot).every((n) => n in held),
        'the stream lacks sections that the snapshot has',
      );
      // A section that was observed again in between is another reading.
      const same = Object.entries(snapshot).filter(
        ([n, x]) => x['observed_at'] === held[n]?.['observed_at'] && x['state'] === held[n]?.['state'],
      );
      const other = same.filter(([n, x]) => JSON.stringify(x['data']) !== JSON.stringify(held[n]?.['data'])).map(([n]) => n);
      expect(other.length === 0, `the same reading differs between stream and snapshot: ${other.join(', ')}`);
    }),
};

const ping: Check = {
  id: 'ping',
  title: 'a stream is never silent for long, whatever interval was asked for',
  run: (socket) =>
    over(socket, '/v1/stream?min_interval_ms=60000', async (s) => {
      expect(await until(() => s.lines.length >= 2, PING_LIMIT_MS), `nothing for ${PING_LIMIT_MS / 1000} s`);
      withoutGaps(frames(s));
    }),
};

const interval: Check = {
  id: 'interval',
  title: 'patches come no faster than was asked for',
  run: (socket) =>
    over(socket, '/v1/stream?min_interval_ms=2000', async (s) => {
      await pause(7_000);
      const times = s.lines.filter((l) => l.text.includes('"t":"patch"')).map((l) => l.atMs);
      const gaps = times.slice(1).map((t, i) => t - (times[i] ?? 0));
      // Timers of both ends are not exact.
      expect(
        gaps.every((g) => g >= 1_800),
        `two patches ${Math.round(Math.min(...gaps))} ms apart, 2000 were asked for`,
      );
    }),
};

const slow: Check = {
  id: 'slow',
  title: 'a reader that stops reading holds nobody up, and afterwards goes on without a gap',
  run: (socket) =>
    over(socket, '/v1/stream?min_interval_ms=0', async (s) => {
      s.pause();
      for (let i = 0; i < 10; i += 1) {
        const r = await ask(socket, '/v1/status');
        expect(r.status === 200 && r.tookMs < 1_000, `a snapshot took ${Math.round(r.tookMs)} ms while another reader slept`);
        await pause(300);
      }
      s.resume();
      // It may have been let go; what it got is whole all the same.
      await until(() => s.lines.length >= 3 || s.isClosed(), PING_LIMIT_MS);
      withoutGaps(frames(s));
    }),
};

const ids = (lines: readonly Json[]): number[] => lines.filter((l) => l['t'] === 'log').map((l) => Number(l['id']));
const isRising = (list: readonly number[]): boolean => list.every((id, i) => i === 0 || id > (list[i - 1] ?? 0));

const log: Check = {
  id: 'log',
  title: 'the log is lines that fit the schema with rising numbers, and ends unless it is followed',
  async run(socket) {
    const r = await ask(socket, '/v1/log?limit=50');
    expect(r.status === 200, `GET /v1/log answers ${r.status}`);
    const lines = r.body.split('\n').filter((l) => l !== '');
    expect(lines.length <= 50, `${lines.length} lines, 50 were asked for`);
    const all = lines.map((l, i) => parse(l, `log line ${i + 1}`));
    for (const [i, l] of all.entries()) fits('log_line', l, `log line ${i + 1}`);
    expect(isRising(ids(all)), 'the numbers do not rise');
    const last = ids(all).at(-1) ?? 0;
    const later = (await ask(socket, `/v1/log?since_id=${last}`)).body.split('\n').filter((l) => l !== '');
    expect(
      later.every((l) => Number(parse(l, 'a log line')['id']) > last),
      `since_id=${last} gives lines of before`,
    );
  },
};

const logFollow: Check = {
  id: 'log-follow',
  title: 'a followed log stays open and is never silent for long',
  async run(socket) {
    const s = follow(socket, '/v1/log?follow=1&limit=1');
    try {
      // The first may be a line of before; what matters is that something comes later.
      await until(() => s.status() !== null, 5_000);
      expect(s.status() === 200, `GET /v1/log?follow=1 answers ${s.status() ?? 'nothing'}`);
      const before = s.lines.length;
      expect(await until(() => s.lines.length > before, PING_LIMIT_MS), `nothing for ${PING_LIMIT_MS / 1000} s`);
      expect(!s.isClosed(), 'it was closed');
      expect(isRising(ids(frames(s))), 'the numbers do not rise');
    } finally {
      s.close();
    }
  },
};

export const STREAM_CHECKS: readonly Check[] = [stream, agrees, ping, interval, slow, log, logFollow];
