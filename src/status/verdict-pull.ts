/** Verdict rules about the pull model: who this box is to its panel, and whether it runs what it was told. */
import type { SectionData } from '#model/status.ts';
import { plainText } from './sanitise.ts';
import { type Candidate, FLAP_MS, type RuleInput } from './verdict-rule.ts';

type Pull = SectionData['pull'];

const MINUTE_MS = 60_000;
/** The panel may be down for a while, and the box goes on; this many polls in a row is no hiccup any more. */
const FAILURES_BEFORE_DOWN = 3;
/** Fetched and still not applied. */
const BEHIND_MS = 10 * MINUTE_MS;
const MESSAGE_CHARS = 120;

type Fault = readonly [level: Candidate['level'], text: string];

/** What each state means to an operator. Whoever waits for somebody else is not at fault, and cannot be called well either. */
const IDENTITY: Readonly<Record<Pull['identity'], Fault | null>> = {
  active: null,
  enrolling: ['UNKNOWN', 'enrolling with the panel'],
  awaiting_approval: ['UNKNOWN', 'enrolled, waiting for approval in the panel'],
  no_dmi: ['DEGRADED', 'no identity: this machine has no SMBIOS serial to read a token from'],
  denied: ['DEGRADED', 'no identity: the SMBIOS serial may not be read'],
  no_token: ['DEGRADED', 'no identity: the SMBIOS serial holds no token'],
  placeholder: ['DEGRADED', 'no identity: the SMBIOS serial is a placeholder of the firmware'],
  not_a_token: ['DEGRADED', 'no identity: the SMBIOS serial is not a token'],
  damaged_token: ['DEGRADED', 'no identity: the token in the SMBIOS serial is damaged'],
  token_refused: ['DEGRADED', 'no identity: the panel refuses the token - issue a new one'],
  used_elsewhere: ['DEGRADED', 'no identity: the token was used by another machine - issue a new one'],
  token_expired: ['DEGRADED', 'no identity: the token has expired - issue a new one'],
  retired: ['DEGRADED', 'retired by the panel - runs its last configuration'],
  revoked: ['CRITICAL', 'identity revoked by the panel - runs its last configuration'],
  cloned: ['CRITICAL', 'this machine is a copy of another one - issue a new token'],
};

const at = { section: 'pull', subject: null } as const;
const withCode = (p: Pull, text: string): string => (p.code === null ? text : `${text} (${p.code})`);

function identity(p: Pull): Candidate[] {
  // A state of a later supervisor has a name and no meaning here.
  const fault = p.identity in IDENTITY ? IDENTITY[p.identity] : (['UNKNOWN', `identity ${p.identity}`] as const);
  if (fault === null) return [];
  return [{ ...at, code: `pull.${p.identity}`, level: fault[0], text: withCode(p, fault[1]), hint: 'F7' }];
}

function contact(p: Pull): Candidate[] {
  if (p.identity !== 'active' || p.consecutive_failures < FAILURES_BEFORE_DOWN) return [];
  const how = p.last_status === null ? 'panel unreachable' : `panel answers ${p.last_status}`;
  return [
    {
      ...at,
      code: 'pull.no_contact',
      level: 'DEGRADED',
      text: withCode(p, how),
      hint: 'F4',
      since: p.last_contact_at ?? undefined,
      clearMs: FLAP_MS,
    },
  ];
}

/** An outcome that leaves something running is a fault; one that leaves nothing known to work is the end of service. */
function failed(p: Pull): Candidate[] {
  const f = p.failed;
  if (f === null) return [];
  const isBare = f.outcome === 'revert_failed' || f.outcome === 'no_previous';
  const runs = isBare
    ? f.outcome === 'no_previous'
      ? 'nothing to go back to'
      : 'going back failed too'
    : p.applied_version === null
      ? 'nothing applied'
      : `runs ${p.applied_version}`;
  const message = plainText(f.message);
  const why = message.length > MESSAGE_CHARS ? `${message.slice(0, MESSAGE_CHARS - 3)}...` : message;
  const text = `configuration ${f.version} failed in ${f.phase}, ${runs}: ${why}`;
  return [{ ...at, subject: String(f.version), code: 'pull.config_failed', level: isBare ? 'CRITICAL' : 'DEGRADED', text, hint: 'F7' }];
}

function progress(p: Pull): Candidate[] {
  if (p.identity !== 'active' || p.failed !== null) return [];
  if (p.state === 'unassigned')
    return [{ ...at, code: 'pull.unassigned', level: 'UNKNOWN', text: 'the panel has no configuration for this box yet', hint: null }];
  if (p.fetched_version === null || p.fetched_version === p.applied_version) return [];
  const text = `configuration ${p.fetched_version} is not applied, runs ${p.applied_version ?? 'none'}`;
  return [{ ...at, code: 'pull.behind', level: 'DEGRADED', text, hint: 'F7', holdMs: BEHIND_MS }];
}

function update(p: Pull): Candidate[] {
  const u = p.update;
  // An entry is a version and, after a blank, why it was given up.
  if (u === null || u.target === null || u.target === u.running || !u.bad.some((b) => b.split(' ')[0] === u.target)) return [];
  const text = `update to ${u.target} failed, stays on ${u.running}`;
  return [{ ...at, subject: u.target, code: 'pull.update_failed', level: 'DEGRADED', text, hint: 'F7' }];
}

/** What is wrong between this box and its panel. */
export function pull({ view }: RuleInput): Candidate[] {
  const p = view.pull?.data;
  if (!p || view.pull?.freshness === 'not_applicable') return [];
  return [...identity(p), ...contact(p), ...failed(p), ...progress(p), ...update(p)];
}
