/** Who this is and how to reach it. */

import * as fmt from '#status/format.ts';
import { webuiBlocked } from '#status/verdict-host.ts';
import { isExpected, label, labelled, missing, shown, toneOf } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { flow, type Line, line, span } from '../style.ts';
import { clusterPieces } from './cluster.ts';
import { fleetPieces } from './fleet.ts';

const ROLES: Readonly<Record<string, string>> = { 'control-plane': 'Control plane', appliance: 'Appliance' };

function versions(s: ScreenState): Line {
  const i = shown(s.view.identity)?.data;
  if (!i) return [];
  const appliance = i.appliance_version ?? '?';
  const text = i.versions_match === false ? `appliance ${appliance}, stack ${i.stack_version ?? '?'}` : appliance;
  return [label('Version '), span(text)];
}

function slotLine(s: ScreenState): Line {
  return labelled('Slot', s.view.slots, (x) => {
    const d = x.data;
    const letter = (n: string | null): string => (n === null ? '?' : n.replace('slot_', '').toUpperCase());
    const word =
      d.is_trial === true ? `trial, reboot goes back to ${letter(d.durable)}` : d.is_trial === false ? 'kept' : 'kept one not known';
    const next = d.next_once ? `, next boot ${letter(d.next_once)}` : '';
    return [span(`${letter(d.booted)} (${word}${next})`, toneOf(x, d.is_trial === true ? 'warn' : 'plain'))];
  });
}

/** Ends of a boot that somebody wanted. */
const ORDERLY = ['reboot', 'power off', 'halt'];

function uptimeLine(s: ScreenState): Line {
  const power = shown(s.view.power);
  const reason = power?.data.last_reboot_reason ?? null;
  const isOdd = power !== null && reason !== null && !ORDERLY.includes(reason);
  return labelled('Up', s.view.meta, (x) => [
    span(fmt.uptime(s.wallMs - Date.parse(x.data.boot_at)), toneOf(x, 'plain')),
    // The colon begins the explanation, which F7 has.
    ...(isOdd ? [span(` (after ${reason.split(':')[0]})`, toneOf(power, 'warn'))] : []),
  ]);
}

/** Only while it runs, and when it failed. */
function firstBootLine(s: ScreenState): Line {
  const m = shown(s.view.meta);
  const f = m?.data.first_boot;
  if (!m || !f) return [];
  const pct = f.pct === null ? '' : ` ${Math.round(f.pct)}%`;
  const text = f.failed ? `FAILED at ${f.step}${f.log_hint ? `, see ${f.log_hint}` : ''}` : `${f.step}${pct}`;
  return [label('First boot '), span(text, toneOf(m, f.failed ? 'bad' : 'info'))];
}

function k3sLine(s: ScreenState): Line {
  if (s.view.k3s?.freshness === 'not_applicable') return [label('k3s '), span('not installed')];
  return labelled('k3s', s.view.k3s, (x) => {
    const d = x.data;
    const images = d.image_import;
    if (images) return [span(`${d.unit_state}, importing images ${images.done}/${images.total ?? '?'}`, toneOf(x, 'info'))];
    if (d.unit_state !== 'active') return [span(d.unit_state, toneOf(x, d.unit_state === 'failed' ? 'bad' : 'warn'))];
    if (d.readyz === 'ok') return [span('ready', toneOf(x, 'good'))];
    return [span(d.readyz === 'unknown' ? 'running, readiness ?' : `running, API ${d.readyz}`, toneOf(x, 'warn'))];
  });
}

function clockLine(s: ScreenState): Line {
  const { time } = s.view;
  if (!isExpected(time) || shown(time)?.data.synced === null) return [];
  return labelled('Clock', time, (t) => [
    t.data.synced ? span('synchronised', toneOf(t, 'good')) : span('not synchronised', toneOf(t, 'warn')),
  ]);
}

/** The Web UI runs in k3s on a box with a role. Where k3s cannot be asked the address is shown with a question mark. */
function webUi(s: ScreenState): 'served' | 'not served' | 'not known' {
  const identity = shown(s.view.identity);
  if (s.view.k3s?.freshness === 'not_applicable' || identity?.data.role === null) return 'not served';
  const k3s = shown(s.view.k3s);
  if (!k3s || !identity) return 'not known';
  return k3s.data.unit_state === 'active' ? 'served' : 'not served';
}

