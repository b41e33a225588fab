/**
 * Builds the small Debian 13 root of the loop tier, once, as a squashfs in the user's cache.
 * Prints its path. Needs root and mmdebstrap; the package mirror is the one this host's apt uses.
 * SPATIUM_SQUASHFS names a ready one (the image build's) and wins.
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const here = path.dirname(new URL(import.meta.url).pathname);
const cacheDir = path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'spatium');

/** Base addresses of this host's apt, from both spellings of its source files: [main archive, security archive]. */
function mirrors(): { main: string; security: string | null } {
  const dir = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...(fs.existsSync(dir) ? fs.readdirSync(dir).map((n) => path.join(dir, n)) : [])];
  const text = files
    .filter((f) => fs.existsSync(f))
    .map((f) => fs.readFileSync(f, 'utf8'))
    .join('\n')
    .replace(/^\s*#.*$/gm, '');
  const urls = [...text.matchAll(/\bhttps?:\/\/[^\s\]]+/g)].map((m) => m[0].replace(/\/$/, ''));
  const security = urls.find((u) => /security/.test(u)) ?? null;
  const main = urls.find((u) => /\/debian$/.test(u) && u !== security) ?? null;
  if (main === null)
    throw new Error("make-root: this host's apt names no Debian archive (a URL ending in /debian); set SPATIUM_SQUASHFS instead");
  return { main, security };
}

export function makeRoot(): string {
  const ready = process.env['SPATIUM_SQUASHFS'];
  if (ready) return path.resolve(ready);
  const list = fs.readFileSync(path.join(here, 'packages.txt'), 'utf8');
  const packages = list
    .split('\n')
    .map((l) => l.replace(/#.*/, '').trim())
    .filter(Boolean);
  const key = crypto
    .createHash('sha256')
    .update(`3 ${packages.join(' ')}`)
    .digest('hex')
    .slice(0, 12);
  const out = path.join(cacheDir, `loop-root-${key}.squashfs`);
  if (fs.existsSync(out)) return out;
  fs.mkdirSync(cacheDir, { recursive: true });
  const { main, security } = mirrors();
  const work = fs.mkdtempSync(path.join(cacheDir, 'loop-root-work-'));
  const root = path.join(work, 'root');
  try {
    const stdio: StdioOptions = ['ignore', process.stderr, process.stderr];
    const sources = [`deb ${main} trixie main`, `deb ${main} trixie-updates main`];
    if (security) sources.push(`deb ${security} trixie-security main`);
    execFileSync('mmdebstrap', ['--mode=root', '--variant=minbase', `--include=${packages.join(',')}`, 'trixie', root, ...sources], {
      stdio,
      timeout: 900_000,
    });
    for (const dir of ['etc/spatiumddi', 'boot/efi', 'var/lib/spatium-state']) fs.mkdirSync(path.join(root, dir), { recursive: true });
    fs.writeFileSync(path.join(root, 'etc/spatiumddi/appliance-release'), 'APPLIANCE_VERSION="2026.01.01-loop"\nBUILD_TIME="2026-01-01"\n');
    fs.rmSync(path.join(root, 'var/lib/apt/lists'), { recursive: true, force: true });
    execFileSync('mksquashfs', [root, `${out}.part`, '-comp', 'zstd', '-Xcompression-level', '3', '-noappend', '-no-progress', '-quiet'], {
      stdio,
      timeout: 600_000,
    });
    fs.renameSync(`${out}.part`, out);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return out;
}

if (process.argv[1] === new URL(import.meta.url).pathname) process.stdout.write(`${makeRoot()}\n`);
