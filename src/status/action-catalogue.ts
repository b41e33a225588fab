/** What each action is called, what it does to service, and how it is carried out. Data only. */
import type { ActionName } from './policy.ts';

/** A word that has to come with an action. */
export interface ActionArg {
  readonly name: string;
  readonly title: string;
  /** Shown as stars, never in a log. */
  readonly secret: boolean;
  readonly pattern: RegExp;
  /** What it has to look like, for people. */
  readonly wanted: string;
}

export interface ActionStep {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  /** May fail without ending the action. */
  readonly tolerant: boolean;
}

/**
 * Who carries it out: `supervisor`; `anyone`, so that it works without a supervisor too; `console`, since it needs the
 * terminal.
 */
export type ActionPlace = 'supervisor' | 'anyone' | 'console';

export interface ActionSpec {
  readonly name: ActionName;
  readonly title: string;
  readonly summary: string;
  readonly consequences: readonly string[];
  /** Stops service or cannot be undone. */
  readonly destructive: boolean;
  /** The password of an administrator is asked for, where the policy wants one. */
  readonly guarded: boolean;
  /** False: only reads, so it is done at once, without a question and beside other actions. */
  readonly confirmed: boolean;
  readonly place: ActionPlace;
  readonly args: readonly ActionArg[];
  /** A tool that must be installed. */
  readonly tool: string | null;
  readonly steps: readonly ActionStep[];
  /** Files taken away first. */
  readonly removes: readonly string[];
}

export const RELEASE_STATE = '/var/lib/spatiumddi/release-state';
const step = (argv: readonly string[], timeoutMs: number, tolerant = false): ActionStep => ({ argv, timeoutMs, tolerant });

/** A version of the agent in its health window is judged before the machine goes down; two and a half minutes at most. */
const UPDATE_VERDICT = step(['spatium', 'update', 'wait'], 180_000, true);

type Given = Pick<ActionSpec, 'name' | 'title' | 'summary' | 'consequences'> & Partial<ActionSpec>;

const action = (given: Given): ActionSpec => ({
  destructive: false,
  guarded: true,
  confirmed: true,
  place: 'supervisor',
  args: [],
  tool: null,
  steps: [],
  removes: [],
  ...given,
});

const arg = (name: string, title: string, pattern: RegExp, wanted: string, secret = false): ActionArg => ({
  name,
  title,
  secret,
  pattern,
  wanted,
});

/** DNS labels, as Kubernetes names things; they become part of a URL. */
const KUBE_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const POD_ARGS = [arg('ns', 'Namespace', KUBE_NAME, 'a Kubernetes namespace'), arg('pod', 'Pod', KUBE_NAME, 'the name of a pod')] as const;

