import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { at, openWizard, pastStart } from '../support/open.ts';
import { KEYS, type Pty } from '../support/pty.ts';

const FRAMES = path.resolve(import.meta.dirname, '../../golden/frames/wizard');

/** What is on the screen, without what differs between two builds or two days. */
const shown = (pty: Pty): string =>
  `${pty.text()}\n`
    .replace(/ +SpatiumDDI \d\S*/g, '  SpatiumDDI VERSION')
    .replace(/^( *Clock +).*$/m, '$1(time)')
    .replace(/^.*/, (title) => title.replace(/ {2,}/g, '  '))
    .replace(/[ \t]+$/gm, '');

/** Waits for a frame that a person has looked at. UPDATE_FRAMES=1 writes it anew, to be looked at again. */
async function expectFrame(pty: Pty, name: string): Promise<void> {
  const file = path.join(FRAMES, `${name}.txt`);
  if (process.env['UPDATE_FRAMES']) {
    await pty.settle(400);
    fs.mkdirSync(FRAMES, { recursive: true });
    fs.writeFileSync(file, shown(pty));
  }
  const expected = fs.readFileSync(file, 'utf8');
  for (const end = Date.now() + 50_000; shown(pty) !== expected && Date.now() < end; ) await pty.settle(20);
  expect(shown(pty)).toBe(expected);
}

const SECRET = 'planted-Secret-9731';
const STARS = `[${'*'.repeat(SECRET.length)} `;

type Look = (name: string) => Promise<void> | void;

/** Through all screens of a first node to Confirm, with a look at each. */
async function walk(pty: Pty, look: Look = () => {}): Promise<void> {
  const pass = async (title: string, name: string, keys: string): Promise<void> => {
    await at(pty, title);
    await look(name);
    pty.send(keys);
  };
  await pass('Welcome', 'welcome', '\r');
  await pass('What this machine has', 'preflight', '\r');
  await pass('Keyboard', 'keyboard', '\r\r');
  await pass('Role of this machine', 'role', `${KEYS.down}\r`);
  await pty.waitFor('really the first node');
  await look('role-first-node');
  pty.send('y\r');
  await pass('Disk to install on', 'disk', `${KEYS.down}\r`);
  await pass('Second disk as a mirror', 'mirror', '\r');
  await pass('Erase the disk', 'erase', '8765\r');
  await pass('Host name', 'hostname', 'ddi-1\r');
  await pass('Administrator', 'account', `\r${SECRET}\r`);
  await pty.waitFor(`Password       ${STARS}`);
  pty.send(SECRET);
  await pty.waitFor(`Password again ${STARS}`);
  pty.send('\r\r');
  await pass('SSH keys', 'ssh', '\r');
  await pass('Network', 'network-dhcp', KEYS.right);
  await pty.waitFor('(*) set by hand');
  await look('network-static');
  pty.send(`${KEYS.left}\r\r`);
  await pass('Time zone', 'timezone', 'berlin\r');
  await pass('Time servers', 'ntp', '\r');
  await pass('Address ranges inside the cluster', 'k3s', '\r\r');
  await at(pty, 'Ready to install');
  await look('confirm');
}

