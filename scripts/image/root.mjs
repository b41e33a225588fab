/** The Debian root: mkosi itself, the apt sources it is given, and the cached result. */
import fs from 'node:fs';
import path from 'node:path';
import { BuildError, CACHE, digestOf, layOver, listFiles, REPO, run, say } from './lib.mjs';

const MKOSI_DIR = path.join(REPO, 'mkosi');
const RELEASE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const MKOSI_MIN = 25;

/**
 * Where Debian comes from: the environment, else what apt on this machine uses.
 * @returns {Promise<{main: string, security: string | null}>} archive URIs without a final slash
 */
async function mirrors() {
  const trim = (uri) => uri.replace(/\/+$/, '');
  const main = process.env['SPATIUM_DEBIAN_MIRROR'];
  const security = process.env['SPATIUM_DEBIAN_SECURITY_MIRROR'];
  if (main) return { main: trim(main), security: security ? trim(security) : null };
  const out = await run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(RELEASE) $(ORIGIN)', 'Created-By: Packages'], {
    log: 'apt-indextargets',
  });
  const rows = out.split('\n').map((line) => line.trim().split(' '));
  // ORIGIN is known only after an `apt-get update`; before that the path tells Debian's archive from others'.
  const debian = rows.filter(([uri = '', , origin]) => origin === 'Debian' || /\/debian(-security)?\/?$/.test(uri));
  const find = (isSecurity) => debian.find(([, release = '']) => release.includes('-security') === isSecurity)?.[0];
  const found = find(false);
  if (!found)
    throw new BuildError(
      "this machine's apt has no Debian archive to build from; set SPATIUM_DEBIAN_MIRROR (and SPATIUM_DEBIAN_SECURITY_MIRROR) to the URIs of one",
    );
  const foundSecurity = find(true);
  return { main: trim(found), security: foundSecurity ? trim(foundSecurity) : null };
}

const stanza = (uri, suites) => `Types: deb\nURIs: ${uri}\nSuites: ${suites}\nComponents: main non-free-firmware\nSigned-By: ${KEYRING}\n`;

/** deb822 text. A snapshot mirror has Release files that are past their date, hence the check that is off. */
const sourcesText = ({ main, security }) =>
  [stanza(main, `${RELEASE} ${RELEASE}-updates`), ...(security ? [stanza(security, `${RELEASE}-security`)] : [])]
    .map((s) => (/snapshot/.test(main) ? `${s}Check-Valid-Until: no\n` : s))
    .join('\n');

/** apt that sees one sources file and keeps its state in `dir`: nothing of the host's apt is touched. */
const isolatedApt = (dir) => [
  '-o', `Dir::Etc::sourcelist=${dir}/spatium.sources`,
  '-o', 'Dir::Etc::sourceparts=/dev/null',
  '-o', `Dir::State::lists=${dir}/lists`,
  '-o', `Dir::Cache=${dir}/cache`,
  '-o', 'APT::Sandbox::User=root',
]; // biome-ignore format: one option a line

/**
 * mkosi >= 25 from PATH, else the release's package unpacked in the cache.
 * @returns {Promise<{command: string, args: readonly string[], env: Record<string, string>}>}
 */
async function findMkosi(sources) {
  const version = await run('mkosi', ['--version'], { log: 'mkosi-version' }).catch(() => '');
  if (Number(/mkosi (\d+)/.exec(version)?.[1] ?? Number.NaN) >= MKOSI_MIN) return { command: 'mkosi', args: [], env: {} };
  const unpacked = path.join(CACHE, 'mkosi');
  const python = path.join(unpacked, 'usr/lib/python3/dist-packages');
  if (!fs.existsSync(path.join(python, 'mkosi'))) {
    say(`getting mkosi from ${RELEASE}`);
    const apt = path.join(CACHE, 'apt');
    for (const d of ['lists/partial', 'cache/archives/partial', 'deb']) fs.mkdirSync(path.join(apt, d), { recursive: true });
    fs.writeFileSync(path.join(apt, 'spatium.sources'), sourcesText({ main: sources.main, security: null }));
    await run('apt-get', [...isolatedApt(apt), 'update'], { log: 'apt-update' });
    await run('apt-get', [...isolatedApt(apt), 'download', 'mkosi'], { cwd: path.join(apt, 'deb'), log: 'apt-download' });
    const deb = fs
      .readdirSync(path.join(apt, 'deb'))
      .filter((n) => n.startsWith('mkosi_'))
      .sort()
      .at(-1);
    if (!deb) throw new BuildError('apt-get download mkosi left no package');
    const fresh = `${unpacked}.new`;
    fs.rmSync(fresh, { recursive: true, force: true });
    await run('dpkg-deb', ['-x', path.join(apt, 'deb', deb), fresh]);
    fs.rmSync(unpacked, { recursive: true, force: true });
    fs.renameSync(fresh, unpacked);
  }
  return { command: 'python3', args: ['-B', '-m', 'mkosi'], env: { PYTHONPATH: python } };
}

