/** The README's table of commands and the program's own list are the same. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LINK_NAMES, usage } from '../../../src/calls.ts';
import { REPO } from '../../support/program.ts';

const readme = fs.readFileSync(path.join(REPO, 'README.md'), 'utf8');
const own = [...usage().matchAll(/^ {2}([a-z-]+) /gm)].map((match) => match[1]);
/** Names of links that stand for a command which the README shows. */
const FACES: Readonly<Record<string, string>> = { 'spatium-install': 'install', 'spatium-console': 'console' };

/** Commands in code, in a table row or a block of shell. */
const shown = new Set([
  ...[...readme.matchAll(/(?:`|^|\s|dist\/)spatium ([a-z-]+)/gm)].map((match) => match[1]),
  ...Object.entries(FACES).flatMap(([link, name]) => (readme.includes(`\`${link}`) ? [name] : [])),
]);

it('the program lists its commands', () => expect(own.length).toBeGreaterThan(10));

it.each(own)('spatium %s is in the README', (name) => expect([...shown]).toContain(name));

it('the README shows no command and no link that the program does not have', () => {
  expect([...shown].filter((name) => !own.includes(name))).toEqual([]);
  const links = [...readme.matchAll(/[`/](spatium(?:ddi)?-[a-z]+(?:-[a-z]+)*)[` ]/g)].map((match) => match[1] as string);
  expect(links.filter((name) => ![...LINK_NAMES].includes(name))).toEqual([]);
});
