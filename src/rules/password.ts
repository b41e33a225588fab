/** Plain passwords. Nothing here may put a password, or a part of one, into a message. */
import { DEFAULT_ADMIN_USER, PASSWORD_MIN_LENGTH } from '#model/limits.ts';
import type { Case, Fault } from './case.ts';

/** libcrypt refuses longer pass phrases. */
const MAX_BYTES = 511;
const MIN_DISTINCT = 5;
const ONE_CLASS_LENGTH = 16;

const COMMON = new Set(
  (
    'password password1 passw0rd p@ssw0rd 12345678 123456789 1234567890 qwertyui qwerty123 letmein1 iloveyou admin123 ' +
    'root1234 welcome1 changeme spatium1 abcd1234 1qaz2wsx zaq12wsx trustno1 ' +
    'password12 password123 password! p@ssword passw0rd! qwertyuiop admin1234 administrator welcome123 changeme123 letmein123 spatiumddi'
  ).split(' '),
);

const HASH_SHAPE =
  /^(\$(y|gy|7|6|5|3|2[abxy]?|1|apr1|md5|sha1|argon2[id]*|pbkdf2[a-z0-9-]*)[$,]\S{4,}|\{(S?SHA[0-9]*|S?MD5|CRYPT|PBKDF2)[^}]*\}\S+)$/i;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

function classesOf(password: string): number {
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/];
  return classes.filter((c) => c.test(password)).length;
}

function refusals(password: string, user: string, hostname: string | null): Fault[] {
  if (password === '')
    return [
      { rule: 'password.empty', message: 'the password is empty', fix: 'write a password in quotes, or take the key out to be asked' },
    ];
  const faults: Fault[] = [];
  const length = [...password].length;
  if (CONTROL.test(password))
    faults.push({
      rule: 'password.control',
      message: 'holds a control character such as a newline or a tab; backslash escapes inside double quotes make them',
      fix: 'write it on one line in single quotes, where a backslash is only a backslash',
    });
  if (HASH_SHAPE.test(password))
    faults.push({ rule: 'password.hash', message: 'looks like a password hash', fix: 'give a hash as admin_password_hash' });
  if (length < PASSWORD_MIN_LENGTH)
    faults.push({ rule: 'password.short', message: `is too short; at least ${PASSWORD_MIN_LENGTH} characters are needed` });
  if (new TextEncoder().encode(password).length > MAX_BYTES)
    faults.push({ rule: 'password.long', message: `is too long; at most ${MAX_BYTES} bytes can be hashed` });
  const folded = password.toLowerCase();
  if (folded === user.toLowerCase()) faults.push({ rule: 'password.is-user', message: 'is the same as the user name (admin_user)' });
  if (hostname !== null && folded === hostname.toLowerCase())
    faults.push({ rule: 'password.is-hostname', message: 'is the same as the host name' });
  return faults;
}

/** Pasted from a document: curly quotes, and blanks that are no space. */
const LOOK_ALIKE = /[\u2018-\u201f\u00ab\u00bb\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]/;

function cautions(password: string): Fault[] {
  const faults: Fault[] = [];
  if (LOOK_ALIKE.test(password))
    faults.push({
      rule: 'password.look-alike',
      message: 'holds a curly quote or a special blank, which is part of the password and hard to type at a console',
      fix: 'write straight quotes around it, and plain spaces in it',
    });
  if (COMMON.has(password.toLowerCase())) faults.push({ rule: 'password.common', message: 'is on the list of common, breached passwords' });
  if (new Set(password).size < MIN_DISTINCT)
    faults.push({ rule: 'password.few-distinct', message: `is weak: fewer than ${MIN_DISTINCT} different characters` });
  if (classesOf(password) === 1 && [...password].length < ONE_CLASS_LENGTH)
    faults.push({
      rule: 'password.one-class',
      message: `is weak: only one kind of character and fewer than ${ONE_CLASS_LENGTH} of them`,
    });
  return faults;
}

/**
 * Everything to say about a password.
 * @param hostname null when there is none yet
 */
function passwordFaults(password: string, user: string, hostname: string | null): readonly Fault[] {
  const refused = refusals(password, user, hostname);
  return refused.length > 0 ? refused : cautions(password);
}

/** The plain password; no finding repeats any of it: `password.*`. */
export function judgePassword(c: Case): void {
  const secret = c.answers.admin_password;
  if (secret === undefined) return;
  const user = c.answers.admin_user ?? DEFAULT_ADMIN_USER;
  for (const fault of passwordFaults(secret.reveal(), user, c.answers.hostname ?? null)) c.report('admin_password', fault);
}
