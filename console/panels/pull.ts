/** The panel that manages this box: who it takes us for, and what it told us, runs here and could not. */
import type { SectionData } from '#model/status.ts';
import * as fmt from '#status/format.ts';
import { wrap } from '#ui/text.ts';
import { label, labelled, missing, type Shown, shown, toneOf } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { type Line, line, rule, span, type Tone } from '../style.ts';

type Pull = SectionData['pull'];

/** The states of docs/pull.md in words. */
const IDENTITIES: Readonly<Record<string, readonly [string, Tone]>> = {
  no_dmi: ['no token: this machine has no DMI data to carry one', 'bad'],
  denied: ['no token: the DMI data cannot be read without root', 'bad'],
  no_token: ['no token in the serial number of this machine', 'bad'],
  placeholder: ["no token: the serial number is the maker's placeholder", 'bad'],
  not_a_token: ['no token: the serial number is an ordinary one', 'bad'],
  damaged_token: ['the token is damaged; copy it again', 'bad'],
  enrolling: ['enrolling', 'warn'],
  awaiting_approval: ['waiting for approval on the panel', 'warn'],
  token_refused: ['TOKEN REFUSED by the panel; make a new one', 'bad'],
  used_elsewhere: ['TOKEN USED by another machine; make a new one', 'bad'],
  token_expired: ['TOKEN EXPIRED; make a new one', 'bad'],
  active: ['enrolled', 'good'],
  cloned: ['CLONED: another machine has this identity', 'bad'],
  revoked: ['REVOKED by the panel', 'bad'],
  retired: ['retired', 'warn'],
};

const STATES: Readonly<Record<string, readonly [string, Tone]>> = {
  unassigned: ['nothing assigned yet', 'quiet'],
  idle: ['nothing to do', 'plain'],
  applying: ['being applied', 'warn'],
  applied: ['applied', 'good'],
  failed: ['FAILED', 'bad'],
};

/** Versions are counted from 1, so one that is not there is not zero. */
const version = (v: number | null): string => (v === null ? 'none yet' : String(v));

const ago = (at: string | null, s: ScreenState, never: string): string => {
  if (at === null) return never;
  const ms = Math.max(0, s.wallMs - Date.parse(at));
  // Whole minutes, so that the line does not change every second.
  return ms < 60_000 ? 'under 1m ago' : `${fmt.age(ms)} ago`;
};

const ahead = (at: string, s: ScreenState): string => {
  const ms = Date.parse(at) - s.wallMs;
  return ms < 60_000 ? 'within 1m' : `in ${fmt.age(ms)}`;
};

const identity = (d: Pull): readonly [string, Tone] => IDENTITIES[d.identity] ?? [d.identity, 'plain'];

function contact(x: Shown<Pull>, s: ScreenState, name = 'Last contact '): Line {
  const d = x.data;
  const bad = d.consecutive_failures > 0;
  return [
    label(name),
    span(ago(d.last_contact_at, s, 'never'), toneOf(x, bad || d.last_contact_at === null ? 'warn' : 'plain')),
    ...(bad ? [span(`, ${d.consecutive_failures} failed in a row`, toneOf(x, 'warn'))] : []),
  ];
}

export const hasPull = (s: Pick<ScreenState, 'view'>): boolean => s.view.pull !== undefined && s.view.pull.freshness !== 'not_applicable';

/** Two or three pieces for the first page; none on a box without a panel. */
export function pullPieces(s: ScreenState): Line[] {
  if (!hasPull(s)) return [];
  const x = shown(s.view.pull);
  if (!x) return [[label('Panel '), missing(s.view.pull)]];
  const d = x.data;
  const [word, tone] = identity(d);
  const who: Line = [label('Panel '), span(`${word}${d.code === null ? '' : ` (${d.code})`}`, toneOf(x, tone)), span(x.mark, 'quiet')];
  if (d.identity !== 'active') return [who];
  const [state, stateTone] = STATES[d.state] ?? [d.state, 'plain' as const];
  return [who, [label('Config '), span(`${version(d.applied_version)} ${state}`, toneOf(x, stateTone))], contact(x, s, 'Panel contact ')];
}

function failureLines(d: Pull, s: ScreenState, width: number): Line[] {
  const f = d.failed;
  if (f === null) return [];
  const retry = f.retry_at === null ? 'not tried again' : `tried again ${ahead(f.retry_at, s)}`;
  return [
    rule(`Version ${f.version} failed`, width, 'bad'),
    line(label(' At '), f.phase, label('  then '), f.outcome.replaceAll('_', ' '), label('  attempts '), `${f.attempts}, ${retry}`),
    ...wrap(f.message, width - 2).map((t) => line(span(` ${t}`, 'bad'))),
  ];
}

function updateLines(d: Pull, s: ScreenState, width: number): Line[] {
  const u = d.update;
  if (u === null) return [rule('Agent', width), line(span(' update state not reported', 'quiet'))];
  const target =
    u.target === null ? span('no newer one is known', 'plain') : span(`to ${u.target}${u.phase === null ? '' : `, ${u.phase}`}`, 'warn');
  return [
    rule('Agent', width),
    // No time told is not "never": the supervisor does not know when the updater looked.
    line(
      ...[label(' Runs '), u.running, label('  update '), target],
      ...(u.checked_at === null ? [] : [label('  looked '), ago(u.checked_at, s, 'unknown')]),
    ),
    ...(u.bad.length === 0 ? [] : [line(label(' Given up '), span(u.bad.join(', '), 'bad'))]),
  ];
}

/** Everything the panel and this box say of each other. */
export function pullLines(s: ScreenState, width: number): Line[] {
  const x = shown(s.view.pull);
  if (!x) return [rule('Panel', width), [span(' '), ...labelled('Panel', s.view.pull, () => [])]];
  const d = x.data;
  const [word, tone] = identity(d);
  const [state, stateTone] = STATES[d.state] ?? [d.state, 'plain' as const];
  const text = (value: string | null, none: string): Line[number] =>
    value === null ? span(none, 'quiet') : span(value, toneOf(x, 'plain'));
  return [
    rule(`Panel${x.mark}`, width),
    line(label(' Address   '), text(d.panel, 'not known')),
    line(label(' Pinned    '), text(d.pin, 'no key pinned yet')),
    line(label(' Kind      '), d.kind, label('   device '), text(d.device_id, 'none yet')),
    line(label(' Identity  '), span(word, toneOf(x, tone)), span(d.code === null ? '' : ` (${d.code})`, toneOf(x, tone))),
    ...(d.message === null ? [] : wrap(d.message, width - 11).map((t) => line('           ', span(t, toneOf(x, tone))))),
    line(' ', ...contact(x, s), label('  answer '), text(d.last_status === null ? null : String(d.last_status), 'none')),
    line(label(' Next question '), d.next_poll_at === null ? span('not planned', 'quiet') : span(ahead(d.next_poll_at, s))),
    rule('Configuration', width),
    line(
      label(' Fetched '),
      version(d.fetched_version),
      label('  applied '),
      version(d.applied_version),
      label('  '),
      span(state, toneOf(x, stateTone)),
    ),
    line(label(' Applied '), ago(d.applied_at, s, 'never')),
    ...failureLines(d, s, width),
    ...updateLines(d, s, width),
  ];
}
