#!/usr/bin/env node
/** `node scripts/release.mjs sign|keygen|verify`: the signed manifest of a release. docs/updates.md tells how it is published. */
import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readManifest, releaseKey, signManifest } from '../src/supervisor/update/manifest.ts';
import { sha256Of } from '../src/system/part-file.ts';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const USAGE = `usage: release.mjs sign --key FILE --url URL [--channel NAME] [--binary FILE] [--min-version V] [--allow-downgrade] [--output FILE]
       release.mjs keygen --output FILE
       release.mjs verify --public FILE MANIFEST

  --key FILE         private key, PEM, Ed25519
  --url URL          where the binary will be: https://..., or a path on the panel like /v1/releases/files/spatium-1.2.3
  --channel NAME     default stable
  --binary FILE      default dist/spatium; its own --version becomes the version
  --min-version V    the oldest version that may go to this one directly
  --allow-downgrade  appliances with a newer version take this one too
  --output FILE      default: standard output; for keygen the private key, with FILE.pub.pem beside it

exit: 0 done, 1 failed (reason printed), 2 wrong call
`;

class UsageError extends Error {}

function words() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        key: { type: 'string' },
        url: { type: 'string' },
        channel: { type: 'string', default: 'stable' },
        binary: { type: 'string', default: path.join(repo, 'dist/spatium') },
        'min-version': { type: 'string' },
        'allow-downgrade': { type: 'boolean', default: false },
        public: { type: 'string' },
        output: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (e) {
    throw new UsageError(e.message);
  }
}

const need = (values, name) => {
  if (!values[name]) throw new UsageError(`--${name} is missing`);
  return values[name];
};

/** Asked from the file itself, as an appliance will do. */
function versionOf(binary) {
  const said = execFileSync(binary, ['--version'], { encoding: 'utf8', timeout: 30_000 }).trim();
  const version = /^spatium (\S+)$/.exec(said)?.[1];
  if (version === undefined) throw new Error(`${binary} --version says "${said}", not "spatium VERSION"`);
  if (version.includes('dirty')) throw new Error(`${binary} is ${version}: commit first; nobody could say what is in it`);
  return version;
}

async function sign(values) {
  const key = createPrivateKey(fs.readFileSync(need(values, 'key')));
  const binary = path.resolve(values.binary);
  const fields = {
    channel: values.channel,
    version: versionOf(binary),
    url: need(values, 'url'),
    size: fs.statSync(binary).size,
    sha256: await sha256Of(binary),
    ...(values['min-version'] === undefined ? {} : { min_version: values['min-version'] }),
    ...(values['allow-downgrade'] ? { allow_downgrade: true } : {}),
  };
  const text = `${JSON.stringify(signManifest(fields, key), null, 2)}\n`;
  if (values.output === undefined) process.stdout.write(text);
  else fs.writeFileSync(values.output, text);
}

function keygen(values) {
  const file = need(values, 'output');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  // Never over an old key: appliances in the field know its public half.
  fs.writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  fs.writeFileSync(`${file}.pub.pem`, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx' });
  process.stdout.write(`${file}: keep it off line\n${file}.pub.pem: give it to the image with --release-key\n`);
}

function verify(values, [manifest]) {
  if (manifest === undefined) throw new UsageError('no manifest named');
  const read = readManifest(fs.readFileSync(manifest, 'utf8'), [releaseKey(fs.readFileSync(need(values, 'public'), 'utf8'))]);
  if (!read.ok) throw new Error(read.why);
  process.stdout.write(
    `${read.manifest.version} on ${read.manifest.channel}, ${read.manifest.size} bytes, sha256 ${read.manifest.sha256}\n`,
  );
}

try {
  const { values, positionals } = words();
  const [command, ...rest] = positionals;
  if (values.help) process.stdout.write(USAGE);
  else if (command === 'sign') await sign(values);
  else if (command === 'keygen') keygen(values);
  else if (command === 'verify') verify(values, rest);
  else throw new UsageError(`"${command ?? ''}" is no command`);
} catch (e) {
  process.stderr.write(`release: ${e.message}\n${e instanceof UsageError ? USAGE : ''}`);
  process.exitCode = e instanceof UsageError ? 2 : 1;
}
