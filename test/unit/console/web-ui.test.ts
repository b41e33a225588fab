import { expect, it } from 'vitest';
import { hostLines } from '#console/panels/host.ts';
import { textOf } from '#console/style.ts';
import { stateOf } from '../../support/console-fixtures.ts';

const lineOf = (state: ReturnType<typeof stateOf>): string =>
  hostLines(state, 80)
    .map(textOf)
    .find((l) => l.includes('Web UI')) ?? '';

it.each([
  ['k3s runs on a box with a role', stateOf(), ' Web UI https://192.168.10.21'],
  ['no role is set', stateOf({ identity: { role: null } }), ' Web UI -'],
  ['k3s does not run', stateOf({ k3s: { unit_state: 'inactive' } }), ' Web UI -'],
  ['k3s is not installed', stateOf({}, { k3s: { state: 'not_applicable', data: null } }), ' Web UI -'],
  ['k3s is not known', stateOf({}, { k3s: { state: 'unavailable', data: null } }), ' Web UI https://192.168.10.21 ?'],
])('%s', (_, state, text) => expect(lineOf(state).trimEnd()).toBe(text));
