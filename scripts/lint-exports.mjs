#!/usr/bin/env node
/**
 * Names each exported value that no other file mentions; exit 1 when there is one. Types stay exported where a signature shows them.
 * A name counts as mentioned wherever it stands outside comments, so nothing that is in use is ever named.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const FOLDERS = ['src', 'preseed', 'installer', 'console', 'test', 'scripts'];
const EXPORTED = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm;

const files = FOLDERS.filter((dir) => fs.existsSync(path.join(root, dir)))
  .flatMap((dir) => fs.readdirSync(path.join(root, dir), { recursive: true }).map((name) => path.join(dir, name)))
  .filter((file) => /\.(?:tsx?|[cm]js)$/.test(file))
  .map((file) => {
    const code = fs.readFileSync(path.join(root, file), 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');
    return { file, code, words: new Set(code.match(/\w+/g)) };
  });
const uses = new Map();
for (const { words } of files) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);

const lonely = files.flatMap(({ file, code }) =>
  [...code.matchAll(EXPORTED)].filter(([, name]) => uses.get(name) === 1).map(([, name]) => `${file}: ${name}`),
);
for (const line of lonely) process.stderr.write(`${line} is exported, and no other file uses it\n`);
if (lonely.length > 0) process.exitCode = 1;
else process.stdout.write('exports: each is used elsewhere\n');
