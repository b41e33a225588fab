/** The web-UI self-check that a host timer writes: would a new connection from outside get in? */
import { parseJson } from '#model/json.ts';
import type { SectionData } from '#model/status.ts';
import type { HostView } from '#system/observe.ts';
import { type Collector, notApplicable, ok } from '../collector.ts';

const SELF_CHECK = '/run/spatiumddi/webui-selfcheck.json';
const DEFAULT_TTL_S = 900;
const STATES = ['open', 'scoped', 'blocked', 'indeterminate'] as const;

type Webui = SectionData['firewall']['webui'];

const NEVER: Webui = {
  status: 'never',
  detail: null,
  ports: {},
  checked_at: null,
  age_s: null,
  ttl_s: DEFAULT_TTL_S,
  consecutive_indeterminate: 0,
};

/** Anything malformed counts as never checked. */
export function parseSelfCheck(text: string | null, nowMs: number): Webui {
  if (text === null) return NEVER;
  const v = parseJson(text);
  if (typeof v !== 'object' || v === null) return NEVER;
  const r = v as Record<string, unknown>;
  const status = STATES.find((s) => s === r['status']);
  const checkedAt = typeof r['checked_at'] === 'number' && Number.isFinite(r['checked_at']) ? r['checked_at'] : null;
  if (!status || checkedAt === null) return NEVER;
  const ttl = typeof r['ttl_s'] === 'number' && r['ttl_s'] > 0 ? r['ttl_s'] : DEFAULT_TTL_S;
  const ports = typeof r['ports'] === 'object' && r['ports'] !== null ? Object.entries(r['ports']) : [];
  return {
    status,
    detail: typeof r['detail'] === 'string' ? r['detail'] : null,
    ports: Object.fromEntries(ports.map(([k, p]) => [k, String(p)])),
    checked_at: new Date(checkedAt * 1000).toISOString(),
    age_s: Math.round(nowMs / 1000 - checkedAt),
    ttl_s: ttl,
    consecutive_indeterminate: typeof r['consecutive_indeterminate'] === 'number' ? Math.trunc(r['consecutive_indeterminate']) : 0,
  };
}

const RELEASE_STATE = '/var/lib/spatiumddi/release-state';

type Apply = SectionData['firewall']['apply'];

const textOf = (v: unknown): string | null => (typeof v === 'string' && v !== '' ? v : null);

/** What the runner of the host left: a change that waits, one that it refused, or the hash of what is applied. */
export function applyState(
  files: { readonly pending: boolean; readonly refused: string | null; readonly hash: string | null },
  times: { readonly refusedMs: number | null; readonly appliedMs: number | null },
): Apply {
  const hash = files.hash?.trim().split(/\s+/)[0] || null;
  const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  const isRefusedLast = files.refused !== null && (times.appliedMs === null || (times.refusedMs ?? 0) >= times.appliedMs);
  if (isRefusedLast) {
    let reason: string | null = null;
    try {
      const v: unknown = JSON.parse(files.refused ?? '');
      const r = typeof v === 'object' && v !== null ? (v as Record<string, unknown>) : {};
      reason = textOf(r['reason']) ?? textOf(r['error']) ?? textOf(r['detail']);
    } catch {
      reason = textOf(files.refused?.trim().split('\n')[0]);
    }
    return { status: 'refused', reason, hash, at: at(times.refusedMs) };
  }
  if (files.pending) return { status: 'pending', reason: null, hash, at: null };
  return hash === null
    ? { status: 'unknown', reason: null, hash, at: null }
    : { status: 'ok', reason: null, hash, at: at(times.appliedMs) };
}

async function readApply(host: HostView): Promise<Apply> {
  const at = (name: string): string => `${RELEASE_STATE}/${name}`;
  const [pending, refused, hash, refusedMs, appliedMs] = await Promise.all([
    host.exists(at('firewall-pending')),
    host.text(at('firewall-refused')),
    host.text(at('firewall-applied-hash')),
    host.modifiedMs(at('firewall-refused')),
    host.modifiedMs(at('firewall-applied-hash')),
  ]);
  return applyState({ pending, refused, hash }, { refusedMs, appliedMs });
}

type Reached = Webui['status'];

/** Is a door closed to some? null: not known. A door that is closed to all is no open one. */
const isScoped = (reach: Reached | null): boolean | null =>
  reach === 'open' ? false : reach === 'scoped' || reach === 'blocked' ? true : null;

/** With both doors closed to some, a wrong source address leaves the console only. */
export function lockoutRisk(ssh: boolean | null, web: boolean | null): SectionData['firewall']['lockout_risk'] {
  if (ssh === false || web === false) return 'none';
  return ssh === true && web === true ? 'console_only' : 'unknown';
}

/** The file of the host's timer counts while it is fresh; else the check of the supervisor, which a console has not. */
export function firewallCollector(
  host: HostView,
  wallMs: () => number,
  selfCheck: () => Promise<{ readonly webui: Webui; readonly ssh: Reached | null; readonly drift: boolean | null } | null> = async () =>
    null,
): Collector<'firewall'> {
  return {
    name: 'firewall',
    periodMs: 5000,
    timeLimitMs: 12_000,
    ttlMs: 15_000,
    source: `${SELF_CHECK}, nft`,
    async collect() {
      const written = parseSelfCheck(await host.text(SELF_CHECK), wallMs());
      const isFresh = written.age_s !== null && written.age_s >= 0 && written.age_s <= written.ttl_s;
      // The file says nothing of SSH, so the rules are looked at beside it.
      const own = await selfCheck();
      const webui = isFresh ? written : (own?.webui ?? written);
      const apply = await readApply(host);
      if (webui.status === 'never' && apply.status === 'unknown') return notApplicable;
      const [ssh, web] = [isScoped(own?.ssh ?? null), isScoped(webui.status)];
      return ok({
        webui,
        apply,
        drift: own?.drift ?? null,
        ssh_scoped: ssh,
        web_scoped: web,
        lockout_risk: lockoutRisk(ssh, web),
      });
    },
  };
}