export const ACTIONS: readonly ActionSpec[] = [
  action({
    name: 'power.reboot',
    title: 'Reboot',
    summary: 'Reboot this appliance now',
    consequences: ['Everything it serves stops until it is back, usually 1 to 3 minutes.'],
    destructive: true,
    place: 'anyone',
    steps: [UPDATE_VERDICT, step(['systemctl', 'reboot'], 30_000)],
  }),
  action({
    name: 'power.poweroff',
    title: 'Power off',
    summary: 'Switch this appliance off',
    consequences: ['Everything it serves stops.', 'Somebody has to switch it on again.'],
    destructive: true,
    place: 'anyone',
    steps: [UPDATE_VERDICT, step(['systemctl', 'poweroff'], 30_000)],
  }),
  action({
    name: 'power.cancel',
    title: 'Cancel reboot',
    summary: 'Cancel the pending reboot or power off',
    consequences: ['The change that asked for it waits until the next reboot.'],
    // It keeps the box as it is, and a minute may be all there is.
    guarded: false,
    place: 'anyone',
    // The triggers go first: a runner in its grace period looks for them again.
    removes: [`${RELEASE_STATE}/reboot-pending`, `${RELEASE_STATE}/reboot-pending-fleet`],
    steps: [
      step(['systemctl', 'stop', 'spatiumddi-reboot.service', 'spatiumddi-reboot-agent.service'], 10_000, true),
      step(['shutdown', '-c'], 10_000, true),
    ],
  }),
  action({
    name: 'k3s.restart',
    title: 'Restart k3s',
    summary: 'Restart k3s',
    consequences: ['The API and the cluster stop for about 30 to 60 seconds.'],
    destructive: true,
    steps: [step(['systemctl', 'restart', 'k3s.service'], 90_000)],
  }),
  action({
    name: 'slot.trial',
    title: 'Boot other slot once',
    summary: 'Start the other slot at the next reboot, once',
    consequences: ['Nothing happens until you reboot.', 'A second reboot comes back to the slot that is kept.'],
    destructive: true,
    steps: [step(['spatium', 'slot', 'set-next-boot'], 30_000)],
  }),
  action({
    name: 'slot.commit',
    title: 'Keep this slot',
    summary: 'Keep the slot that runs now',
    consequences: ['Every later reboot starts this slot.'],
    destructive: true,
    steps: [step(['spatium', 'slot', 'commit'], 30_000)],
  }),
  action({
    name: 'slot.rollback',
    title: 'Go back to other slot',
    summary: 'Keep the other slot from the next reboot on',
    consequences: [
      'Nothing happens until you reboot; every later reboot starts the other slot, with its older or newer version.',
      'Back over a k3s minor version the cluster may not start: then restore an etcd snapshot of before the upgrade.',
    ],
    destructive: true,
    steps: [step(['spatium', 'slot', 'rollback'], 30_000)],
  }),
  action({
    name: 'pod.logs',
    title: 'Follow log',
    summary: 'Follow the log of a pod',
    consequences: ['Nothing changes.'],
    guarded: false,
    confirmed: false,
    args: POD_ARGS,
  }),
  action({
    name: 'pod.restart',
    title: 'Restart pod',
    summary: 'Delete this pod, so that its owner starts a new one',
    consequences: ['What it serves stops until the new one is ready; it has 30 seconds to end.'],
    destructive: true,
    args: POD_ARGS,
  }),
  action({
    name: 'network.edit',
    title: 'Network settings',
    summary: 'Edit the network settings with nmtui on this terminal',
    consequences: [
      'Edits work at once, and a wrong one cuts off the web UI and SSH.',
      'The managed profile is written anew at every boot: after nmtui the console asks whether to keep the edit.',
      'Profiles of your own stay, but the managed one has priority 100 and wins over them.',
    ],
    destructive: true,
    place: 'console',
    tool: 'nmtui',
  }),
  action({
    name: 'network.adopt',
    title: 'Keep network edit',
    summary: 'Write the edit of the network profile into STATE',
    consequences: ['Every later boot renders the network like this.'],
    // What it keeps was edited by somebody who could, and works already.
    guarded: false,
    place: 'anyone',
    steps: [step(['spatium', 'network', 'adopt'], 15_000)],
  }),
  action({
    name: 'pair.set',
    title: 'Pair again',
    summary: 'Pair this appliance with a control plane',
    consequences: [
      'The address and the code go to STATE, so they hold after a reboot.',
      'The pinned certificate of the old control plane is forgotten; the next one is trusted at first contact.',
    ],
    destructive: true,
    args: [
      arg('url', 'Control plane', /^https?:\/\/[^\s/@?#]+(?:\/[^\s@]*)?$/i, 'a URL such as https://ddi.example.net'),
      arg('code', 'Pairing code', /^(?:[ -]*[0-9]){8}[ -]*$/, '8 digits', true),
    ],
  }),
  action({
    name: 'diag.bundle',
    title: 'Diagnostics bundle',
    summary: 'Collect logs and states into one file',
    consequences: [
      'The file goes to /var/log/spatiumddi; the last 3 are kept.',
      'Passwords, keys, tokens and codes are taken out; host names and addresses stay in.',
    ],
    guarded: false,
  }),
  action({
    name: 'firewall.revert',
    title: 'Revert firewall',
    summary: 'Go back to the firewall rules before the last change',
    consequences: ['The rules set by the control plane are gone until it sends them again.'],
    destructive: true,
    tool: 'spatiumddi-firewall-revert',
    steps: [step(['spatiumddi-firewall-revert'], 60_000)],
  }),
  action({
    name: 'etcd.snapshot',
    title: 'Snapshot etcd',
    summary: 'Take an etcd snapshot of the cluster now',
    consequences: ['Nothing stops; the file stays on this node, among those that can be restored.'],
    guarded: false,
    tool: 'k3s',
    steps: [step(['k3s', 'etcd-snapshot', 'save', '--name', 'console'], 120_000)],
  }),
  action({
    name: 'etcd.restore',
    title: 'Restore etcd',
    summary: 'Restore the cluster from an etcd snapshot',
    consequences: [
      'Everything written since the snapshot is lost: DNS, DHCP and address changes included.',
      'The cluster becomes this one node; every other control-plane node has to be paired again.',
      'After a k3s upgrade go back to the older slot first, then restore.',
    ],
    destructive: true,
    args: [arg('snapshot', 'Snapshot', /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/, 'a snapshot of this node')],
  }),
];

/** Null for a name that no version of this program knows. */
export const actionNamed = (name: string): ActionSpec | null => ACTIONS.find((a) => a.name === name) ?? null;

export type ActionArgs = Readonly<Record<string, string>>;

/** What is wrong with the words given; null when they are the ones the action wants. */
export function argsFault(spec: ActionSpec, args: ActionArgs): string | null {
  const extra = Object.keys(args).find((name) => !spec.args.some((a) => a.name === name));
  if (extra !== undefined) return `${spec.name} takes no ${extra}`;
  const bad = spec.args.find((a) => !a.pattern.test(args[a.name] ?? ''));
  return bad === undefined ? null : `${bad.title.toLowerCase()}: ${bad.wanted} is wanted`;
}
