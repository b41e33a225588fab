/**
 * Writes installer/wizard/keyboards.gen.ts: what the keys of each offered layout type, from the keyboard data of this system.
 * Needs ckbcomp (Debian package console-setup). Usage: node scripts/gen-keyboards.mjs [PATH-OF-CKBCOMP]
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { keyboardOf } from '../installer/plan/system-files.ts';

const NAMES = 'us uk de fr es it pt br-abnt2 ca dk fi no se nl pl cz ru jp106'.split(' ');
/** Kernel key codes of the typing keys, row by row: 1 to =, q to ], a to ' and the two beside it, the key left of z, z to /. */
const CODES = [41, ...range(2, 13), ...range(16, 27), ...range(30, 40), 43, 86, ...range(44, 53)];

function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** A printable ASCII character, else a blank: accents, dead keys and other scripts cannot be shown everywhere. */
function charOf(word) {
  const code = Number.parseInt(/^\+?U\+([0-9a-f]{4})$/.exec(word ?? '')?.[1] ?? '', 16);
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : ' ';
}

const ckbcomp = process.argv[2] ?? 'ckbcomp';
const rows = NAMES.map((name) => {
  const { layout, variant, model } = keyboardOf(name);
  const text = execFileSync(ckbcomp, ['-model', model, layout, ...(variant === '' ? [] : [variant])], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  // A key that follows no common pattern has a line for each level instead of one with all of them.
  const words = new Map(
    [...text.matchAll(/^keycode (\d+) = (\S+) (\S+)/gm)].map(([, code, plain, shifted]) => [Number(code), [plain, shifted]]),
  );
  for (const [, level, code, word] of text.matchAll(/^(plain|shift) keycode (\d+) = (\S+)/gm)) {
    const [plain, shifted] = words.get(Number(code)) ?? [];
    words.set(Number(code), level === 'plain' ? [word, shifted] : [plain, word]);
  }
  const level = (i) => CODES.map((code) => charOf(words.get(code)?.[i])).join('');
  return `  ${/^\w+$/.test(name) ? name : `'${name}'`}: [${JSON.stringify(level(0))}, ${JSON.stringify(level(1))}],`;
});
const out = path.resolve(import.meta.dirname, '../installer/wizard/keyboards.gen.ts');
fs.writeFileSync(
  out,
  `/**
 * What each key types, plain and with Shift, in the same order of keys; a blank for what is not ASCII.
 * Made by scripts/gen-keyboards.mjs; do not edit.
 */
export const KEYBOARDS: Readonly<Record<string, readonly [plain: string, shifted: string]>> = {
${rows.join('\n')}
};
`,
);
