import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonicalText, MAX_RELEASE_BYTES, readManifest, signManifest, type UnsignedManifest } from '#supervisor/update/manifest.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const fields: UnsignedManifest = {
  channel: 'stable',
  version: '1.2.0',
  url: 'https://releases.example.net/spatium-1.2.0',
  size: 1234,
  sha256: 'a'.repeat(64),
};
const why = (value: unknown, keys = [publicKey]): string | null => {
  const result = readManifest(typeof value === 'string' ? value : JSON.stringify(value), keys);
  return result.ok ? null : result.why;
};

test('the canonical text is fixed', () => {
  expect(canonicalText(fields)).toBe(
    `spatium-release-manifest-v1\nchannel=stable\nversion=1.2.0\nurl=https://releases.example.net/spatium-1.2.0\nsize=1234\nsha256=${'a'.repeat(64)}\n`,
  );
  const backwards = Object.fromEntries(Object.entries({ ...fields, allow_downgrade: true, min_version: '1.0' }).reverse());
  expect(canonicalText(backwards as unknown as UnsignedManifest)).toMatch(/\nmin_version=1\.0\nallow_downgrade=true\n$/);
});

test('a signature by either key of the image is good, and covers every field', () => {
  const signed = signManifest({ ...fields, min_version: '1.0.0' }, privateKey);
  expect(why(signed)).toBeNull();
  expect(why(signed, [other.publicKey, publicKey])).toBeNull();
  expect(why(signed, [other.publicKey])).toMatch(/none of the release keys/);
  expect(why(signed, [])).toMatch(/no release key/);
  const changes = [
    { channel: 'beta' },
    { version: '1.2.1' },
    { url: '/v1/x' },
    { size: 1235 },
    { sha256: 'b'.repeat(64) },
    { min_version: '1.0.1' },
    { min_version: undefined },
    { allow_downgrade: true },
    { allow_downgrade: false },
  ];
  for (const change of changes) expect(why({ ...signed, ...change }), JSON.stringify(change)).toMatch(/none of the release keys/);
});

test('a field that is not signed, or has no sense, refuses the manifest', () => {
  const signed = signManifest(fields, privateKey);
  const wrong: readonly [unknown, RegExp][] = [
    ['', /not JSON/],
    ['[]', /not a JSON object/],
    [`"${'x'.repeat(20_000)}"`, /larger than/],
    [{ ...signed, note: 'x' }, /unknown field "note"/],
    [{ ...signed, signature: 'AAAA' }, /signature/],
    [{ ...signed, size: 0 }, /size/],
    [{ ...signed, size: '1234' }, /size/],
    [{ ...signed, size: MAX_RELEASE_BYTES + 1 }, /size/],
    [{ ...signed, version: '../../etc' }, /version/],
    [{ ...signed, version: '1.2.0\nsize=1' }, /version/],
    [{ ...signed, url: 'http://releases.example.net/x' }, /url/],
    [{ ...signed, url: '//evil.example.net/x' }, /url/],
    [{ ...signed, url: 'https://user:word@releases.example.net/x' }, /url/],
    [{ ...signed, url: 'file:///etc/shadow' }, /url/],
    [{ ...signed, sha256: 'A'.repeat(64) }, /sha256/],
    [{ ...signed, channel: 'Stable' }, /channel/],
  ];
  for (const [value, expected] of wrong) expect(why(value), JSON.stringify(value).slice(0, 80)).toMatch(expected);
  expect(() => signManifest({ ...fields, size: 0 }, privateKey)).toThrow(/size/);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(() => signManifest(fields, rsa.privateKey)).toThrow(/Ed25519/);
});
