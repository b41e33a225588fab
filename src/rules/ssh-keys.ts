/** Public keys as lines of authorized_keys: parsed to the last byte, not matched. */

import type { Case, Fault } from './case.ts';
import { oddBlankFault } from './odd-blanks.ts';
import { readBoolean } from './read-scalars.ts';

/** Options that sshd knows; a line with another one is ignored by sshd as a whole. */
const OPTIONS = new Set(
  (
    'agent-forwarding cert-authority command environment expiry-time from no-agent-forwarding no-port-forwarding no-pty ' +
    'no-touch-required no-user-rc no-x11-forwarding permitlisten permitopen port-forwarding principals pty restrict ' +
    'tunnel user-rc verify-required x11-forwarding'
  ).split(' '),
);

const TYPES = new Set([
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]);

const ANY_TYPE = /^(sk-)?(ssh|ecdsa)-[a-z0-9@.-]+$/i;
const POINT_BYTES: Readonly<Record<string, number>> = { nistp256: 65, nistp384: 97, nistp521: 133 };
const RSA_MIN_BITS = 1024;
const RSA_WEAK_BITS = 2048;

interface KeyLine {
  readonly comment: string;
  readonly options: string;
  readonly type: string;
  readonly data: string;
}

/** Words of a line; blanks inside double quotes do not separate. To sshd only a space and a tab are blanks. */
function wordsOf(line: string): readonly string[] {
  return line.match(/(?:"(?:\\"|[^"])*"|[^ \t"])+|"/g) ?? [];
}

function splitLine(line: string): KeyLine | null {
  const words = wordsOf(line.trim());
  const at = ANY_TYPE.test(words[0] ?? '') ? 0 : 1;
  const [type, data] = [words[at], words[at + 1]];
  if (type === undefined || !ANY_TYPE.test(type)) return null;
  return { options: at === 1 ? (words[0] ?? '') : '', type, data: data ?? '', comment: words.slice(at + 2).join(' ') };
}

function decode(data: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.length % 4 !== 0) return null;
  try {
    return Uint8Array.from(atob(data), (ch) => ch.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The length-prefixed fields of a key blob; null when one runs over the end. */
function fieldsOf(bytes: Uint8Array): readonly Uint8Array[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return null;
    const length = view.getUint32(at);
    if (at + 4 + length > bytes.length) return null;
    fields.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

const textOf = (bytes: Uint8Array | undefined): string => String.fromCharCode(...(bytes ?? []));

function bitsOf(mpint: Uint8Array): number {
  const digits = mpint.subarray(mpint.findIndex((byte) => byte !== 0));
  return digits.length === 0 ? 0 : digits.length * 8 - Math.clz32(digits[0]!) + 24;
}

const cut: Fault = {
  rule: 'ssh-key.incomplete',
  message: 'the key is incomplete: its base64 part is cut short or has the wrong length',
  fix: 'copy the whole line of the .pub file',
};

/** Faults of the fields behind the inner type name. */
function fieldFaults(type: string, fields: readonly Uint8Array[]): readonly Fault[] {
  const rest = fields.slice(1);
  const curve = /nistp[0-9]+/.exec(type)?.[0];
  const isToken = type.startsWith('sk-');
  if (type === 'ssh-rsa') {
    if (rest.length !== 2) return [cut];
    const bits = bitsOf(rest[1]!);
    if (bits < RSA_MIN_BITS)
      return [{ rule: 'ssh-key.weak', message: `is an RSA key of ${bits} bits, which sshd refuses`, fix: 'use an ssh-ed25519 key' }];
    return bits < RSA_WEAK_BITS
      ? [{ rule: 'ssh-key.short', message: `is an RSA key of only ${bits} bits`, fix: 'use an ssh-ed25519 key' }]
      : [];
  }
  if (curve !== undefined) {
    const isWhole = textOf(rest[0]) === curve && rest[1]?.length === POINT_BYTES[curve] && rest[1]?.[0] === 4;
    return isWhole && rest.length === (isToken ? 3 : 2) ? [] : [cut];
  }
  return rest[0]?.length === 32 && rest.length === (isToken ? 2 : 1) ? [] : [cut];
}

function optionFaults(options: string): readonly Fault[] {
  const names = options.match(/(?:"(?:\\"|[^"])*"|[^,"])+/g) ?? [];
  const isBroken = (options.replace(/\\"/g, '').match(/"/g) ?? []).length % 2 === 1;
  const isUnknown = names.some((option) => !OPTIONS.has((option.split('=')[0] ?? '').toLowerCase()));
  if (!isBroken && !isUnknown) return [];
  return [
    { rule: 'ssh-key.option', message: 'the options before the key type are not ones that sshd knows; it would ignore the whole line' },
  ];
}

function notAKey(line: string): Fault {
  if (/PRIVATE KEY/.test(line) || /^PuTTY-User-Key-File/.test(line))
    return {
      rule: 'ssh-key.private',
      message: 'is a private key; it must never be in an answer file',
      fix: 'take it out, make a new key pair, and give the line of the .pub file',
    };
  if (/^---- BEGIN SSH2 PUBLIC KEY/.test(line))
    return { rule: 'ssh-key.shape', message: 'is a public key in SSH2 form', fix: 'convert it with `ssh-keygen -i -f FILE`' };
  if (/^(https?:|gh:|github:)/i.test(line.trim()))
    return { rule: 'ssh-key.shape', message: 'names a place to fetch keys from; the file must hold the keys themselves' };
  return { rule: 'ssh-key.shape', message: 'is not a public key line (TYPE BASE64 COMMENT)', fix: 'copy the whole line of the .pub file' };
}

/** Everything to say about one line; its content never appears. */
export function keyFaults(line: string): readonly Fault[] {
  if (/PRIVATE KEY|^PuTTY-User-Key-File/.test(line)) return [notAKey(line)];
  const key = splitLine(line);
  const odd = oddBlankFault(key ? key.type + key.data : line, 'plain spaces separate the parts of a key line');
  if (odd) return [odd];
  if (!key) return [notAKey(line)];
  const type = key.type.toLowerCase();
  if (type === 'ssh-dss' || type.includes('-cert-'))
    return [
      {
        rule: 'ssh-key.type',
        message: type === 'ssh-dss' ? 'is a DSA key, which sshd no longer accepts' : 'is a certificate, not a public key',
        fix: 'use an ssh-ed25519 key',
      },
    ];
  if (!TYPES.has(key.type))
    return [{ rule: 'ssh-key.type', message: 'is of a key type that sshd does not know', fix: 'use an ssh-ed25519 key' }];
  const bytes = decode(key.data);
  const fields = bytes && fieldsOf(bytes);
  const inner = textOf(bytes?.subarray(4, 4 + 64)).slice(0, key.type.length);
  if (bytes && bytes.length > 8 && inner !== key.type && [...TYPES].some((t) => textOf(bytes.subarray(4, 4 + t.length)) === t))
    return [
      {
        rule: 'ssh-key.mismatch',
        message: 'the type in front does not match the type inside the key',
        fix: 'copy the whole line of the .pub file',
      },
    ];
  if (!fields || textOf(fields[0]) !== key.type) return [cut];
  const joined: Fault[] = /(^|\s)(sk-)?(ssh|ecdsa)-\S+ AAAA/.test(key.comment)
    ? [
        {
          rule: 'ssh-key.shape',
          message: 'two keys stand on one line, so the second would be lost',
          fix: 'give each key a line, or an entry of a list, of its own',
        },
      ]
    : [];
  return [...fieldFaults(key.type, fields), ...optionFaults(key.options), ...joined];
}

const isRefused = (fault: Fault): boolean => fault.rule !== 'ssh-key.short';

function judgeLines(c: Case, lines: readonly string[]): number {
  const seen = new Map<string, number>();
  let valid = 0;
  let inPrivate = false;
  for (const [i, line] of lines.entries()) {
    const path = `ssh_authorized_keys[${i}]`;
    const wasPrivate = inPrivate;
    if (/-----BEGIN .*PRIVATE KEY/.test(line)) inPrivate = !/-----END .*PRIVATE KEY/.test(line);
    else if (/-----END /.test(line)) inPrivate = false;
    if (wasPrivate || line === '' || line.startsWith('#')) continue;
    const faults = keyFaults(line);
    for (const fault of faults) c.report(path, fault);
    if (faults.some(isRefused)) continue;
    valid++;
    const data = splitLine(line)?.data ?? '';
    const first = seen.get(data);
    if (first !== undefined) c.report(path, { rule: 'ssh-key.duplicate', message: `is the same key as entry ${first + 1}` });
    else seen.set(data, i);
  }
  return valid;
}

/** Each key, parsed and not only matched, and that nobody is locked out: `ssh-key.*`, `ssh.no-way-in`. */
export function judgeSshKeys(c: Case): void {
  const valid = judgeLines(c, c.answers.ssh_authorized_keys ?? []);
  const off = c.answers.ssh_disable_password;
  if (off !== undefined && readBoolean(off).value === true && valid === 0)
    c.report('ssh_disable_password', {
      rule: 'ssh.no-way-in',
      message: 'turns password logins off, but there is no valid key in ssh_authorized_keys: nobody could log in over ssh',
      fix: 'add a public key, or take ssh_disable_password out',
    });
}
