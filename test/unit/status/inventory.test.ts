/**
 * The cases of the console inventory, section 8, by number: every one has a test. A test names its cases at the beginning of its
 * title, `T55: ...` or `T34, T35: ...`, or of the row of its table; a case whose test has another title is listed here with it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const TESTS = path.resolve(import.meta.dirname, '../..');

/** Number and what goes in, in a few words. */
const CASES: Readonly<Record<string, string>> = {
  T01: 'all well',
  T02: 'a pod in a crash loop',
  T03: 'four restarts, the last a moment ago',
  T04: 'two restarts, the last a moment ago',
  T06: 'a flapping pod before a crashing one',
  T08: 'an init container without its image',
  T09: 'a container that cannot be configured',
  T10: 'a pod that fits nowhere',
  T11: '/var around its limits',
  T13: 'the unit of k3s failed',
  T14: 'k3s does not say that it is ready',
  T16: 'three nodes without a leader',
  T18: 'two of three nodes gone, etcd silent',
  T21: 'the API does not answer',
  T22: 'two of three speakers',
  T23: 'etcd is being restored',
  T25: 'a patch of the host failed',
  T26: 'a trial boot, and its commit',
  T27: 'the loop of the supervisor at 299 and 300 s',
  T28: 'no supervisor ever',
  T29: 'the control plane refuses connections',
  T30: 'the approval was revoked',
  T31: 'nothing known at all',
  T33: 'memory nearly full and stalling',
  T34: 'web UI blocked',
  T35: 'web UI blocked by an old check',
  T37: 'web UI scoped or open',
  T38: 'a check that cannot tell',
  T40: 'a mirror in order',
  T41: 'a mirror rebuilding',
  T42: 'a mirror of three with two',
  T44: 'an array that did not assemble',
  T45: 'an array whose size cannot be read',
  T47: 'the monthly check of an array',
  T48: 'two paths',
  T50: 'no path, and one of two',
  T52: 'the MTU of this boot and of another',
  T54: 'no pressure reported, and none there',
  T55: '80x24 and eleven pods',
  T56: '80x24, 33 pods, three nodes',
  T58: 'large screens, one to seven nodes',
  T59: '80x30',
  T60: 'another size from one frame to the next, and none',
  T62: 'pods that could not be listed',
  T64: 'the longest names',
  T66: 'F5 in two halves',
  T68: 'a digit',
  T71: 'F5 and a wrong password',
  T72: 'a reboot of the fleet is cancelled',
  T73: 'a login prompt that nobody uses',
  T74: 'the pods page while the API hangs',
  T75: 'a child that leaves the terminal raw',
  T77: 'two consoles cost what one costs',
  T78: 'a socket that stops sending',
  T79: 'a serial line with nothing happening',
  T80: 'a terminal without UTF-8 or colours',
  T81: 'the kernel writes over the screen',
  T83: 'log lines of klog, etcd, a panic, systemd',
  T86: 'pairing again on an appliance',
};

/** Cases of the console and its actions, in tests that are called otherwise. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, title: string]>> = {
  T68: ['unit/console/reducer.test.ts', 'noise %j does nothing'],
  T71: ['unit/console/desk.test.ts', 'wrong three times: closed'],
  T72: ['terminal/status/own-server.test.ts', "'systemctl stop spatiumddi-reboot.service spatiumddi-reboot-agent.service'"],
  T74: ['terminal/console/keys.test.ts', 'the log page filters and the pods page lists'],
  T75: ['terminal/ui/reopen.test.ts', 'keys come, raw, at every turn on the own terminal'],
  T79: ['terminal/console/console.test.ts', 'costs less than 200 bytes a second when nothing happens'],
  T80: ['terminal/console/console.test.ts', 'vt220 gets ASCII and no colours'],
  T81: ['terminal/console/console.test.ts', 'Ctrl-L draws over what others wrote'],
  T86: ['unit/supervisor/actions.test.ts', "describe('pairing again'"],
};

/** Without a test, and why. An entry here is a debt, and goes when the test comes. */
const OPEN: Readonly<Record<string, string>> = {};

const files = fs
  .readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((f) => /\.test\.tsx?$/.test(f) && !f.endsWith('inventory.test.ts'));

/** Cases named at the beginning of a title or of a row. */
function named(text: string): string[] {
  const starts = [...text.matchAll(/['"`]((?:T\d\d(?:, )?)+)[: ]/g)];
  return starts.flatMap(([, numbers = '']) => numbers.match(/T\d\d/g) ?? []);
}
const found = new Set(files.flatMap((f) => named(fs.readFileSync(path.join(TESTS, f), 'utf8'))));

it.each(Object.entries(CASES))('%s, %s, has a test', (number) => {
  if (number in OPEN) {
    expect(found.has(number), 'it has a test now: take it out of OPEN').toBe(false);
    return;
  }
  const elsewhere = ELSEWHERE[number];
  if (!elsewhere) expect([...found]).toContain(number);
  else expect(fs.readFileSync(path.join(TESTS, elsewhere[0]), 'utf8')).toContain(elsewhere[1]);
});

it('no test names a case that there is not', () => {
  expect([...found].filter((n) => !(n in CASES))).toEqual([]);
});
