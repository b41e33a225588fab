import { expect, test } from 'vitest';
import { RULES } from '#rules/catalogue.ts';
import { KEYS } from '#rules/keys.ts';
import { nearest } from '#rules/nearest.ts';
import { hashFaults } from '#rules/password-hash.ts';
import { prefixOfNetmask, readBoolean, readNumber } from '#rules/read-scalars.ts';
import { Hidden, printable, showWithout, userInfoOf } from '#rules/show.ts';
import { keyFaults } from '#rules/ssh-keys.ts';
import { diskNameFaults } from '#rules/target.ts';
import { zoneNames } from '#rules/timezone.ts';
import { isUserName, wrongCharacter } from '#rules/user-name.ts';

const ED = 'AAAAC3NzaC1lZDI1NTE5AAAAIOz+whGd5rXaFGuQFJxasZt/MF6pfpRNAKkUjUkka5px';
const blob = (...fields: (string | number[])[]): string => {
  const bytes = fields.flatMap((field) => {
    const data = typeof field === 'string' ? [...field].map((ch) => ch.charCodeAt(0)) : field;
    return [data.length >>> 24, (data.length >>> 16) & 255, (data.length >>> 8) & 255, data.length & 255, ...data];
  });
  return btoa(String.fromCharCode(...bytes));
};
const rsa = (bits: number): string => `ssh-rsa ${blob('ssh-rsa', [1, 0, 1], [0, 0x80, ...Array.from({ length: bits / 8 - 1 }, () => 7)])}`;
const point = (bytes: number): number[] => [4, ...Array.from({ length: bytes - 1 }, () => 9)];

test.each([
  [`ssh-ed25519 ${ED}`, []],
  [`ssh-ed25519 ${ED} ops@example "quoted"`, []],
  [`from="10.0.0.0/8,!10.1.1.1",no-pty ssh-ed25519 ${ED}`, []],
  [`command="echo \\"hi there\\"",restrict ssh-ed25519 ${ED}`, []],
  [rsa(2048), []],
  [rsa(1536), ['ssh-key.short']],
  [rsa(768), ['ssh-key.weak']],
  [`ecdsa-sha2-nistp256 ${blob('ecdsa-sha2-nistp256', 'nistp256', point(65))}`, []],
  [`ecdsa-sha2-nistp256 ${blob('ecdsa-sha2-nistp256', 'nistp384', point(65))}`, ['ssh-key.incomplete']],
  [`sk-ssh-ed25519@openssh.com ${blob('sk-ssh-ed25519@openssh.com', point(32), 'ssh:')}`, []],
  [`ssh-rsa ${ED}`, ['ssh-key.mismatch']],
  [`ssh-ed25519 ${ED.slice(0, 40)}`, ['ssh-key.incomplete']],
  [`ssh-ed25519 ${ED}AAAA`, ['ssh-key.incomplete']],
  ['ssh-ed25519', ['ssh-key.incomplete']],
  [`nonsense ssh-ed25519 ${ED}`, ['ssh-key.option']],
  ['ssh-dss AAAAB3NzaC1kc3MAAACB', ['ssh-key.type']],
  ['ssh-ed25519-cert-v01@openssh.com AAAA', ['ssh-key.type']],
  ['-----BEGIN OPENSSH PRIVATE KEY-----', ['ssh-key.private']],
  [`ssh-ed25519 ${ED} a ssh-ed25519 ${ED} b`, ['ssh-key.shape']],
  ['<html>', ['ssh-key.shape']],
])('ssh key %#', (line, rules) => expect(keyFaults(line).map((f) => f.rule)).toEqual(rules));

const A43 = 'a'.repeat(43);
const A86 = 'a'.repeat(86);
test.each([
  [`$6$saltsalt$${A86}`, []],
  [`$6$rounds=656000$saltsalt$${A86}`, []],
  [`$6$rounds=10$saltsalt$${A86}`, ['hash.truncated']],
  [`$6$seventeencharsalt$${A86}`, ['hash.truncated']],
  [`$6$saltsalt$${A86}a`, ['hash.truncated']],
  [`$5$saltsalt$${A43}`, []],
  [`$y$j9T$salt$${A43}`, []],
  [`$y$j9T$$${A43}`, ['hash.truncated']],
  [`$gy$j9T$salt$${A43}`, []],
  [`$7$CU..../....salt$${A43}`, []],
  [`$2b$10$${'a'.repeat(53)}`, []],
  [`$2y$10$${'a'.repeat(53)}`, []],
  [`$2b$32$${'a'.repeat(53)}`, ['hash.truncated']],
  [`$1$salt$${'a'.repeat(22)}`, ['hash.weak']],
  ['$apr1$6RSCsdOU$QaEZtYKbGeah/P0eWFzAM0', ['hash.scheme']],
  ['{SSHA}abcdef', ['hash.scheme']],
  ['abJnggxhB/yWI', ['hash.scheme']],
  ['plain-password', ['hash.shape']],
  ['!', ['hash.shape']],
  ['', ['hash.empty']],
])('hash %#', (hash, rules) => expect(hashFaults(hash).map((f) => f.rule)).toEqual(rules));

