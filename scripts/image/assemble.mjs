/** The cached Debian root plus what is ours: units, the program and its names, the release file, k3s. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { BuildError, CACHE, layOver, REPO, run, sha256File } from './lib.mjs';

/**
 * @typedef {object} Release
 * @property {string} version
 * @property {string} buildTime RFC 3339, UTC
 * @property {string} gitSha full commit, or `unknown` outside a checkout
 */

/** @returns {Promise<Release>} */
export async function release() {
  const packageVersion = JSON.parse(fs.readFileSync(path.join(REPO, 'package.json'), 'utf8')).version;
  const gitSha = await run('git', ['-C', REPO, 'rev-parse', 'HEAD']).catch(() => 'unknown');
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  if (epoch !== undefined && !/^[0-9]{1,11}$/.test(epoch))
    throw new BuildError(`SOURCE_DATE_EPOCH is "${epoch}"; it must be whole seconds since 1970`);
  const at = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000);
  const version = process.env['APPLIANCE_VERSION'] || packageVersion;
  if (!/^[A-Za-z0-9][A-Za-z0-9._+~-]{0,63}$/.test(version))
    throw new BuildError(`APPLIANCE_VERSION is "${version}"; use letters, digits and . _ + ~ - only`);
  return { version, buildTime: at.toISOString().replace(/\.\d+Z$/, 'Z'), gitSha: gitSha.trim() };
}

const releaseText = (r) => `APPLIANCE_VERSION="${r.version}"\nBUILD_TIME="${r.buildTime}"\nGIT_SHA="${r.gitSha}"\n`;

/** k3s is never fetched: a file and the hash that its publisher states, both given. Without them the image has no k3s. */
function addK3s(root, k3s) {
  if (k3s === null) return;
  if (!/^[0-9a-f]{64}$/i.test(k3s.sha256)) throw new BuildError('the SHA-256 of k3s must be 64 hexadecimal digits (--k3s-sha256)');
  const found = sha256File(k3s.file);
  if (found !== k3s.sha256.toLowerCase()) throw new BuildError(`${k3s.file} has SHA-256 ${found}, not ${k3s.sha256}; nothing was built`);
  layOver(path.join(REPO, 'mkosi/k3s'), root);
  const target = path.join(root, 'usr/local/bin/k3s');
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.copyFileSync(k3s.file, target);
  fs.chmodSync(target, 0o755);
}

/** Names of the program, as the build left them beside it. */
const linksTo = (binary) =>
  fs
    .readdirSync(path.dirname(binary), { withFileTypes: true })
    .filter((e) => e.isSymbolicLink() && fs.readlinkSync(path.join(e.parentPath, e.name)) === path.basename(binary))
    .map((e) => e.name);

function addProgram(root, binary) {
  if (!fs.existsSync(binary)) throw new BuildError(`${binary} does not exist; run "npm run build" first`);
  const bin = path.join(root, 'usr/bin');
  fs.copyFileSync(binary, path.join(bin, 'spatium'));
  fs.chmodSync(path.join(bin, 'spatium'), 0o755);
  for (const name of linksTo(binary)) fs.symlinkSync('spatium', path.join(bin, name));
}

/** Public keys that releases are signed with, and where this appliance gets its configuration from. Both are the builder's to give. */
function addPullFiles(root, { releaseKeys, pull }) {
  const dir = path.join(root, 'usr/lib/spatiumddi');
  for (const file of releaseKeys) {
    let type;
    try {
      type = crypto.createPublicKey(fs.readFileSync(file)).asymmetricKeyType;
    } catch (e) {
      throw new BuildError(`${file} is no public key: ${e.message}`);
    }
    if (type !== 'ed25519') throw new BuildError(`${file} is an ${type} key; releases are signed with Ed25519`);
    if (fs.readFileSync(file, 'utf8').includes('PRIVATE KEY'))
      throw new BuildError(`${file} is a private key; an image is given the public one`);
    fs.mkdirSync(path.join(dir, 'release-keys'), { recursive: true });
    fs.copyFileSync(file, path.join(dir, 'release-keys', `${path.basename(file, '.pem')}.pem`));
  }
  if (pull === null) return;
  try {
    JSON.parse(fs.readFileSync(pull, 'utf8'));
  } catch (e) {
    throw new BuildError(`${pull}: ${e.message}`);
  }
  fs.copyFileSync(pull, path.join(dir, 'pull.json'));
}

/**
 * @param {{base: string, profile: string, binary: string, k3s: {file: string, sha256: string} | null, release: Release,
 *   releaseKeys: readonly string[], pull: string | null}} parts
 * @returns {Promise<string>} the finished root, replaced by the next call
 */
export async function assembleRoot({ base, profile, binary, k3s, release: r, releaseKeys, pull }) {
  const root = path.join(CACHE, 'assembled');
  fs.rmSync(root, { recursive: true, force: true });
  await run('cp', ['-a', '--reflink=auto', '--no-target-directory', base, root]);
  const profileDir = path.join(REPO, 'mkosi/mkosi.profiles', profile);
  layOver(path.join(REPO, 'mkosi/mkosi.extra'), root);
  layOver(path.join(profileDir, 'mkosi.extra'), root);
  addProgram(root, binary);
  addK3s(root, k3s);
  addPullFiles(root, { releaseKeys, pull });
  await run('sh', [path.join(REPO, 'mkosi/mkosi.finalize')], { env: { BUILDROOT: root }, log: 'finalize' });
  const more = path.join(profileDir, 'mkosi.finalize');
  if (fs.existsSync(more)) await run('sh', [more], { env: { BUILDROOT: root }, log: `finalize-${profile}` });
  fs.mkdirSync(path.join(root, 'etc/spatiumddi'), { recursive: true });
  fs.writeFileSync(path.join(root, 'etc/spatiumddi/appliance-release'), releaseText(r), { mode: 0o644 });
  return root;
}