describe('rehearsal at 80x24', () => {
  it('goes through every screen, ends with the plan, and shows no secret anywhere', async () => {
    const pty = openWizard({ term: 'linux' });
    await walk(pty, (name) => expectFrame(pty, name));
    pty.send(KEYS.f1);
    await expectFrame(pty, 'help');
    pty.send(KEYS.enter);
    await at(pty, 'Ready to install');
    await pty.waitFor('Rows marked');
    pty.send(KEYS.ctrlC);
    await expectFrame(pty, 'leave');
    pty.send(KEYS.enter);
    await pty.waitFor('Rows marked');
    pty.send('\x1b[F\r');
    expect(await pty.exit).toBe(0);
    const history = pty.history();
    expect(history).toContain('THIS DISK WILL BE ERASED');
    expect(history).toContain('S45PNA0M598765');
    expect(pty.output).not.toContain(SECRET);
    expect(pty.output).toContain('\x1b[?25h');
  });

  it.each([
    ['vt100', '\x1b[A'],
    ['vt220', '\x1b[A'],
    ['xterm-256color', '\x1bOA'],
  ])('works under TERM=%s', async (term) => {
    const pty = openWizard({ term });
    await walk(pty);
    if (term.startsWith('vt')) expect(pty.output).not.toMatch(/[\u0080-\u00ff]|\x1b\[\??\d*;?3[0-7]m/);
    pty.send('\x1b[F\r');
    expect(await pty.exit).toBe(0);
  });
});

describe('other paths', () => {
  it.each([
    [80, 25],
    [132, 43],
  ])('goes through at %dx%d', async (columns, rows) => {
    const pty = openWizard({ term: 'xterm-256color', columns, rows });
    await walk(pty, () => {
      expect(pty.grid()[0]?.length).toBeLessThanOrEqual(columns);
    });
    pty.send('\x1b[F\r');
    expect(await pty.exit).toBe(0);
  });

  it('asks only what an answer file leaves open, for an additional node', async () => {
    const pty = openWizard({
      term: 'linux',
      answers: {
        role: 'appliance',
        target_disk: '/dev/disk/by-id/wwn-0x5002538e40a1d4e5',
        confirm_wipe: true,
        hostname: 'ddi-2',
        admin_password: SECRET,
        network: { mode: 'dhcp' },
        timezone: 'UTC',
        keymap: 'de',
        ssh_authorized_keys: [],
        ntp_servers: ['ntp.example.net'],
      },
    });
    await at(pty, 'Welcome');
    pty.send('\r');
    await at(pty, 'What this machine has');
    pty.send('\r');
    await at(pty, 'Control plane');
    await expectFrame(pty, 'application');
    pty.send(`ddi.example.net\t1234 567\r`);
    await pty.waitFor(/exactly 8|8 digits/);
    await expectFrame(pty, 'application-wrong');
    pty.send('8\r');
    await at(pty, 'Ready to install');
    await expectFrame(pty, 'confirm-appliance');
    pty.send('\x1b[F\r');
    expect(await pty.exit).toBe(0);
    expect(pty.history()).toContain('ddi-2');
    expect(pty.output).not.toContain('12345678');
    expect(pty.output).not.toContain(SECRET);
  });

  it('Esc and Ctrl-C never end it without a question', async () => {
    const pty = openWizard({ term: 'xterm' });
    await at(pty, 'Welcome');
    pty.send(KEYS.escape);
    await pty.waitFor('Leave the installer?');
    pty.send('\r');
    await pty.waitFor('Nothing is written before');
    pty.send(KEYS.ctrlC);
    await pty.waitFor('Leave the installer?');
    pty.send('y\r');
    expect(await pty.exit).toBe(1);
  });
});

describe('what keys cost', () => {
  it('a move in any list costs at most 400 bytes', async () => {
    const pty = openWizard({ term: 'xterm' });
    await at(pty, 'Welcome');
    const costs: { where: string; bytes: number; firstByteMs: number }[] = [];
    const move = async (where: string, keys: string): Promise<void> => {
      for (const pressed of [keys, keys, keys]) costs.push({ where, ...(await pty.press(pressed)) });
    };
    pty.send(KEYS.enter);
    await at(pty, 'What this machine has');
    pty.send(KEYS.enter);
    await at(pty, 'Keyboard');
    await move('keyboard', KEYS.down);
    pty.send('\r\r');
    await at(pty, 'Role of this machine');
    costs.push({ where: 'role', ...(await pty.press(KEYS.down)) }, { where: 'role', ...(await pty.press(KEYS.up)) });
    pty.send(KEYS.enter);
    await at(pty, 'Disk to install on');
    await move('disk', KEYS.down);
    await move('disk', KEYS.up);
    const moved = costs.filter((cost) => cost.bytes > 0);
    expect(moved.length).toBeGreaterThan(6);
    for (const cost of moved) expect(cost.bytes, cost.where).toBeLessThanOrEqual(400);
  });

  it('the first frame fits into a second of a 9600 baud line twice over', async () => {
    const pty = openWizard({ term: 'vt220' });
    await at(pty, 'Welcome');
    await pty.settle();
    expect(pty.bytesReceived).toBeLessThan(2000);
  });
});

describe('terminals', () => {
  it('asks a terminal that reports 0x0 for its size', async () => {
    const pty = openWizard({ term: 'linux', columns: 0, rows: 0, emulated: { columns: 100, rows: 30 } });
    await at(pty, 'Welcome');
    await pty.waitFor('─'.repeat(100));
    expect(pty.grid()[28]).toBe('─'.repeat(100));
  });

  it('keys do nothing on a terminal that is too small to show what they do; Ctrl-C asks, and leaves at the second', async () => {
    const pty = openWizard();
    await at(pty, 'Welcome');
    pty.resize(70, 20);
    await pty.waitFor('the screens need 80x24');
    pty.send('\r\r');
    await pty.settle();
    pty.resize(80, 24);
    await at(pty, 'Welcome');
    pty.resize(70, 20);
    await pty.waitFor('the screens need 80x24');
    pty.send(KEYS.ctrlC);
    await pty.waitFor('Ctrl-C once more leaves');
    pty.send(KEYS.ctrlC);
    expect(await pty.exit).toBe(1);
  });

  it('says in one sentence that 40x10 is too small, and goes on when it has grown', async () => {
    const pty = openWizard({ term: 'xterm', columns: 40, rows: 10 });
    await pty.waitFor('This terminal is 40x10');
    pty.resize(80, 25);
    await at(pty, 'Welcome');
    pty.resize(132, 43);
    await pty.waitFor(/\n Enter continue[^\n]*$/);
    expect(pty.text().match(/^ Welcome/gm)).toHaveLength(1);
    expect(pty.grid()).toHaveLength(43);
  });

  it('reads function keys that arrive byte by byte over a slow line', async () => {
    const pty = openWizard({ term: 'linux' });
    await at(pty, 'Welcome');
    for (const byte of '\x1b[[A') {
      pty.send(byte);
      await pty.settle(20);
    }
    await pty.waitFor('Start asks the questions');
  });

  it('paints again after Ctrl-L', async () => {
    const pty = openWizard({ term: 'linux' });
    await at(pty, 'Welcome');
    const before = pty.bytesReceived;
    pty.send(KEYS.ctrlL);
    await waitFor(() => pty.bytesReceived > before + 800, 'a whole screen');
    await at(pty, 'Welcome');
  });

  it('leaves the terminal usable when it is killed', async () => {
    const pty = openWizard({ term: 'xterm' });
    await at(pty, 'Welcome');
    await pty.settle();
    pty.signalProgram('TERM');
    expect(await pty.exit).toBe(128 + 15);
    expect(pty.output).toContain('\x1b[?25h');
    expect(pty.output).toContain('\x1b[?1049l');
  });

  it('pastes several lines into one field without accepting it', async () => {
    const pty = openWizard({
      term: 'xterm',
      answers: { role: 'control-plane', target_disk: '/dev/sdb', confirm_wipe: 'true', keymap: 'us' },
    });
    await pastStart(pty, 'Host name');
    pty.send('\x1b[200~ddi-9\nsecond line\x1b[201~');
    await pty.waitFor('[ddi-9 ');
    await pty.settle();
    expect(pty.text()).toMatch(/^ Host name/);
  });
});
