/** What each action is called, what it does to service, and how it is carried out. Data only. */
import type { ActionName } from './policy.ts';

export interface ActionSpec {
  readonly name: ActionName;
  readonly title: string;
  readonly summary: string;
  readonly consequences: readonly string[];
  readonly destructive: boolean;
  /** Commands in order; a `tolerant` one may fail without ending the action. */
  readonly steps: readonly { readonly argv: readonly string[]; readonly timeoutMs: number; readonly tolerant: boolean }[];
  /** Files taken away first. */
  readonly removes: readonly string[];
}

const RELEASE_STATE = '/var/lib/spatiumddi/release-state';
const step = (argv: readonly string[], timeoutMs: number, tolerant = false) => ({ argv, timeoutMs, tolerant });

export const ACTIONS: readonly ActionSpec[] = [
  {
    name: 'power.reboot',
    title: 'Reboot',
    summary: 'Reboot this appliance now',
    consequences: ['Everything it serves stops until it is back, usually 1 to 3 minutes.'],
    destructive: true,
    steps: [step(['systemctl', 'reboot'], 30_000)],
    removes: [],
  },
  {
    name: 'power.poweroff',
    title: 'Power off',
    summary: 'Switch this appliance off',
    consequences: ['Everything it serves stops.', 'Somebody has to switch it on again.'],
    destructive: true,
    steps: [step(['systemctl', 'poweroff'], 30_000)],
    removes: [],
  },
  {
    name: 'power.cancel',
    title: 'Cancel reboot',
    summary: 'Cancel the pending reboot or power off',
    consequences: ['The change that asked for it waits until the next reboot.'],
    destructive: false,
    // The triggers go first: a runner in its grace period looks for them again.
    removes: [`${RELEASE_STATE}/reboot-pending`, `${RELEASE_STATE}/reboot-pending-fleet`],
    steps: [
      step(['systemctl', 'stop', 'spatiumddi-reboot.service', 'spatiumddi-reboot-agent.service'], 10_000, true),
      step(['shutdown', '-c'], 10_000, true),
    ],
  },
  {
    name: 'k3s.restart',
    title: 'Restart k3s',
    summary: 'Restart k3s',
    consequences: ['The API and the cluster stop for about 30 to 60 seconds.'],
    destructive: true,
    steps: [step(['systemctl', 'restart', 'k3s.service'], 90_000)],
    removes: [],
  },
  {
    name: 'slot.trial',
    title: 'Boot other slot once',
    summary: 'Start the other slot at the next reboot, once',
    consequences: ['Nothing happens until you reboot.', 'A second reboot comes back to the slot that is kept.'],
    destructive: true,
    steps: [step(['spatium', 'slot', 'set-next-boot'], 30_000)],
    removes: [],
  },
  {
    name: 'slot.commit',
    title: 'Keep this slot',
    summary: 'Keep the slot that runs now',
    consequences: ['Every later reboot starts this slot.'],
    destructive: true,
    steps: [step(['spatium', 'slot', 'commit'], 30_000)],
    removes: [],
  },
];

export const actionNamed = (name: string): ActionSpec | null => ACTIONS.find((a) => a.name === name) ?? null;
