#!/usr/bin/env node
/** `npm run image`: Debian root, our parts over it, installer ISO. Run with --help for its options. */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { assembleRoot, release } from './assemble.mjs';
import { checkRoot } from './gates.mjs';
import { checkLocked } from './gates-locked.mjs';
import { makeIso, menuOf } from './iso.mjs';
import { BuildError, CACHE, REPO, say, sha256File } from './lib.mjs';
import { debianRoot } from './root.mjs';

const USAGE = `usage: build-image.mjs [options]   (as root, on a Debian system)

  --fresh              build the Debian root again, for security updates
  --binary FILE        the program (dist/spatium)
  --k3s FILE           k3s to put into the image; needs --k3s-sha256
  --k3s-sha256 HEX     what FILE must hash to
  --profile NAME       open: an operator may log in (the default); locked: nobody may
  --release-key FILE   public key (Ed25519, PEM) that releases are signed with; two may be given
  --pull FILE          pull.json: kind and panel of the appliance
  --output FILE        the ISO (dist/spatium.iso; dist/spatium-locked.iso)
  --level N            zstd level of the root on the medium, 1-22 (3; a release wants 19)

Environment: SPATIUM_CACHE (${CACHE}), SPATIUM_K3S, SPATIUM_K3S_SHA256,
SPATIUM_DEBIAN_MIRROR, SPATIUM_DEBIAN_SECURITY_MIRROR (else those of apt on this machine; a snapshot pins the build),
APPLIANCE_VERSION, SOURCE_DATE_EPOCH.
Exit codes: 0 built, 1 a step failed, 2 wrong arguments.
`;

const PROFILES = ['open', 'locked'];

class UsageError extends Error {}

function options() {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        fresh: { type: 'boolean', default: false },
        binary: { type: 'string', default: path.join(REPO, 'dist/spatium') },
        k3s: { type: 'string', default: process.env['SPATIUM_K3S'] ?? '' },
        'k3s-sha256': { type: 'string', default: process.env['SPATIUM_K3S_SHA256'] ?? '' },
        profile: { type: 'string', default: 'open' },
        'release-key': { type: 'string', multiple: true, default: [] },
        pull: { type: 'string', default: '' },
        output: { type: 'string', default: '' },
        level: { type: 'string', default: '3' },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (e) {
    throw new UsageError(e.message);
  }
  if (!/^([1-9]|1[0-9]|2[0-2])$/.test(values.level)) throw new UsageError(`--level ${values.level}: must be 1 to 22`);
  if ((values.k3s === '') !== (values['k3s-sha256'] === '')) throw new UsageError('--k3s and --k3s-sha256 go together');
  if (!PROFILES.includes(values.profile)) throw new UsageError(`--profile ${values.profile}: must be ${PROFILES.join(' or ')}`);
  const name = values.profile === 'open' ? 'spatium.iso' : `spatium-${values.profile}.iso`;
  return { ...values, output: values.output === '' ? path.join(REPO, 'dist', name) : values.output };
}

async function build(o) {
  if (process.getuid?.() !== 0) throw new BuildError('run as root: the root file system holds files of root');
  fs.mkdirSync(CACHE, { recursive: true });
  const k3s = o.k3s === '' ? null : { file: path.resolve(o.k3s), sha256: o['k3s-sha256'] };
  const r = await release();
  const base = await debianRoot({ fresh: o.fresh, profile: o.profile });
  say('laying units and program over the root');
  const root = await assembleRoot({
    base,
    profile: o.profile,
    binary: path.resolve(o.binary),
    k3s,
    release: r,
    releaseKeys: o['release-key'].map((f) => path.resolve(f)),
    pull: o.pull === '' ? null : path.resolve(o.pull),
  });
  await checkRoot(root);
  if (o.profile === 'locked') checkLocked(root, menuOf(o.profile, r.version));
  say(`making the medium, version ${r.version}`);
  const iso = path.resolve(o.output);
  const { isoBytes, squashfsBytes } = await makeIso({ root, profile: o.profile, out: iso, release: r, level: Number(o.level) });
  const sha256 = sha256File(iso);
  fs.writeFileSync(`${iso}.sha256`, `${sha256}  ${path.basename(iso)}\n`);
  const mib = (n) => `${(n / 2 ** 20).toFixed(0)} MiB`;
  say(`${iso}: ${mib(isoBytes)} (root ${mib(squashfsBytes)}), k3s ${k3s === null ? 'not included' : 'included'}`);
}

try {
  const o = options();
  if (o.help) process.stdout.write(USAGE);
  else await build(o);
} catch (e) {
  if (e instanceof UsageError) process.stderr.write(`${e.message}\n${USAGE}`);
  else if (e instanceof BuildError) process.stderr.write(`image: ${e.message}\n`);
  else throw e;
  process.exitCode = e instanceof UsageError ? 2 : 1;
}
