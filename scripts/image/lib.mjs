/** What the image scripts share: running a command, the cache folder, hashes of files. */
import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPO = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Outside the checkout, so that a clean clone does not build a Debian root again. */
export const CACHE = path.resolve(
  process.env['SPATIUM_CACHE'] || path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'spatium'),
);

export class BuildError extends Error {}

/** One line of progress with the seconds since the script began. */
const beganMs = Date.now();
export const say = (text) => process.stdout.write(`[${((Date.now() - beganMs) / 1000).toFixed(1).padStart(6)}s] ${text}\n`);

/**
 * Runs a command to its end with its output in a log file under the cache; a failure names the command,
 * shows the last 30 lines and where the rest is.
 * @param {string} command program, found on PATH (sbin included: Debian's root tools live there)
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: Record<string, string>, log?: string, allowed?: readonly number[]}} [options]
 * @returns {Promise<string>} standard output
 */
export async function run(command, args, options = {}) {
  const logFile = path.join(CACHE, 'log', `${options.log ?? path.basename(command)}.log`);
  fs.mkdirSync(path.dirname(logFile), { recursive: true });
  const log = fs.createWriteStream(logFile);
  const env = { ...process.env, ...options.env, LC_ALL: 'C.UTF-8', PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
  const child = spawn(command, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let both = '';
  const keep = (chunk) => {
    log.write(chunk);
    both = (both + chunk).slice(-16_384);
  };
  child.stdout.setEncoding('utf8').on('data', (c) => {
    stdout += c;
    keep(c);
  });
  child.stderr.setEncoding('utf8').on('data', keep);
  const end = await new Promise((resolve) => {
    child.once('error', (e) => resolve(e.code === 'ENOENT' ? 'is not installed' : e.message));
    child.once('close', (code, signal) => resolve(code === null ? `was ended by ${signal}` : code));
  });
  log.end();
  if (end !== 0 && !(options.allowed ?? []).includes(end)) {
    const tail = both.trimEnd().split('\n').slice(-30).join('\n');
    const why = typeof end === 'number' ? `ended with ${end}` : end;
    throw new BuildError(`${command} ${why}\n${tail}\n(all of it: ${logFile})`);
  }
  return stdout;
}

export const sha256File = (file) => {
  const hash = crypto.createHash('sha256');
  const fd = fs.openSync(file, 'r');
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let n = fs.readSync(fd, buffer); n > 0; n = fs.readSync(fd, buffer)) hash.update(buffer.subarray(0, n));
  fs.closeSync(fd);
  return hash.digest('hex');
};

/** Every file and link below `dir`, as paths relative to it, sorted. */
export const listFiles = (dir) =>
  fs.existsSync(dir)
    ? fs
        .readdirSync(dir, { withFileTypes: true, recursive: true })
        .filter((e) => !e.isDirectory())
        .map((e) => path.relative(dir, path.join(e.parentPath, e.name)))
        .sort()
    : [];

/** A digest of names and contents, for cache keys. */
export function digestOf(base, names) {
  const hash = crypto.createHash('sha256');
  for (const name of names) {
    const file = path.join(base, name);
    if (!fs.existsSync(file)) continue;
    const link = fs.lstatSync(file).isSymbolicLink();
    hash.update(`${name}\0${link ? fs.readlinkSync(file) : sha256File(file)}\0`);
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Copies a tree of the repository with the modes of a system: 0755 for folders and for what is executable in
 * git, 0644 for the rest, whatever the umask of the checkout was. Links stay links.
 */
export function layOver(from, to) {
  for (const e of fs.readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, e.name);
    const target = path.join(to, e.name);
    if (e.isDirectory()) {
      if (!fs.existsSync(target)) {
        fs.mkdirSync(target, { recursive: true });
        fs.chmodSync(target, 0o755);
      }
      layOver(source, target);
    } else {
      fs.rmSync(target, { force: true });
      if (e.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target);
      else {
        fs.copyFileSync(source, target);
        fs.chmodSync(target, fs.statSync(source).mode & 0o100 ? 0o755 : 0o644);
      }
    }
  }
}
