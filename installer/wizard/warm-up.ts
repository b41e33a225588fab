/** A dialogue that leads nowhere, for the build: it runs what the first minute of a real one runs, so that V8 has it compiled. */
import type { WizardPorts } from '#installer/wizard/ports.ts';
import type { Surroundings } from '#installer/wizard/types.ts';
import { unknownMachine } from '#model/unknown-machine.ts';

export const WARM_MACHINE = unknownMachine({ source: 'probe', firmware: 'uefi', architecture: 'x86_64', interfaces: [] });

export const WARM_SURROUNDINGS: Surroundings = {
  product: 'warm-up',
  version: '0',
  now: null,
  buildDate: null,
  offeredNtp: [],
  gatewayAnswers: null,
};

const never = (): never => {
  throw new Error('the warm-up makes no plan');
};

export const WARM_PORTS: WizardPorts = { makePlan: never, printPlan: never, runPlan: () => Promise.reject(new Error('no plan')) };

/** Keys, each after the picture of the one before: screens, lists, a text, help, back. The line is hung up at the end. */
export const WARM_KEYS = ['\r', '\r', '\x1b[B', '\r\r', '\x1bOP', '\r', '\x1b[B', '\x1b[A', '\r', '\r', '\x1b', '\x1b', 'x'] as const;