const profileConf = (profile) => `mkosi.profiles/${profile}/mkosi.conf`;

/** What the root depends on: the definition, the skeleton, and the mirror only when one was asked for. */
function rootKey(profile) {
  const skeleton = listFiles(path.join(MKOSI_DIR, 'mkosi.skeleton')).map((n) => `mkosi.skeleton/${n}`);
  const pinned = (process.env['SPATIUM_DEBIAN_MIRROR'] ?? '').replace(/[^a-zA-Z0-9]+/g, '-').slice(-60);
  return `${digestOf(MKOSI_DIR, ['mkosi.conf', 'mkosi.local.conf', profileConf(profile), ...skeleton])}${pinned}`;
}

/**
 * The Debian root without the program: built once for a package list, then taken from the cache.
 * @param {{fresh: boolean, profile: string}} options `fresh` builds again, for security updates of the same list; `profile`
 *   names a folder of mkosi.profiles
 * @returns {Promise<string>} a folder to read from, never to write to
 */
export async function debianRoot({ fresh, profile }) {
  const root = path.join(CACHE, 'root', rootKey(profile));
  if (!fresh && fs.existsSync(root)) {
    const days = Math.floor((Date.now() - fs.statSync(root).ctimeMs) / 86_400_000);
    say(`root from the cache, ${days} day(s) old (--fresh builds it again)`);
    return root;
  }
  const sources = await mirrors();
  const mkosi = await findMkosi(sources);
  const work = path.join(CACHE, 'mkosi-work');
  fs.rmSync(work, { recursive: true, force: true });
  const config = path.join(work, 'config');
  const sandbox = path.join(work, 'sandbox');
  fs.mkdirSync(config, { recursive: true });
  fs.mkdirSync(path.join(config, path.dirname(profileConf(profile))), { recursive: true });
  for (const n of ['mkosi.conf', 'mkosi.local.conf', profileConf(profile)])
    if (fs.existsSync(path.join(MKOSI_DIR, n))) fs.copyFileSync(path.join(MKOSI_DIR, n), path.join(config, n));
  fs.mkdirSync(path.join(config, 'mkosi.skeleton'));
  layOver(path.join(MKOSI_DIR, 'mkosi.skeleton'), path.join(config, 'mkosi.skeleton'));
  // With a sources file of ours mkosi writes none, so not the debug archive either, which mirrors often lack.
  fs.mkdirSync(path.join(sandbox, 'etc/apt/sources.list.d'), { recursive: true });
  fs.writeFileSync(path.join(sandbox, 'etc/apt/sources.list.d/mkosi.sources'), sourcesText(sources));
  const packages = path.join(CACHE, 'packages');
  fs.mkdirSync(packages, { recursive: true });
  say(`building the root with mkosi (about 2 minutes; log: ${path.join(CACHE, 'log/mkosi.log')})`);
  const options = [
    `--directory=${config}`, `--sandbox-tree=${sandbox}`, `--output-directory=${work}/out`,
    `--package-cache-directory=${packages}`, `--profile=${profile}`, '--force', 'build',
  ]; // biome-ignore format: options
  await run(mkosi.command, [...mkosi.args, ...options], { cwd: config, env: mkosi.env, log: 'mkosi' });
  fs.mkdirSync(path.dirname(root), { recursive: true });
  fs.rmSync(root, { recursive: true, force: true });
  fs.renameSync(path.join(work, 'out', 'spatium-root'), root);
  fs.rmSync(work, { recursive: true, force: true });
  return root;
}
