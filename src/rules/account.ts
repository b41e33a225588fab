/** The administrator account: its name, and that there is exactly one form of password. */
import type { Case, Fault } from './case.ts';
import { hasNameShape, MAX_NAME, wrongCharacter } from './user-name.ts';

/** Accounts of the image: Debian's base list, the packages that the image holds, and the live session's own. */
const ACCOUNTS = new Set(
  (
    'root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc _apt nobody ' +
    'systemd-network systemd-resolve systemd-timesync systemd-coredump systemd-oom messagebus dbus sshd polkitd ' +
    '_chrony chrony uuidd tss dnsmasq dhcpcd avahi gnats statd nm-openvpn user debian'
  ).split(' '),
);

/** Groups of the image: an account of that name would be refused a group of its own. */
const GROUPS = new Set(
  (
    'adm tty disk kmem dialout fax voice cdrom floppy tape sudo audio dip operator src shadow utmp video sasl plugdev ' +
    'staff users nogroup input sgx kvm render crontab netdev ssh _ssh systemd-journal docker'
  ).split(' '),
);

/** Why a name may not be the administrator's. `accounts`: those of the recorded image, or null. */
function userFaults(name: string, accounts: readonly string[] | null): readonly Fault[] {
  const faults: Fault[] = [];
  if (!hasNameShape(name)) {
    const lower = name.toLowerCase();
    // What is no name may be the password, put into the wrong key: neither it nor its lower-case form is repeated.
    faults.push({
      rule: 'user.characters',
      message: `may hold only lower-case letters a-z, digits, hyphens and underscores, starting with a letter or underscore; ${wrongCharacter(name)}`,
      ...(lower !== name && hasNameShape(lower) ? { fix: 'write it in lower case' } : {}),
    });
  }
  if (name.length > MAX_NAME) faults.push({ rule: 'user.long', message: `has ${name.length} characters; at most ${MAX_NAME} are allowed` });
  if (ACCOUNTS.has(name.toLowerCase()) || accounts?.includes(name))
    faults.push({
      rule: 'user.reserved',
      message: 'is a reserved name: an account of the system or of the live session already has it',
      fix: 'choose another name, for example admin',
    });
  else if (GROUPS.has(name))
    faults.push({
      rule: 'user.group',
      message: 'is the name of a group of the system; the account would have to join it',
      fix: 'choose another name',
    });
  return faults;
}

/** The name of the account, and that its password is given in one form only: `user.*`, `password.both`. */
export function judgeAccount(c: Case): void {
  const { admin_user: user, admin_password: plain, admin_password_hash: hash } = c.answers;
  if (user !== undefined) for (const fault of userFaults(user, c.machine?.accounts ?? null)) c.report('admin_user', fault);
  if (plain !== undefined && hash !== undefined)
    c.report('admin_password_hash', {
      rule: 'password.both',
      message: 'admin_password and admin_password_hash are both given; only one of them may be',
      fix: 'keep the hash and take admin_password out',
    });
}
