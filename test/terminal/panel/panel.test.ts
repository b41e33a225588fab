/** `spatium panel` and `spatium pair` as somebody at a shell meets them. Runs them from the sources. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putFile } from '../../support/temp.ts';
import { Pty } from '../support/pty.ts';

const MAIN = path.resolve('src/main.ts');

let dir: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-panel-'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  fs.rmSync(dir, { recursive: true });
});

const spatium = (words: readonly string[], input = '') => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], { input, timeout: 30_000, encoding: 'utf8' });
  return { code: status, stdout, stderr };
};

/** Until the pattern stands in what the child has written. */
function said(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('exit', () => reject(new Error(`it ended: ${text}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = pattern.exec(text);
      if (found) resolve(found);
    });
  });
}

describe('spatium panel', () => {
  it('a port that is taken: says which, and the way out', async () => {
    const other = https.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, stderr } = spatium(['panel', '--dir', dir, '--port', String(port)]);
    other.close();
    expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`port ${port} is taken; .* --port`))]);
  });

  it('says where it is, with a token, and logs requests without secrets', async () => {
    const child = spawn(process.execPath, [MAIN, 'panel', '--dir', dir, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const [, port = ''] = await said(child, /panel +https:\/\/127\.0\.0\.1:(\d+)[\s\S]*serial=z9:[\w-]{32}\.[\w-]{43}\n[\s\S]*faults/);
    const logged = said(child, /GET +\/v1\/lb\/config +401 asked with "v1"/);
    const status = await new Promise((resolve) => {
      const ca = fs.readFileSync(path.join(dir, 'tls/cert.pem'));
      const headers = { authorization: 'Bearer not-known-to-anybody', 'if-none-match': '"v1"' };
      https.get({ host: '127.0.0.1', port, path: '/v1/lb/config', ca, headers, agent: false }, (r) => resolve(r.statusCode));
    });
    expect(status).toBe(401);
    const [line = ''] = await logged;
    expect(line).not.toContain('not-known');
    child.removeAllListeners('exit');
    const end = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill('SIGTERM');
    expect(await end).toBe(0);
    expect(fs.readFileSync(path.join(dir, 'devices.json'), 'utf8')).not.toContain('z9:');
  });

  it.each([
    ['without a folder', ['panel']],
    ['with a port that is none', ['panel', '--dir', 'x', '--port', '70000']],
    ['with a kind that is none', ['panel', '--dir', 'x', '--kind', 'dns']],
  ])('%s is a wrong call', (_name, words) => {
    expect(spatium(words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('usage: spatium panel') });
  });
});

describe('spatium pair', () => {
  const at = (file: string): string => path.join(dir, file);
  const put = (file: string, text: string): void => putFile(at(file), text);
  const CODE = '/var/lib/spatium-state/pairing-code';
  const appliance = (): void =>
    put('/var/lib/spatium-state/spatium-config.yaml', '# of the installer\nrole: "appliance"\ncontrol_plane_url: "https://old.example"\n');

  it('sets the code, readable by root only, and the address in STATE and /etc', () => {
    appliance();
    put('/var/persist/spatium-supervisor/tls/control-plane.pem', 'old');
    const result = spatium(['pair', '--root', dir, '--url', 'https://new.example'], '1234 5678\n');
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(result.stderr).not.toMatch(/1234|5678/);
    expect(fs.readFileSync(at(CODE), 'utf8')).toBe('12345678\n');
    expect(fs.statSync(at(CODE)).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(at('/var/lib/spatium-state/spatium-config.yaml'), 'utf8')).toBe(
      '# of the installer\nrole: "appliance"\ncontrol_plane_url: "https://new.example"\n',
    );
    expect(fs.readFileSync(at('/etc/spatiumddi/role-config'), 'utf8')).toContain('CONTROL_PLANE_URL=https://new.example');
    expect(fs.existsSync(at('/var/persist/spatium-supervisor/tls/control-plane.pem'))).toBe(false);
  });

  it('on a box that pulls, the address goes to its settings, and the pins of the old panel with it', () => {
    put('/usr/lib/spatiumddi/pull.json', '{"kind": "lb", "panel": "https://old.example"}');
    put('/etc/spatiumddi/pull.json', JSON.stringify({ panel: 'https://old.example', pins: ['p'.repeat(43)], poll: 1 }));
    expect(spatium(['pair', '--root', dir, '--url', 'https://new.example/'], '00000001')).toMatchObject({ code: 0 });
    expect(JSON.parse(fs.readFileSync(at('/etc/spatiumddi/pull.json'), 'utf8'))).toEqual({ panel: 'https://new.example', poll: 1 });
    expect(fs.readFileSync(at(CODE), 'utf8')).toBe('00000001\n');
  });

  it('on a box that pulls, a plain address without an https behind it is refused', () => {
    put('/usr/lib/spatiumddi/pull.json', '{"kind": "lb", "panel": "https://old.example"}');
    const result = spatium(['pair', '--root', dir, '--url', 'http://127.0.0.1:9'], '12345678');
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('refuses the connection') });
    expect(fs.existsSync(at(CODE))).toBe(false);
  });

  it('--reset forgets who this box is', () => {
    appliance();
    put('/var/lib/spatiumddi/identity/identity.json', '{}');
    expect(spatium(['pair', '--root', dir, '--reset'], '12345678')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('forgotten'),
    });
    expect(fs.existsSync(at('/var/lib/spatiumddi/identity/identity.json'))).toBe(false);
  });

  it.each([
    ['seven digits', '1234567', 'has 7 digits'],
    ['letters', 'abcdefgh', 'may hold only the digits'],
    ['nothing', '', 'is empty'],
  ])('%s: refused, not shown, nothing changed', (_name, input, words) => {
    appliance();
    const result = spatium(['pair', '--root', dir, '--url', 'https://new.example'], input);
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    if (input) expect(result.stderr).not.toContain(input);
    expect(fs.existsSync(at(CODE))).toBe(false);
    expect(fs.readFileSync(at('/var/lib/spatium-state/spatium-config.yaml'), 'utf8')).toContain('old.example');
  });

  it('a control plane is not paired, and a bare folder is no appliance', () => {
    expect(spatium(['pair', '--root', dir], '12345678')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('STATE is not mounted'),
    });
    put('/var/lib/spatium-state/spatium-config.yaml', 'role: "control-plane"\n');
    expect(spatium(['pair', '--root', dir], '12345678')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('only an appliance pairs'),
    });
  });

  it('a code as an argument is a wrong call', () => {
    expect(spatium(['pair', '12345678'])).toMatchObject({ code: 2, stderr: expect.stringContaining('usage: spatium pair') });
  });

  it('at a terminal the digits are stars', async () => {
    appliance();
    const pty = new Pty({ argv: [process.execPath, MAIN, 'pair', '--root', dir], term: 'linux' });
    await pty.waitFor('Pairing code:');
    pty.send('1234567x\u007f8\r');
    expect(await pty.exit).toBe(0);
    expect(pty.output).not.toMatch(/1234/);
    expect(pty.text()).toContain('********');
    expect(fs.readFileSync(at(CODE), 'utf8')).toBe('12345678\n');
  });
});