function urls(s: ScreenState): Line[] {
  const state = webUi(s);
  if (state === 'not served') return [[label('Web UI '), span('-')]];
  const n = shown(s.view.network);
  if (!n) return [[label('Web UI '), missing(s.view.network)]];
  const pieces: Line[] = n.data.web_ui_urls.map((u) => [
    span(u.url, toneOf(n, 'info')),
    ...(state === 'not known' ? [span(' ?', 'quiet')] : []),
  ]);
  const first: Line = [label('Web UI '), ...(pieces[0] ?? [span('no address', 'warn')])];
  return [first, ...pieces.slice(1), ...selfCheck(s)];
}

/** Next to the address that it makes useless. */
function selfCheck(s: ScreenState): Line[] {
  const w = shown(s.view.firewall)?.data.webui;
  if (!w) return [];
  const blocked = Object.keys(w.ports).filter((port) => w.ports[port] === 'blocked');
  const ports = blocked.length === 0 ? '' : ` (${blocked.map((port) => `tcp/${port}`).join(', ')})`;
  if (webuiBlocked(w)) return [[span(`BLOCKED by the firewall${w.detail ? `: ${w.detail}` : ''}${ports}`, 'bad')]];
  return w.consecutive_indeterminate >= 3 ? [[span('firewall check cannot tell', 'warn')]] : [];
}

function addresses(s: ScreenState): Line[] {
  const n = shown(s.view.network);
  if (!n) return [];
  const out: Line[] = [];
  for (const i of n.data.interfaces) {
    const addrs = i.addrs.filter((a) => a.scope === 'global');
    const down = i.carrier === false || !i.up;
    if (down) out.push([label(`${i.name} `), span('no link', toneOf(n, 'warn'))]);
    else if (addrs.length === 0) out.push([label(`${i.name} `), span('no address', toneOf(n, 'warn'))]);
    else for (const a of addrs) out.push([label(`${i.name} `), span(`${a.addr}/${a.prefix}`, toneOf(n, 'plain'))]);
  }
  const gateway = n.data.gateway4 ?? n.data.gateway6;
  const reach = n.data.connectivity;
  const silent = (ok: boolean | undefined): Line => (ok === false ? [span(' NO ANSWER', toneOf(n, 'warn'))] : []);
  out.push([
    label('gateway '),
    ...(gateway === null ? [span('none', toneOf(n, 'warn'))] : [span(gateway, toneOf(n, 'plain')), ...silent(reach?.gateway?.ok)]),
  ]);
  if (n.data.dns_servers.length > 0)
    out.push([label('DNS '), span(n.data.dns_servers.join(' '), toneOf(n, 'plain')), ...silent(reach?.dns?.ok)]);
  const edits = n.data.adopt?.drift.length ?? 0;
  if (edits > 0) out.push([span(`${edits} network edit${edits === 1 ? '' : 's'} lost at the next boot`, toneOf(n, 'warn'))]);
  const mtu = n.data.mtu;
  if (mtu?.boot_id_matches && mtu.status === 'applied') out.push([span(`MTU ${mtu.applied ?? '?'}`, toneOf(n, 'info'))]);
  if (mtu?.boot_id_matches && mtu.status === 'dropped') out.push([span(`MTU ${mtu.requested ?? '?'} REFUSED`, toneOf(n, 'warn'))]);
  if (n.mark) out.push([span(n.mark.trim(), 'quiet')]);
  return out;
}

/** The links of the box, the most useful first; as many rows as they need. @param withServices no panel of its own shows them */
export function hostLines(s: ScreenState, width: number, withServices = true): Line[] {
  const inner = width - 2;
  const role = labelled('Role', s.view.identity, (x) =>
    x.data.role === null ? [span('not set', toneOf(x, 'warn'))] : [span(ROLES[x.data.role] ?? x.data.role, toneOf(x, 'plain'))],
  );
  const facts = [firstBootLine(s), role, versions(s), slotLine(s), uptimeLine(s), k3sLine(s), clockLine(s)];
  return [
    // One flow: on a short screen a row that is half empty is a pod that is not shown.
    ...flow([...facts, ...fleetPieces(s), ...clusterPieces(s, withServices)], inner),
    ...flow(urls(s), inner),
    ...flow(addresses(s), inner),
  ].map((l) => line(' ', ...l));
}