test('hash faults never hold the hash', () => {
  const hash = `$6$rounds=10$saltsalt$${A86}`;
  expect(JSON.stringify(hashFaults(hash))).not.toContain('saltsalt');
});

test.each([
  ['24', 24, null],
  [' 24 ', 24, null],
  ['024', null, 'write 24'],
  ['0x18', null, 'write 24'],
  ['+24', null, 'write 24'],
  ['2_4', null, 'write 24'],
  ['24.0', null, 'write 24'],
  ['/24', null, 'write 24'],
  ['255.255.255.0', null, 'write 24'],
  ['２４', null, null],
  ['33', null, null],
])('number %s', (text, value, fix) => {
  const read = readNumber(text, 1, 32);
  expect(read.value).toBe(value);
  expect(read.faults[0]?.fix ?? null).toBe(fix);
});

test.each([
  ['true', true, 0],
  ['False', false, 0],
  ['yes', true, 1],
  ['OFF', false, 1],
  ['1', null, 1],
  ['y', null, 1],
])('boolean %s', (text, value, faults) => {
  expect(readBoolean(text).value).toBe(value);
  expect(readBoolean(text).faults.length).toBe(faults);
});

test('a netmask is a prefix, unless it has holes', () => {
  expect(prefixOfNetmask('255.255.254.0')).toBe(23);
  expect(prefixOfNetmask('255.0.255.0')).toBeNull();
});

test('did you mean: one closest name, or none', () => {
  expect(nearest('hostnme', ['hostname', 'keymap'])).toBe('hostname');
  expect(nearest('hsotname', ['hostname'])).toBe('hostname');
  expect(nearest('xyz', ['hostname'])).toBeNull();
  expect(nearest('cat', ['bat', 'rat'])).toBeNull();
});

test('what is shown of a value', () => {
  const show = showWithout(['s3cret-word']);
  expect(show('a s3cret-word')).toBe('"***"');
  expect(show('a\u001b[31m')).toBe('"a\\u001b[31m"');
  expect(show('x'.repeat(100)).length).toBeLessThan(80);
  expect(printable('\u202eabc')).toBe('\\u202eabc');
  expect(userInfoOf('https://a:b@c@d/')).toBe('a:b@c');
  // An @ in a path is no user-info, but a slash in a password looks the same.
  expect(userInfoOf('https://a/@b')).toBe('a/');
});

test('the zone list is today`s and holds no file that is no zone', () => {
  const names = zoneNames();
  expect(names.length).toBeGreaterThan(400);
  expect(names).toContain('Europe/Kyiv');
  for (const name of ['Europe/Kiev', 'US/Pacific', 'Factory', 'localtime', 'posixrules', 'tzdata.zi']) expect(names).not.toContain(name);
});

test('registry and catalogue are whole', () => {
  expect(new Set(KEYS.map((key) => key.path)).size).toBe(KEYS.length);
  for (const [id, spec] of Object.entries(RULES)) {
    expect(id).toMatch(/^[a-z0-9-]+\.[a-z0-9-]+$/);
    expect(spec.summary).toMatch(/\.$/);
  }
});

test.each(['none', 'No', 'off', 'n/a', '-'])('a mirror named %s is left out, not looked for under /dev', (word) => {
  expect(diskNameFaults('mirror_disk', word)).toMatchObject([{ rule: 'disk.name', fix: 'leave mirror_disk out' }]);
  expect(diskNameFaults('target_disk', word)[0]?.fix).toBe('write its name under /dev/disk/by-id/');
});

test.each(['87654321', '8765 4321', '8765-4321', '8765_4321', '87.65.43.21', 'ntp-8765--4321.example'])(
  '%s repeats the code 8765 4321',
  (text) => {
    const hidden = new Hidden();
    hidden.add('8765 4321');
    expect(hidden.isIn(text)).toBe(true);
    expect(hidden.withoutCodes(`reads ${text}`)).toContain('***');
    expect(showWithout(['8765 4321'])(text)).toBe('"***"');
  },
);

test.each(['8765', '87654322', '8765 x 4321', '12345678'])('%s is not the code 8765 4321', (text) => {
  const hidden = new Hidden();
  hidden.add('8765 4321');
  expect(hidden.isIn(text)).toBe(false);
});

test.each([
  ['admin:Sup3rS3cret!@cp.example.net', 'admin:Sup3rS3cret!'],
  ['htps:/admin:pass/word@cp', 'admin:pass/word'],
  ['//u@cp', 'u'],
  ['https://u:p@q@cp', 'u:p@q'],
  ['https://cp.example.net', null],
  ['@cp', null],
])('before the @ of %s: %s', (url, info) => expect(userInfoOf(url)).toBe(info));

test.each([
  ['Root', 'character 1 is a capital letter'],
  ['1st', 'character 1 is a digit'],
  ['ad min', 'character 3 is a blank'],
  ['pass!word', 'character 5 is a sign'],
  ['\u{1f600}x', 'character 1 is a character outside ASCII'],
  ['j\u00f6rg', 'character 2 is a character outside ASCII'],
])('%s is no user name: %s', (name, message) => {
  expect(isUserName(name)).toBe(false);
  expect(wrongCharacter(name)).toBe(message);
});
