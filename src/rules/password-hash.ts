/** crypt(3) hashes that Debian 13 can log in with (forms as in crypt(5)). */
import type { Case, Fault } from './case.ts';
import { oddBlankFault } from './odd-blanks.ts';

interface Scheme {
  readonly name: string;
  readonly start: RegExp;
  readonly whole: RegExp;
  /** Characters of the digest, for the message. */
  readonly digest: number;
}

const B64 = '[./0-9A-Za-z]';

const SCHEMES: readonly Scheme[] = [
  { name: 'yescrypt', start: /^\$y\$/, whole: new RegExp(`^\\$y\\$${B64}+\\$${B64}{1,86}\\$${B64}{43}$`), digest: 43 },
  { name: 'gost-yescrypt', start: /^\$gy\$/, whole: new RegExp(`^\\$gy\\$${B64}+\\$${B64}{1,86}\\$${B64}{43}$`), digest: 43 },
  { name: 'scrypt', start: /^\$7\$/, whole: new RegExp(`^\\$7\\$${B64}{12,97}\\$${B64}{43}$`), digest: 43 },
  {
    name: 'SHA-512',
    start: /^\$6\$/,
    whole: new RegExp(`^\\$6\\$(rounds=[1-9][0-9]{3,8}\\$)?[!-#%-9;-~]{1,16}\\$${B64}{86}$`),
    digest: 86,
  },
  {
    name: 'SHA-256',
    start: /^\$5\$/,
    whole: new RegExp(`^\\$5\\$(rounds=[1-9][0-9]{3,8}\\$)?[!-#%-9;-~]{1,16}\\$${B64}{43}$`),
    digest: 43,
  },
  // Salt (22 characters) and digest (31) of bcrypt stand together.
  { name: 'bcrypt', start: /^\$2[aby]\$/, whole: new RegExp(`^\\$2[aby]\\$(0[4-9]|[12][0-9]|3[01])\\$${B64}{53}$`), digest: 53 },
  { name: 'MD5', start: /^\$1\$/, whole: new RegExp(`^\\$1\\$[!-#%-9;-~]{1,8}\\$${B64}{22}$`), digest: 22 },
];

const MAKE_ONE = 'make one with `openssl passwd -6` or `mkpasswd`, and put it in single quotes';

function foreignForm(hash: string): Fault | null {
  if (/^\$apr1\$/.test(hash))
    return { rule: 'hash.scheme', message: '$apr1$ is a form of web servers; Debian cannot log in with it', fix: MAKE_ONE };
  if (/^\{[A-Za-z0-9-]+\}/.test(hash))
    return {
      rule: 'hash.scheme',
      message: 'is an LDAP form ({SSHA} and the like), not a crypt(3) hash; Debian cannot log in with it',
      fix: MAKE_ONE,
    };
  if (/^[^$:\s]*:\$/.test(hash))
    return {
      rule: 'hash.shape',
      message: 'is a whole line of a shadow file; the hash is only its second field',
      fix: 'keep what stands between the first two colons',
    };
  if (/^[./0-9A-Za-z]{13}$/.test(hash) || /^_[./0-9A-Za-z]{19}$/.test(hash))
    return {
      rule: 'hash.scheme',
      message: 'has the shape of an old DES hash, which Debian no longer accepts, or is no crypt(3) hash at all',
      fix: MAKE_ONE,
    };
  if (/^[!*]/.test(hash) || hash === 'x')
    return { rule: 'hash.shape', message: 'marks a locked account, it is no password hash', fix: MAKE_ONE };
  if (/^\$[A-Za-z0-9-]+\$/.test(hash))
    return {
      rule: 'hash.scheme',
      message: 'is no crypt(3) form that Debian 13 can log in with ($y$, $gy$, $7$, $6$, $5$, $2b$)',
      fix: MAKE_ONE,
    };
  return null;
}

/** Everything to say about a hash; the hash itself never appears. */
export function hashFaults(text: string): readonly Fault[] {
  const hash = text.trim();
  const odd = oddBlankFault(text, 'a hash has neither blanks nor letters outside ASCII');
  if (odd) return [odd];
  if (hash === '') return [{ rule: 'hash.empty', message: 'the hash is empty', fix: MAKE_ONE }];
  const scheme = SCHEMES.find((s) => s.start.test(hash));
  if (!scheme) {
    const fault = foreignForm(hash);
    return [fault ?? { rule: 'hash.shape', message: 'is not a crypt(3) hash; a plain password belongs in admin_password', fix: MAKE_ONE }];
  }
  if (!scheme.whole.test(hash))
    return [
      {
        rule: 'hash.truncated',
        message: `is an incomplete or damaged ${scheme.name} crypt hash: salt and a digest of ${scheme.digest} characters are needed (a shell may have cut it at a $)`,
        fix: 'copy the whole hash, in single quotes',
      },
    ];
  if (scheme.name === 'MD5') return [{ rule: 'hash.weak', message: '$1$ is MD5, old and weak', fix: MAKE_ONE }];
  return [];
}

/** A crypt(3) form that Debian 13 can log in with: `hash.*`. */
export function judgePasswordHash(c: Case): void {
  const hash = c.answers.admin_password_hash;
  if (hash === undefined) return;
  const faults = hashFaults(hash.reveal());
  for (const fault of faults) c.report('admin_password_hash', fault);
  const isPadded = hash.reveal() !== hash.reveal().trim() && hash.reveal().trim() !== '';
  if (isPadded && faults.every((fault) => fault.rule === 'hash.weak'))
    c.report('admin_password_hash', {
      rule: 'value.blanks',
      message: 'has blanks or a line end around it, which are dropped',
      fix: 'take the blanks out',
    });
}
