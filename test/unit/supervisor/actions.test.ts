/** Actions of the supervisor on a tree of their own: what they write, and what must never be in it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActionEvent } from '#model/status.ts';
import { actionNamed, argsFault } from '#status/action-catalogue.ts';
import { draftOf } from '#status/action-run.ts';
import { diagBundle, SECRET_PLACES } from '#supervisor/actions/bundle.ts';
import { etcdRestore, snapshotsIn } from '#supervisor/actions/etcd-restore.ts';
import { pairSet } from '#supervisor/actions/pair.ts';
import { redactor } from '#supervisor/actions/redact.ts';
import type { Runner, RunResult } from '#system/run.ts';
import { tarOf } from '#system/tar.ts';
import { putFile } from '../../support/temp.ts';

let root = '';
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-actions-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const put = (file: string, text: string): void => putFile(path.join(root, file), text);
const get = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const exited = (argv: readonly string[], code: number, stdout = ''): RunResult => ({
  kind: 'exited',
  code,
  argv,
  stdout,
  stderr: '',
  tail: [],
  durationMs: 1,
});
const NO_CLUSTER = {
  connection: () => ({ ok: false, why: 'k3s is not installed' }) as const,
  pods: () => ({ state: 'absent' }) as const,
};
const LEFT = new AbortController().signal;

/** Entries of a tar without compression: name to text. */
function untar(bytes: Buffer): Map<string, string> {
  const out = new Map<string, string>();
  for (let at = 0; bytes[at] !== 0 && at < bytes.length; ) {
    const field = (from: number, length: number): string =>
      bytes
        .subarray(at + from, at + from + length)
        .toString('latin1')
        .split('\0')[0] as string;
    const size = Number.parseInt(field(124, 12), 8);
    out.set(field(0, 100), bytes.subarray(at + 512, at + 512 + size).toString('utf8'));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return out;
}

describe('redaction', () => {
  const SECRET = 'hunter2-hunter2';
  it.each([
    ['password: hunter2-hunter2'],
    ['"admin_password":"hunter2-hunter2"'],
    ['ADMIN_PASSWORD=hunter2-hunter2 other=1'],
    ['Authorization: Bearer hunter2-hunter2'],
    ['GET https://user:hunter2-hunter2@repo.example/x'],
    ['K1045ab45ab45ab45ab45ab45ab::server:hunter2-hunter2'],
    ['-----BEGIN EC PRIVATE KEY-----\nhunter2-hunter2\n-----END EC PRIVATE KEY-----'],
    ['client-key-data: hunter2-hunter2'],
    ['k3s --token=hunter2-hunter2 --x'],
    ['pairing_code: "hunter2-hunter2"'],
  ])('%j keeps its beginning only', (text) => {
    const out = redactor([])(text);
    expect(out).not.toContain(SECRET);
    expect(out).toContain('[redacted]');
  });
  it('leaves JSON readable', () => {
    const out = redactor([])(JSON.stringify({ admin_password: 'a "b" c', n: { token: 'x', list: ['y'] }, pairing_code: '12345678' }));
    expect(JSON.parse(out)).toEqual({ admin_password: '[redacted]', n: { token: '[redacted]', list: ['y'] }, pairing_code: '[redacted]' });
  });
  it('takes a known secret out wherever it stands, in its JSON and URL spellings too', () => {
    const redact = redactor(['a "b"\\c d&e=f']);
    for (const spelt of ['a "b"\\c d&e=f', JSON.stringify('a "b"\\c d&e=f').slice(1, -1), encodeURIComponent('a "b"\\c d&e=f')])
      expect(redact(`before ${spelt} after`)).toBe('before [redacted] after');
  });
  it('leaves names, addresses and short words', () => {
    const text = 'ddi-01 192.0.2.10 eth0 tokenised secretary passwd-file /etc/passwd';
    expect(redactor(['', 'eth0', '12'])(text)).toBe(text);
  });
});

describe('diagnostics bundle', () => {
  /** Each kind of secret that a box has, where it lies, planted also into a log and a status text. */
  const PLANTED = {
    code: '93751046',
    token: 'K10aabbccddeeff00112233445566::server:0123456789abcdef',
    key: 'MHcCAQEEIPlantedPrivateKeyBody',
    hash: '$6$saltsalt$PlantedHashPlantedHash',
    identity: 'planted-session-token',
    kube: 'cGxhbnRlZC1rdWJlLWtleQ==',
    configCode: '11223344',
    cmdline: 'planted-url-password',
    deviceSecret: 'planted_device_secret_of_the_pull_model',
    serialToken: 'z9:planted-token-planted-token-planted-token',
  };
  const everywhere = Object.values(PLANTED).join(' | ');

  async function make(): Promise<{ files: Map<string, string>; events: ActionEvent[]; name: string }> {
    put('/var/lib/spatium-state/pairing-code', `${PLANTED.code}\n`);
    put('/var/lib/spatium-state/supervisor/identity/session_token', PLANTED.identity);
    put(
      '/var/lib/spatium-state/supervisor/identity/identity.key',
      `-----BEGIN PRIVATE KEY-----\n${PLANTED.key}\n-----END PRIVATE KEY-----\n`,
    );
    put(
      '/var/lib/spatiumddi/identity/identity.json',
      JSON.stringify({ active: { device_id: 'd-1', secret: PLANTED.deviceSecret } }, null, 2),
    );
    put('/sys/class/dmi/id/product_serial', `${PLANTED.serialToken}\n`);
    put('/var/lib/rancher/k3s/server/token', `${PLANTED.token}\n`);
    put('/etc/rancher/k3s/k3s.yaml', `users:\n- user:\n    client-key-data: ${PLANTED.kube}\n`);
    put('/etc/shadow', `ops:${PLANTED.hash}:20000:0:99999:7:::\nroot:!*:1::::::\n`);
    put('/var/lib/spatium-state/spatium-config.yaml', `hostname: "ddi-01"\nbootstrap_pairing_code: "${PLANTED.configCode}"\n`);
    put('/proc/cmdline', `root=UUID=x spatium.preseed=https://u:${PLANTED.cmdline}@h/x\n`);
    put('/var/log/spatiumddi/diag-20250101-000000.tar.gz', 'old');
    for (const n of [1, 2, 3]) put(`/var/log/spatiumddi/diag-2026010${n}-000000.tar.gz`, 'old');
    put('/var/log/spatiumddi/other.log', 'not ours');
    const run: Runner = async (argv) => exited(argv, argv[0] === 'nft' ? 1 : 0, `${argv.join(' ')}: ${everywhere}\n`);
    const work = diagBundle({
      run,
      cluster: NO_CLUSTER,
      status: () => ({ text: everywhere, key: PLANTED.key }),
      log: () => [`k3s says ${everywhere}`],
      now: () => '2026-11-30T15:55:53.123Z',
      root,
      dir: '/var/log/spatiumddi',
    });
    const events: ActionEvent[] = [];
    await work.run?.({}, (e) => events.push(e), LEFT);
    const name = '/var/log/spatiumddi/diag-20261130-155553.tar.gz';
    return { files: untar(zlib.gunzipSync(fs.readFileSync(path.join(root, name)))), events, name };
  }

  it('holds no planted secret, in no file and no line it says', async () => {
    const { files, events } = await make();
    const all = [...files.values(), JSON.stringify(events)].join('\n');
    for (const [what, secret] of Object.entries(PLANTED)) expect(all, what).not.toContain(secret);
    expect(all).not.toContain('Planted');
    expect(files.get('files/var/lib/spatium-state/spatium-config.yaml')).toContain('hostname: "ddi-01"');
  });
  it('says where it is, is for root alone, and tells what could not be had', async () => {
    const { files, events, name } = await make();
    expect(events.at(-1)).toMatchObject({ t: 'done', rc: 0, msg: expect.stringContaining(name) });
    expect(fs.statSync(path.join(root, name)).mode & 0o777).toBe(0o600);
    expect(files.get('firewall.txt')).toMatch(/^\[nft: exit status 1\]/);
    expect(files.get('cluster/pods.json')).toBe('not known: k3s is not installed\n');
    expect([...files.keys()]).toContain('journal.txt');
  });
  it('keeps three bundles and nothing that is not one', async () => {
    await make();
    const left = fs.readdirSync(path.join(root, '/var/log/spatiumddi')).sort();
    expect(left).toEqual(
      ['20260102', '20260103', '20261130'].map((d) => `diag-${d}-${d === '20261130' ? '155553' : '000000'}.tar.gz`).concat('other.log'),
    );
  });
  it('knows every place where the product keeps a secret', () => {
    expect(SECRET_PLACES.every((p) => p.startsWith('/'))).toBe(true);
  });
});

describe('tar', () => {
  it('has the sizes and sums of ustar, and refuses a name it cannot hold', () => {
    const bytes = tarOf(
      [
        { name: 'a', text: 'x'.repeat(513) },
        { name: 'b', text: '' },
      ],
      1,
    );
    expect(bytes.length % 512).toBe(0);
    expect([...untar(bytes)]).toEqual([
      ['a', 'x'.repeat(513)],
      ['b', ''],
    ]);
    expect(() => tarOf([{ name: 'x'.repeat(101), text: '' }], 1)).toThrow('not a name');
  });
});

describe('pairing again', () => {
  const target = () => ({ root, run: async (argv: readonly string[]) => exited(argv, 0), note: () => undefined });
  const ARGS = { url: 'https://new.example.net', code: '1234-5678' };
  it('writes STATE, keeps its other lines, forgets the old control plane, and does not say the code', async () => {
    put(
      '/var/lib/spatium-state/spatium-config.yaml',
      '# mine\nrole: "appliance"\ncontrol_plane_url: "https://old"\nbootstrap_pairing_code: "00000000"\n',
    );
    put('/var/persist/spatium-supervisor/tls/control-plane.pem', 'old');
    put('/var/persist/spatium-supervisor/identity/identity.key', 'own');
    const events: ActionEvent[] = [];
    await pairSet(target(), NO_CLUSTER).run?.(ARGS, (e) => events.push(e), LEFT);
    expect(events.at(-1)).toMatchObject({ t: 'done', rc: 0 });
    expect(get('/var/lib/spatium-state/spatium-config.yaml')).toBe(
      '# mine\nrole: "appliance"\ncontrol_plane_url: "https://new.example.net"\nbootstrap_pairing_code: ""\n',
    );
    expect(get('/var/lib/spatium-state/pairing-code')).toBe('12345678\n');
    expect(fs.statSync(path.join(root, '/var/lib/spatium-state/pairing-code')).mode & 0o777).toBe(0o600);
    expect(get('/etc/spatiumddi/role-config')).toBe('ROLE=appliance\nCONTROL_PLANE_URL=https://new.example.net\n');
    expect(fs.existsSync(path.join(root, '/var/persist/spatium-supervisor/tls/control-plane.pem'))).toBe(false);
    expect(get('/var/persist/spatium-supervisor/identity/identity.key')).toBe('own');
    expect(JSON.stringify(events)).not.toMatch(/1234-?5678/);
  });
  it('is not for a control plane, nor for a box without STATE', async () => {
    const { obstacle } = pairSet(target(), NO_CLUSTER);
    expect(await obstacle?.()).toContain('there is no');
    put('/var/lib/spatium-state/spatium-config.yaml', 'role: "control-plane"\n');
    expect(await obstacle?.()).toBe('only an appliance pairs with a control plane');
  });
  it.each([
    [{ ...ARGS, url: 'ftp://x' }, 'control plane'],
    [{ ...ARGS, url: 'https://u:p@x' }, 'control plane'],
    [{ ...ARGS, code: '1234567' }, 'pairing code'],
    [{ ...ARGS, more: 'x' }, 'takes no more'],
    [{}, 'control plane'],
  ])('refuses %j', (args, why) => {
    const spec = actionNamed('pair.set');
    expect(spec && argsFault(spec, args)).toContain(why);
  });
});

describe('etcd restore', () => {
  const NAMES = ['etcd-snapshot-ddi-01-1764000000', 'on-demand-ddi-01-1764500000.zip', 'etcd-snapshot-ddi-01-1763000000'];
  const work = (codes: Record<string, number>, calls: string[][] = []) => {
    for (const n of NAMES) put(`/snapshots/${n}`, '');
    const run: Runner = async (argv) => {
      calls.push([...argv]);
      return exited(argv, codes[argv.slice(0, 2).join(' ')] ?? 0);
    };
    return etcdRestore({ run, hostname: async () => 'ddi-01', dir: path.join(root, 'snapshots') });
  };
  it('lists the newest first', async () => {
    work({});
    expect(await snapshotsIn(path.join(root, 'snapshots'))).toEqual([NAMES[1], NAMES[0], NAMES[2]]);
    expect(await snapshotsIn(path.join(root, 'none'))).toEqual([]);
  });
  it('wants the host name typed, and a snapshot that is there', async () => {
    const { draft } = work({});
    expect(await draft?.({ snapshot: NAMES[0] as string })).toMatchObject({ ok: true, typedConfirm: 'ddi-01' });
    expect(await draft?.({ snapshot: 'other' })).toMatchObject({ ok: false });
    const spec = actionNamed('etcd.restore');
    for (const snapshot of ['../../etc/shadow', '-x', 'a b', '']) expect(spec && argsFault(spec, { snapshot })).toContain('snapshot');
  });
  it('stops k3s, resets, starts it again', async () => {
    const calls: string[][] = [];
    const events: ActionEvent[] = [];
    await work({}, calls).run?.({ snapshot: NAMES[0] as string }, (e) => events.push(e), LEFT);
    expect(calls.map((c) => c.slice(0, 2).join(' '))).toEqual(['systemctl stop', 'k3s server', 'systemctl start']);
    expect(calls[1]).toContain(`--cluster-reset-restore-path=${path.join(root, 'snapshots')}/${NAMES[0]}`);
    expect(events.map((e) => e.t)).toEqual(['done']);
    expect(events.at(-1)?.rc).toBe(0);
  });
  it('a failed reset does not start k3s on a half of a store, and says what to do', async () => {
    const calls: string[][] = [];
    const events: ActionEvent[] = [];
    await work({ 'k3s server': 1 }, calls).run?.({ snapshot: NAMES[0] as string }, (e) => events.push(e), LEFT);
    expect(calls.map((c) => c[0])).toEqual(['systemctl', 'k3s']);
    expect(events.at(-1)).toMatchObject({ t: 'done', rc: 1, msg: 'k3s: exit status 1' });
    expect(events.at(-2)?.line).toContain('k3s stays stopped');
  });
});

describe('keeping a network edit', () => {
  const spec = actionNamed('network.adopt');
  const draft = (code: number, report: unknown) => {
    if (!spec) throw new Error('no such action');
    return draftOf(spec, { run: async (argv) => exited(argv, code, JSON.stringify(report)) });
  };
  it('shows every difference, and what cannot be kept', async () => {
    const report = { profile: 'x', drift: [{ key: 'network_ip', state: '192.0.2.1', profile: '' }], notAdoptable: ['ipv4.route1'] };
    expect(await draft(10, report)).toMatchObject({
      ok: true,
      consequences: ['network_ip: 192.0.2.1 -> (not set)', 'Cannot be kept, STATE has no word for it: ipv4.route1.', expect.any(String)],
    });
  });
  it.each([
    [0, { drift: [], notAdoptable: [] }, 'agree'],
    [1, {}, 'exit status 1'],
    [10, { drift: 'x' }, 'cannot be read'],
  ])('exit %i, %j: there is nothing to keep', async (code, report, why) => {
    expect(await draft(code, report)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });
});
