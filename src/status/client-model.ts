/** What a reader of the status socket knows, as a pure function of the frames it got. */

import { isRecord } from '#model/json.ts';
import { readShape } from '#model/shape.ts';
import type { Section, SectionData, SectionName, Sections, Verdict, VerdictReason } from '#model/status.ts';
import { ENVELOPE, OBSERVED, REASON, SECTION_NAMES, SECTION_SHAPES, STATUS_SCHEMA, VERDICT } from '#model/status.ts';
import type { PodsData } from '#model/status-cluster.ts';
import { complete } from './complete.ts';
import { inOurForm } from './foreign-form.ts';
import { type View, viewOf } from './freshness.ts';
import { plainJson } from './sanitise.ts';
import { readerVerdict, unreadableVerdict, type VerdictMemory } from './verdict.ts';

export interface ClientModel {
  readonly server: string | null;
  readonly instance: string | null;
  /** null before the first snapshot. */
  readonly seq: number | null;
  readonly sections: Sections;
  /** Monotonic time each section was received, milliseconds. */
  readonly receivedMs: Readonly<Record<string, number>>;
  readonly verdict: Verdict | null;
  /** The server's wall clock and when it said so; its clock may differ from ours. */
  readonly serverNow: { readonly at: string; readonly atMs: number } | null;
  readonly lastFrameMs: number | null;
}

export const EMPTY_MODEL: ClientModel = {
  server: null,
  instance: null,
  seq: null,
  sections: {},
  receivedMs: {},
  verdict: null,
  serverNow: null,
  lastFrameMs: null,
};

export type Applied = { readonly ok: true; readonly model: ClientModel } | { readonly ok: false; readonly why: string };

/** The order is what a screen shows of a long list, so no server is trusted with it. */
const SEVERITIES = ['critical', 'warning', 'pending'];
function worstFirst(pods: PodsData): PodsData {
  const rank = (severity: string): number => (SEVERITIES.includes(severity) ? SEVERITIES.indexOf(severity) : SEVERITIES.length);
  return { ...pods, list: [...pods.list].sort((a, b) => rank(a.severity) - rank(b.severity)) };
}

/** A section whose data does not fit its shape is unavailable, not an error of the whole stream. */
function readSection(name: SectionName, value: unknown, now: string): Section<unknown> | null {
  const envelope = readShape(ENVELOPE, value);
  if (!envelope.ok || !isRecord(value)) return null;
  const { state, error, ...rest } = envelope.value;
  if (value['data'] === null || value['data'] === undefined) return { ...rest, state, error, data: null };
  const data = readShape(SECTION_SHAPES[name], inOurForm(name, value['data']));
  if (data.ok) {
    const whole = complete(name, data.value as SectionData[SectionName], now);
    return { ...rest, state, error, data: name === 'pods' ? worstFirst(whole as PodsData) : whole };
  }
  return {
    ...rest,
    state: 'unavailable',
    error: { code: 'bad_data', msg: `${data.path === '' ? '' : `${name}.${data.path}: `}expected ${data.wanted}` },
    data: null,
  };
}

function readSections(value: unknown, now: string): Sections {
  if (!isRecord(value)) return {};
  const out: Record<string, Section<unknown>> = {};
  for (const name of SECTION_NAMES) {
    if (value[name] === undefined) continue;
    const section = readSection(name, value[name], now);
    if (section) out[name] = section;
  }
  return out as Sections;
}

const textOr = <T>(value: unknown, other: T): string | T => (typeof value === 'string' ? value : other);

/** A reason whose words do not all fit is still a reason; its `since` is empty when it has none. */
function readReason(value: unknown): VerdictReason {
  const whole = readShape(REASON, value);
  if (whole.ok) return whole.value;
  const r = isRecord(value) ? value : {};
  return {
    code: textOr(r['code'], 'supervisor.bad_reason'),
    level: textOr(r['level'], 'UNKNOWN') as VerdictReason['level'],
    subject: textOr(r['subject'], null),
    text: textOr(r['text'], 'the supervisor gives a reason that cannot be read'),
    since: textOr(r['since'], ''),
    section: textOr(r['section'], 'supervisor'),
    action_hint: textOr(r['action_hint'], null),
  };
}

/** One reason that does not fit must not hide the others, nor the level. null: the server leaves judging to its readers. */
function readVerdict(value: unknown, now: string): Verdict | null {
  if (value === null || value === undefined) return null;
  const whole = readShape(VERDICT, value);
  if (whole.ok) return whole.value;
  if (!isRecord(value) || typeof value['level'] !== 'string' || !Array.isArray(value['reasons'])) return unreadableVerdict(now);
  const sections = value['unknown_sections'];
  return {
    level: value['level'] as Verdict['level'],
    reasons: value['reasons'].map(readReason),
    unknown_sections: Array.isArray(sections) ? sections.filter((s) => typeof s === 'string') : [],
    computed_at: textOr(value['computed_at'], ''),
  };
}

