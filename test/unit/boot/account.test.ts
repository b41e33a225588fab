import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_RECORD, parseAccountRecord, renderAccount } from '#boot/account.ts';
import type { Target } from '#boot/target.ts';
import type { RunOptions } from '#system/run.ts';
import { putFile } from '../../support/temp.ts';

let root: string;
let notes: string[];
let asked: [string, string][];
let target: Target;
const HASH = '$y$j9T$abc$def';
const STATE = new Map([['admin_user', 'ops']]);

const put = (file: string, text: string): void => putFile(path.join(root, file), text);
const get = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const account = (hash = HASH): void => {
  put('/etc/passwd', `root:x:0:0::/root:/bin/bash\nops:x:${process.getuid?.()}:${process.getgid?.()}::/home/ops:/bin/bash\n`);
  put('/etc/shadow', `root:!:1::::::\nops:${hash}:1::::::\n`);
};
/** All that lies on /var goes, and with it everything in /etc that is not of the image. */
const loseEtc = (): void => {
  for (const dir of ['etc', 'home']) fs.rmSync(path.join(root, dir), { recursive: true });
  put('/etc/passwd', 'root:x:0:0::/root:/bin/bash\n');
  put('/etc/shadow', 'root:!:1::::::\n');
  put('/etc/group', 'sudo:x:27:\n');
  put('/etc/ssh/sshd_config.d/10-spatiumddi-password-auth.conf', 'PasswordAuthentication yes\n');
};

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-account-'));
  notes = [];
  asked = [];
  const run = async (argv: readonly string[], options: RunOptions = {}) => {
    const stdin = options.stdin === undefined ? '' : typeof options.stdin === 'string' ? options.stdin : options.stdin.reveal();
    asked.push([argv.slice(2).join(' '), stdin]);
    if (argv.includes('useradd')) account('!');
    if (argv.includes('chpasswd')) account(stdin.trim().split(':')[1]);
    return { argv, kind: 'exited' as const, code: 0, stdout: '', stderr: '', tail: [], durationMs: 0 };
  };
  target = { root, run, note: (text) => notes.push(text) };
  account();
  put('/home/ops/.ssh/authorized_keys', 'ssh-ed25519 AAAA k\n');
  put('/var/lib/spatium-state/spatium-config.yaml', '');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

describe('the account on STATE', () => {
  it('is recorded for root only, and again when the password changes', async () => {
    await renderAccount(target, STATE);
    expect(fs.statSync(path.join(root, ACCOUNT_RECORD)).mode & 0o777).toBe(0o600);
    expect(parseAccountRecord(get(ACCOUNT_RECORD))).toMatchObject({ user: 'ops', hash: HASH, keyOnly: false });
    await renderAccount(target, STATE);
    account('$y$new$hash$x');
    await renderAccount(target, STATE);
    expect(parseAccountRecord(get(ACCOUNT_RECORD))?.hash).toBe('$y$new$hash$x');
    expect(notes).toEqual(['wrote /etc/spatiumddi/account', 'kept the account on STATE'].reverse().concat('kept the account on STATE'));
    expect(asked).toEqual([]);
  });

  it('comes back after /etc was lost: password on standard input, keys, and key-only logins as before', async () => {
    put('/etc/ssh/sshd_config.d/spatiumddi.conf', 'PasswordAuthentication no\nKbdInteractiveAuthentication no\n');
    await renderAccount(target, STATE);
    loseEtc();
    await renderAccount(target, STATE);
    expect(asked).toEqual([
      ['useradd --create-home --groups sudo --shell /bin/bash ops', ''],
      ['chpasswd --encrypted', `ops:${HASH}\n`],
    ]);
    expect(get('/home/ops/.ssh/authorized_keys')).toBe('ssh-ed25519 AAAA k\n');
    expect(get('/etc/ssh/sshd_config.d/spatiumddi.conf')).toContain('PasswordAuthentication no');
    expect(fs.existsSync(path.join(root, '/etc/ssh/sshd_config.d/10-spatiumddi-password-auth.conf'))).toBe(false);
    expect(notes.join()).not.toContain(HASH);
  });

  it('stays away when somebody removed it, and a locked one stays locked', async () => {
    account(`!${HASH}`);
    await renderAccount(target, STATE);
    expect(parseAccountRecord(get(ACCOUNT_RECORD))?.hash).toBe(`!${HASH}`);
    put('/etc/passwd', 'root:x:0:0::/root:/bin/bash\n');
    await renderAccount(target, STATE);
    expect(asked).toEqual([]);
    expect(fs.existsSync(path.join(root, ACCOUNT_RECORD))).toBe(false);
    await renderAccount(target, STATE);
    expect(asked).toEqual([]);
  });

  it('is missed aloud when STATE has no record of it', async () => {
    loseEtc();
    await expect(renderAccount(target, STATE)).rejects.toThrow(/no account ops .* reinstall keeping/);
    await renderAccount(target, new Map());
  });

  it.each([
    '',
    '{',
    '{"user":"ops"}',
    `{"user":"a b","hash":"${HASH}","authorizedKeys":"","keyOnly":false}`,
    '{"user":"ops","hash":"","authorizedKeys":"","keyOnly":false}',
  ])('takes no record of %j', (text) => {
    expect(parseAccountRecord(text)).toBeNull();
  });
});
