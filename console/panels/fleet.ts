/** Pairing, control plane, a running upgrade, a pending reboot: lines that are there only when they say something. */

import type { SectionData } from '#model/status.ts';
import * as fmt from '#status/format.ts';
import { localTimeOf } from '../clock.ts';
import { isExpected, label, labelled, missing, shown, toneOf } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { bar, type Line, span, type Tone } from '../style.ts';
import { timezoneOf } from './header.ts';
import { pullPieces } from './pull.ts';

const PAIRING: Readonly<Record<string, readonly [string, Tone]>> = {
  paired: ['• Paired', 'good'],
  no_url: ['not paired - no control plane set', 'warn'],
  unreachable: ['Pairing in progress... (control plane unreachable)', 'warn'],
  registering: ['Registering...', 'warn'],
  code_rejected: ['Pair failed - regenerate code on control plane', 'bad'],
  no_code: ['Pair failed - regenerate code on control plane', 'bad'],
  awaiting: ['Registered - awaiting approval', 'warn'],
  pin_mismatch: ['Paired - control plane certificate changed', 'bad'],
  revoked: ['Approval revoked - pair again', 'bad'],
  link_down: ['• Paired - no contact', 'warn'],
};

/** How long there was no contact, or when it is tried again; empty where nobody knows. */
function sinceWhen({ state, retry_at }: SectionData['pairing'], s: ScreenState): string {
  if (state === 'registering' && retry_at !== null) return ` again at ${localTimeOf(retry_at, timezoneOf(s)).time}`;
  const heardMs = s.wallMs - Date.parse(s.view.control_plane?.data?.last_heartbeat_at ?? '');
  return state === 'link_down' && heardMs > 0 ? ` for ${fmt.age(heardMs)}` : '';
}

function pairing(s: ScreenState): Line {
  const { pairing } = s.view;
  if (pairing === undefined || pairing.freshness === 'not_applicable' || pairing.data?.applicable === false) return [];
  return labelled('Pairing', pairing, (x) => {
    // A word of a later supervisor is shown as it is, in a neutral tone.
    const [text, tone] = PAIRING[x.data.state] ?? ([x.data.state, 'plain'] as const);
    return [span(`${text}${sinceWhen(x.data, s)}`, toneOf(x, tone))];
  });
}

function controlPlane(s: ScreenState): Line {
  if (s.view.control_plane === undefined || s.view.control_plane.freshness === 'not_applicable') return [];
  return labelled('Control plane', s.view.control_plane, (x) => {
    const ok = x.data.tcp_ok;
    return [ok === null ? span('?', 'quiet') : ok ? span('reachable', toneOf(x, 'good')) : span('UNREACHABLE', toneOf(x, 'bad'))];
  });
}

function upgrade(s: ScreenState): Line {
  const x = shown(s.view.upgrade);
  if (!x) return isExpected(s.view.upgrade) ? [label('Upgrade '), missing(s.view.upgrade)] : [];
  if (x.data.state === 'idle') return [];
  const d = x.data;
  const booted = shown(s.view.slots)?.data.booted ?? null;
  const isReady = d.state === 'done' && d.target_slot !== null && booted !== null && d.target_slot !== booted;
  const step = d.step_index !== null && d.step_count !== null ? ` ${d.step_index}/${d.step_count}` : '';
  const failed = d.state === 'failed';
  return [
    label('Upgrade '),
    span(`${d.state.replace('_', ' ')}${step}${d.target_version ? ` to ${d.target_version}` : ''} `, toneOf(x, failed ? 'bad' : 'warn')),
    ...(isReady ? [span('- reboot to start it', toneOf(x, 'warn'))] : []),
    ...(d.pct === null ? [] : [...bar(d.pct, 'info'), span(` ${Math.floor(d.pct)}%`)]),
    span(x.mark, 'quiet'),
  ];
}

function power(s: ScreenState): Line {
  const x = shown(s.view.power);
  if (!x) return isExpected(s.view.power) ? [label('Reboot '), missing(s.view.power)] : [];
  const p = x.data.pending[0];
  if (!p) return x.data.needs_reboot ? [label('Reboot '), span('needed', toneOf(x, 'warn')), span(x.mark, 'quiet')] : [];
  const at = p.fires_at === null ? '' : ` at ${localTimeOf(p.fires_at, timezoneOf(s)).time}`;
  return [
    span(`${p.kind === 'reboot' ? 'Reboot' : 'Power off'} pending${at}${p.cancellable ? ' (F5 to cancel)' : ''}`, toneOf(x, 'warn')),
    span(x.mark, 'quiet'),
  ];
}

function membership(s: ScreenState): Line {
  const j = shown(s.view.cluster_ops)?.data.join;
  if (!j || j.state === 'none' || j.state === 'ready' || j.state === 'left') return [];
  return [label('Cluster '), span(`${j.state}${j.reason ? `: ${j.reason}` : ''}`, j.state === 'failed' ? 'bad' : 'warn')];
}

export const fleetPieces = (s: ScreenState): Line[] => [power(s), ...pullPieces(s), pairing(s), controlPlane(s), membership(s), upgrade(s)];
