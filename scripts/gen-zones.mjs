#!/usr/bin/env node
/**
 * Makes src/rules/zones.gen.ts from two unpacked Debian packages:
 *   node scripts/gen-zones.mjs TZDATA_ROOT TZDATA_LEGACY_ROOT
 * where each root is what `dpkg-deb -x PACKAGE.deb ROOT` made. Names of tzdata are today's; names of tzdata-legacy are renamed zones.
 */
import fs from 'node:fs';
import path from 'node:path';

const [main, legacy] = process.argv.slice(2).map((root) => path.join(root, 'usr/share/zoneinfo'));
if (!main || !legacy) {
  process.stderr.write('usage: gen-zones.mjs TZDATA_ROOT TZDATA_LEGACY_ROOT\n');
  process.exit(2);
}
const NOT_ZONES = new Set(['Factory', 'localtime', 'posixrules', 'right', 'posix']);

const namesUnder = (root, dir = '') =>
  fs.readdirSync(path.join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const name = dir ? `${dir}/${entry.name}` : entry.name;
    if (NOT_ZONES.has(name) || /\.(tab|zi|list)$|^leapseconds$/.test(name)) return [];
    return entry.isDirectory() ? namesUnder(root, name) : [name];
  });

const today = namesUnder(main).sort();
const isToday = new Set(today);

function targetOf(name) {
  const seen = [];
  let at = name;
  while (!isToday.has(at)) {
    if (seen.includes(at)) throw new Error(`${name}: link goes round`);
    seen.push(at);
    const file = path.join(legacy, at);
    if (!fs.lstatSync(file).isSymbolicLink()) return sameBytes(file);
    at = path.normalize(path.join(path.dirname(at), fs.readlinkSync(file)));
  }
  return at;
}

/** A renamed zone that the package ships as a file of its own: find today's zone with the same rules. */
function sameBytes(file) {
  const bytes = fs.readFileSync(file);
  return today.find((name) => fs.readFileSync(path.join(main, name)).equals(bytes)) ?? null;
}

const renamed = namesUnder(legacy)
  .sort()
  .map((name) => [name, targetOf(name)]);
const lost = renamed.filter(([, to]) => to === null).map(([name]) => name);
if (lost.length) process.stderr.write(`no name of today for: ${lost.join(' ')}\n`);

const version = fs.readFileSync(path.join(main, 'tzdata.zi'), 'utf8').split('\n')[0].replace('# version ', '');
const wrap = (words) => {
  const lines = [''];
  for (const word of words) {
    if (lines.at(-1).length + word.length > 150) lines.push('');
    lines.push(`${lines.pop()}${word} `);
  }
  return lines.map((line) => `  '${line}'`).join(' +\n');
};
const text = `/** Time zones of tzdata ${version} as Debian 13 splits them. Made by scripts/gen-zones.mjs; do not edit. */
export const TZDATA_VERSION = '${version}';

/** Names of package tzdata, blank separated. */
export const ZONE_NAMES =
${wrap(today)};

/** Names of package tzdata-legacy, each as OLD=TODAY. */
export const RENAMED_ZONES =
${wrap(renamed.filter(([, to]) => to !== null).map(([from, to]) => `${from}=${to}`))};
`;
fs.writeFileSync(path.resolve(import.meta.dirname, '../src/rules/zones.gen.ts'), text);
process.stdout.write(`${today.length} zones, ${renamed.length} renamed, tzdata ${version}\n`);
