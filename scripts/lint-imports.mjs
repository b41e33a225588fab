#!/usr/bin/env node
/** Checks every import against scripts/import-table.mjs. Names each violation; exit 1 when there is one. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOMS, ROOTS } from './import-table.mjs';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const root = process.argv[2] ? path.resolve(process.argv[2]) : repo;
const aliases = JSON.parse(fs.readFileSync(path.join(repo, 'package.json'), 'utf8')).imports;
const TOP = ['src', 'preseed', 'installer', 'console', 'test/panel'];
const roomNames = Object.keys(ROOMS).sort((a, b) => b.length - a.length);

const walk = (dir) =>
  fs.existsSync(dir)
    ? fs
        .readdirSync(dir, { withFileTypes: true })
        .flatMap((e) =>
          e.isDirectory() ? walk(path.join(dir, e.name)) : /\.(ts|tsx|mts|js|mjs)$/.test(e.name) ? [path.join(dir, e.name)] : [],
        )
    : [];

/** Blanks comments, keeping line numbers; strings are left, since specifiers are strings. */
const stripComments = (text) =>
  text.replace(/(['"`])(?:\\[\s\S]|(?!\1)[^\\\n])*\1|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (m) =>
    m.startsWith('/*') || m.startsWith('//') ? m.replace(/[^\n]/g, ' ') : m,
  );

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bimport\s+)(['"])([^'"\n]+)\1/g;

function importsOf(text) {
  const clean = stripComments(text);
  return [...clean.matchAll(SPECIFIER)].map((m) => ({ specifier: m[2], line: clean.slice(0, m.index).split('\n').length }));
}

const roomOf = (rel) => roomNames.find((r) => rel.startsWith(`${r}/`)) ?? null;

function resolve(file, specifier) {
  if (specifier.startsWith('.')) return path.relative(root, path.resolve(path.dirname(file), specifier));
  if (specifier.startsWith('#')) {
    for (const [key, target] of Object.entries(aliases)) {
      const prefix = key.slice(0, -1);
      if (specifier.startsWith(prefix)) return path.normalize(target.slice(0, -1) + specifier.slice(prefix.length));
    }
  }
  return null;
}

const packageName = (s) =>
  s
    .split('/')
    .slice(0, s.startsWith('@') ? 2 : 1)
    .join('/');

function check(file) {
  const rel = path.relative(root, file);
  const rootRule = ROOTS[rel];
  const room = roomOf(rel);
  const table = room ? ROOMS[room] : null;
  const found = [];
  for (const { specifier, line } of importsOf(fs.readFileSync(file, 'utf8'))) {
    const at = `${rel}:${line}`;
    const fail = (why) => found.push(`${at}  imports "${specifier}": ${why}`);
    const local = resolve(file, specifier);
    if (local !== null) {
      const to = roomOf(local);
      if (rootRule) {
        const banned = rootRule.not.find((r) => local === r || local.startsWith(`${r}/`));
        if (banned) fail(`${rel} is a composition root that must not reach into ${banned}`);
      } else if (!room) fail(`${rel} stands in no room and is no composition root`);
      else if (local.startsWith('schemas/') || local.includes('.gen.')) continue;
      else if (table.roots?.includes(local)) continue;
      else if (ROOTS[local] && local !== 'src/main.ts') fail(`${local} is a composition root; only src/main.ts loads it`);
      else if (to === null) fail(`${local} stands in no room`);
      else if (to !== room && !table.rooms.includes(to))
        fail(`${room} may import ${table.rooms.length ? table.rooms.join(', ') : 'nothing'}, not ${to}`);
    } else if (specifier.startsWith('node:')) {
      if (rootRule) continue;
      const name = specifier.slice(5);
      if (table && !table.node.includes('*') && !table.node.includes(name))
        fail(
          `${room} may use ${table.node.length ? `node:${table.node.join(', node:')}` : 'no node: module'}; files and processes go through src/system`,
        );
    } else if (!rootRule && table && !table.packages.includes(packageName(specifier))) {
      fail(`${room} may use ${table.packages.length ? table.packages.join(', ') : 'no package'}`);
    }
  }
  return found;
}

const violations = TOP.flatMap((t) => walk(path.join(root, t))).flatMap(check);
for (const v of violations) process.stderr.write(`${v}\n`);
if (violations.length) {
  process.stderr.write(`${violations.length} forbidden import(s); the table is scripts/import-table.mjs\n`);
  process.exitCode = 1;
} else process.stdout.write('imports: all within the table\n');