function withObserved(model: ClientModel, value: unknown, nowMs: number): Pick<ClientModel, 'sections' | 'receivedMs'> {
  const observed = readShape(OBSERVED, value);
  if (!observed.ok) return model;
  const sections: Record<string, unknown> = { ...model.sections };
  const receivedMs: Record<string, number> = { ...model.receivedMs };
  for (const [name, age] of Object.entries(observed.value)) {
    const before = model.sections[name as SectionName];
    if (!before) continue;
    sections[name] = { ...before, ...age };
    receivedMs[name] = nowMs;
  }
  return { sections: sections as Sections, receivedMs };
}

/** It stands beside the sections; a server may also count it as one of them. */
function verdictOf(frame: Record<string, unknown>): unknown {
  const section = isRecord(frame['sections']) ? frame['sections']['verdict'] : undefined;
  return frame['verdict'] ?? (isRecord(section) ? section['data'] : undefined);
}

/** Version of the protocol. One that does not say it was asked for this one, by the path, and answered. */
function versionOf(frame: Record<string, unknown>, sections: Record<string, unknown>): unknown {
  const meta = isRecord(sections['meta']) && isRecord(sections['meta']['data']) ? sections['meta']['data'] : {};
  return frame['schema'] ?? frame['v'] ?? meta['schema'] ?? STATUS_SCHEMA;
}

/**
 * Takes one frame. Not ok means the connection cannot be trusted any more (a gap, not our protocol): reconnect.
 * `nowMs` is the reader's own monotonic time.
 */
export function applyFrame(model: ClientModel, raw: unknown, nowMs: number): Applied {
  const frame = plainJson(raw);
  if (!isRecord(frame) || typeof frame['t'] !== 'string') return { ok: false, why: 'not a frame of this protocol' };
  const seq = typeof frame['seq'] === 'number' ? frame['seq'] : null;
  const serverNow = typeof frame['now'] === 'string' ? { at: frame['now'], atMs: nowMs } : model.serverNow;
  const alive = { ...model, serverNow, lastFrameMs: nowMs };
  switch (frame['t']) {
    case 'snapshot': {
      if (!isRecord(frame['sections'])) return { ok: false, why: 'it sends a snapshot without sections' };
      const spoken = versionOf(frame, frame['sections']);
      if (typeof spoken !== 'number') return { ok: false, why: 'it does not say which version of the protocol it speaks' };
      if (spoken > STATUS_SCHEMA)
        return { ok: false, why: `it speaks version ${spoken} of the protocol, this program up to ${STATUS_SCHEMA}: update this program` };
      const sections = readSections(frame['sections'], serverNow?.at ?? '');
      return {
        ok: true,
        model: {
          ...alive,
          server: typeof frame['server'] === 'string' ? frame['server'] : null,
          instance: typeof frame['instance'] === 'string' ? frame['instance'] : null,
          seq,
          sections,
          receivedMs: Object.fromEntries(Object.keys(sections).map((n) => [n, nowMs])),
          verdict: readVerdict(verdictOf(frame), serverNow?.at ?? ''),
        },
      };
    }
    case 'patch': {
      if (model.seq === null || seq !== model.seq + 1) return { ok: false, why: `frame ${seq ?? '?'} came after ${model.seq ?? 'none'}` };
      const sections = readSections(frame['sections'], serverNow?.at ?? '');
      const kept = frame['observed'] === undefined ? alive : { ...alive, ...withObserved(alive, frame['observed'], nowMs) };
      const receivedMs = { ...kept.receivedMs, ...Object.fromEntries(Object.keys(sections).map((n) => [n, nowMs])) };
      const said = verdictOf(frame);
      const verdict = said === undefined ? model.verdict : readVerdict(said, serverNow?.at ?? '');
      return { ok: true, model: { ...kept, seq, sections: { ...kept.sections, ...sections }, receivedMs, verdict } };
    }
    case 'ping':
      if (model.seq === null || seq !== model.seq) return { ok: false, why: `ping ${seq ?? '?'} came after frame ${model.seq ?? 'none'}` };
      return { ok: true, model: alive };
    default:
      // A later protocol may add frames; they carry nothing that we show.
      return { ok: true, model: alive };
  }
}

/** Ages grow from the moment of receipt; the server's wall clock is not looked at. */
export const clientView = (model: ClientModel, nowMs: number): View =>
  viewOf(model.sections, (name) => nowMs - (model.receivedMs[name] ?? nowMs));

/** The furthest a Date reaches. */
const LAST_MS = 8.64e15;

/** The verdict to show for what was received, judged now. `memory` comes from the call before. */
export function clientVerdict(model: ClientModel, nowMs: number, memory: VerdictMemory): ReturnType<typeof readerVerdict> {
  const { serverNow } = model;
  const saidMs = serverNow === null ? Number.NaN : Date.parse(serverNow.at);
  // Without a server clock nothing that is judged by the wall clock can be; the epoch makes no such rule fire.
  const atMs = serverNow === null || Number.isNaN(saidMs) ? 0 : Math.min(LAST_MS, saidMs + (nowMs - serverNow.atMs));
  return readerVerdict(model.verdict, { view: clientView(model, nowMs), now: new Date(atMs).toISOString(), nowMs, memory });
}
