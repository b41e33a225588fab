/** The place of the first fault, against the parser: what it takes has no fault, what it refuses has one. */
import { expect, it } from 'vitest';
import { readCapture } from '#machine/capture-file.ts';
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import { jsonFault } from '#machine/json-fault.ts';

it.each([
  ['', 'the file is empty'],
  ['hello', 'first fault at line 1 column 1'],
  ['{"a": 1,\n "b" 2}', 'first fault at line 2 column 6'],
  ['{"a": 1,}', 'first fault at line 1 column 9'],
  ['[1, 2}', 'first fault at line 1 column 6'],
  ['[1 2]', 'first fault at line 1 column 4'],
  ['{"a":\n[1,\n', 'it ends too early, in line 2'],
  ['{} {}', 'first fault at line 1 column 4'],
  ['[01]', 'first fault at line 1 column 3'],
  ['{"a": "b', 'first fault at line 1 column 7'],
  ['[[1], {"a": [}]', 'first fault at line 1 column 14'],
  [']', 'first fault at line 1 column 1'],
])('%j', (text, expected) => expect(jsonFault(text)).toBe(expected));

it('is what a capture and a listing are refused with', () => {
  expect(() => readCapture('{"schema": 1,\n x}')).toThrow(/^not JSON: first fault at line 2 column 2\. Record one/);
  expect(() => machineFromLsblk(new TextEncoder().encode('{"blockdevices": ['), { firmware: 'uefi' })).toThrow(
    /^not JSON: it ends too early, in line 1\. Make the listing/,
  );
});

it('finds a fault wherever one character is cut out of a document that then no longer parses', () => {
  const text = '{"a": [1, -2.5e3, "x\\"y"], "b": {"c": null, "d": [true, false, {}, []]}}';
  for (let i = 0; i < text.length; i += 1) {
    const cut = text.slice(0, i) + text.slice(i + 1);
    let parses = true;
    try {
      JSON.parse(cut);
    } catch {
      parses = false;
    }
    if (!parses) expect(jsonFault(cut), cut).toMatch(/^(?:first fault at line 1 column \d+|it ends too early, in line 1)$/);
  }
});
