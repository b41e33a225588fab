import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSameMachine, readProductUuid, readToken } from '../../../src/supervisor/identity/dmi.ts';
import { judgeSerial } from '../../../src/supervisor/identity/token.ts';
import { Machine, UUID } from './support.ts';

const BODY = 'AbCdEfGhIjKlMnOpQrStUvWxYz012345';
const PIN = 'p'.repeat(43);

describe('the serial number', () => {
  test.each<[string, string, string | null]>([
    ['plain', `z9:${BODY}`, null],
    ['with a key', `z9:${BODY}.${PIN}`, PIN],
    ['with blanks and a line end', `  z9:${BODY} \t\n`, null],
    ['128 characters', `z9:${'a'.repeat(128)}`, null],
    ['- and _', `z9:${'-_'.repeat(16)}`, null],
  ])('a token: %s', (_name, text, pin) => {
    const verdict = judgeSerial({ kind: 'text', text });
    expect(verdict).toMatchObject({ kind: 'ok', pin, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(verdict.kind === 'ok' && verdict.token.reveal()).toBe(text.trim());
  });

  test.each([
    ['', 'no_token'],
    ['\n', 'no_token'],
    ['   \n', 'no_token'],
    ['To be filled by O.E.M.\n', 'placeholder'],
    ['TO BE FILLED BY O.E.M.', 'placeholder'],
    ['Default string', 'placeholder'],
    ['System Serial Number', 'placeholder'],
    ['Not Specified', 'placeholder'],
    ['None', 'placeholder'],
    ['0', 'placeholder'],
    ['xxxxxxxxxxxx', 'placeholder'],
    ['0123456789', 'placeholder'],
    ['ab', 'placeholder'],
    ['VMware-42 1f 22 33', 'not_a_token'],
    [`z8:${BODY}`, 'not_a_token'],
    [`Z9:${BODY}`, 'not_a_token'],
    [`xz9:${BODY}`, 'not_a_token'],
    [`\u00a0z9:${BODY}`, 'not_a_token'],
    ['z9:', 'damaged_token'],
    [`z9:${'a'.repeat(31)}`, 'damaged_token'],
    [`z9:${'a'.repeat(129)}`, 'damaged_token'],
    [`z9:${BODY}=`, 'damaged_token'],
    [`z9:${BODY} ${BODY}`, 'damaged_token'],
    [`z9:${BODY}.`, 'damaged_token'],
    [`z9:${BODY}.${'p'.repeat(42)}`, 'damaged_token'],
    [`z9:${BODY}.${'p'.repeat(42)}+`, 'damaged_token'],
    [`z9:${BODY}.${PIN}.x`, 'damaged_token'],
    [`z9:${BODY}\u00e9`, 'damaged_token'],
  ])('%j is %s', (text, state) => {
    const verdict = judgeSerial({ kind: 'text', text });
    expect(verdict).toMatchObject({ kind: 'none', state });
    // The rule and the length are told, never the text.
    if (verdict.kind === 'none' && text.includes(BODY)) expect(verdict.detail).not.toContain(BODY.slice(0, 6));
  });

  test('a serial of 339 bytes comes through whole', async () => {
    const machine = new Machine();
    machine.serial('s'.repeat(339).replace(/^./, 'x'));
    expect(await readToken(machine.root)).toMatchObject({ state: 'not_a_token', detail: expect.stringContaining('339 characters') });
  });

  test('no DMI at all, and one that may not be read', async () => {
    const machine = new Machine();
    expect(await readToken(path.join(machine.root, 'nowhere'))).toMatchObject({ state: 'no_dmi' });
    expect(judgeSerial({ kind: 'denied' })).toMatchObject({ state: 'denied' });
    if (process.getuid?.() === 0) {
      // As a supervisor that does not run as root.
      process.seteuid?.(65_534);
      const verdict = await readToken(machine.root).finally(() => process.seteuid?.(0));
      expect(verdict).toMatchObject({ state: 'denied', detail: expect.stringContaining('root') });
    } else {
      chmodSync(path.join(machine.root, 'sys/class/dmi/id/product_serial'), 0o000);
      expect(await readToken(machine.root)).toMatchObject({ state: 'denied' });
    }
  });

  test('an OEM string carries the token where the serial cannot be set', async () => {
    const machine = new Machine();
    machine.serial('VMware-42 1f');
    const dir = path.join(machine.root, 'sys/firmware/dmi/entries/11-0');
    mkdirSync(dir, { recursive: true });
    const table = Buffer.concat([Buffer.from([11, 5, 0, 1, 2]), Buffer.from(`something else\0z9:${BODY}\0\0`)]);
    writeFileSync(path.join(dir, 'raw'), table);
    const verdict = await readToken(machine.root);
    expect(verdict.kind === 'ok' && verdict.token.reveal()).toBe(`z9:${BODY}`);
  });
});

describe('the UUID', () => {
  test('is lower case, and null when it names no machine', async () => {
    const machine = new Machine();
    machine.uuid(UUID.toUpperCase());
    expect(await readProductUuid(machine.root)).toBe(UUID);
    for (const text of ['00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', 'Not Settable', '']) {
      machine.uuid(text);
      expect(await readProductUuid(machine.root)).toBe(null);
    }
  });

  test('an unknown one proves nothing', () => {
    expect(isSameMachine(null, UUID)).toBe(true);
    expect(isSameMachine(UUID, null)).toBe(true);
    expect(isSameMachine(UUID, UUID.replace('1', '2'))).toBe(false);
  });
});
