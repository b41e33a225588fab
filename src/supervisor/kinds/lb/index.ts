/** Load balancer: HAProxy. */
import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import { describeEnd, type Runner, succeeded } from '#system/run.ts';
import { bad, type Daemon, type Kind, type Preparation } from '../kind.ts';
import { canListen } from '../listen.ts';
import type { Service } from '../service.ts';
import { faultIn, LB_CONFIG, type LbConfig } from './config.ts';
import { reloadLb } from './reload.ts';
import { CONFIG_FILE, frontendsOf, LB_PLACES, type LbPlaces, renderLb } from './render.ts';
import { probeLb } from './stats.ts';

const CHECK_MS = 30_000;
const DAY_MS = 86_400_000;
const WARN_DAYS = 14;

/** Certificates that end soon: while the panel is away nobody renews them. */
function expiring(config: LbConfig, nowMs: number): readonly string[] {
  return config.certificates.flatMap(({ name, pem }) => {
    try {
      const endMs = Date.parse(new X509Certificate(pem).validTo);
      if (endMs - nowMs > WARN_DAYS * DAY_MS) return [];
      return [`certificate ${name} ${endMs < nowMs ? 'has been invalid since' : 'is valid until'} ${new Date(endMs).toISOString()}`];
    } catch {
      return [];
    }
  });
}

function prepareLb(places: LbPlaces, config: unknown): Preparation {
  const read = LB_CONFIG.read(config, '');
  if (!read.ok) return { ok: false, message: `${read.path}: wanted ${read.wanted}` };
  const { value } = read;
  const fault = faultIn(value);
  if (fault !== null) return { ok: false, message: fault };
  return {
    ok: true,
    prepared: {
      files: (mark) => renderLb(value, mark, places),
      expected: frontendsOf(value),
      listens: value.listeners.map(({ address, port }) => ({ address, port })),
      secrets: value.certificates.map((c) => c.pem),
      notices: (nowMs) => expiring(value, nowMs),
    },
  };
}

export const lbKind = (places: LbPlaces = LB_PLACES): Kind => ({
  kind: 'lb',
  unit: 'haproxy.service',
  emptyDir: '/usr/lib/spatiumddi/empty/lb',
  prepare: (config) => prepareLb(places, config),
});

/** The last lines of the checker, for people; it is judged by its exit status only. */
const saidBy = (tail: readonly string[]): string => {
  const lines = tail
    .filter((line) => /\[(ALERT|WARNING)\]/.test(line))
    .map((line) => line.replace(/^.*?\[(ALERT|WARNING)\]\s*(\([^)]*\)\s*)?:?\s*/, ''));
  return (lines.length > 0 ? lines : tail).join('; ');
};

export function lbDaemon(service: Service, run: Runner, places: LbPlaces = LB_PLACES): Daemon {
  return {
    ...service,
    reload: () => reloadLb(service, places.statsSocket),
    check: async (dir, newPlaces) => {
      const checked = await run(['haproxy', '-c', '-f', path.join(dir, CONFIG_FILE)], { timeoutMs: CHECK_MS });
      if (succeeded(checked)) return canListen(newPlaces);
      return bad(`haproxy -c: ${describeEnd(checked)}: ${saidBy(checked.tail)}`);
    },
    probe: (mark, expected) => probeLb(places.statsSocket, mark, expected),
    version: async () => {
      const said = await run(['haproxy', '-v'], { timeoutMs: CHECK_MS });
      return succeeded(said) ? (/version (\S+)/.exec(said.stdout)?.[1] ?? null) : null;
    },
  };
}
