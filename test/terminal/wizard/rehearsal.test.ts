import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEYS, type Pty } from '../support/pty.ts';
import { startWizard, type WizardOptions } from '../support/wizard.ts';

const running: Pty[] = [];
const start = (options: WizardOptions = {}): Pty => {
  const pty = startWizard(options);
  running.push(pty);
  return pty;
};

afterEach(() => {
  for (const pty of running.splice(0)) pty.close();
});

const FRAMES = path.resolve(import.meta.dirname, '../../golden/frames/wizard');

/** Compares with a frame that a person has looked at. UPDATE_FRAMES=1 writes it anew, to be looked at again. */
function expectFrame(pty: Pty, name: string): void {
  const file = path.join(FRAMES, `${name}.txt`);
  // The version and the commit are not part of what was looked at.
  const shown = `${pty.text().replace(/SpatiumDDI \d\S*/g, (found) => 'SpatiumDDI VERSION'.padEnd(found.length).slice(0, Math.max(found.length, 18)))}\n`;
  const normal = shown.replace(/ +SpatiumDDI VERSION/g, '  SpatiumDDI VERSION').replace(/[ \t]+$/gm, '');
  if (process.env['UPDATE_FRAMES']) {
    fs.mkdirSync(FRAMES, { recursive: true });
    fs.writeFileSync(file, normal);
  }
  expect(normal).toBe(fs.readFileSync(file, 'utf8'));
}

const SECRET = 'planted-Secret-9731';

/** Waits for a screen by its title row. */
const at = (pty: Pty, title: string): Promise<string> => pty.waitFor(new RegExp(`^ ${title} `));

async function enter(pty: Pty, text: string): Promise<void> {
  pty.send(text);
  await pty.settle(30);
  pty.send(KEYS.enter);
}

/** Through all screens of a first node to Confirm, with a callback at each. */
async function walk(pty: Pty, look: (name: string) => Promise<void> | void = () => {}): Promise<void> {
  const seen = async (title: string, name: string): Promise<void> => {
    await at(pty, title);
    await pty.settle();
    await look(name);
  };
  await seen('Welcome', 'welcome');
  pty.send(KEYS.enter);
  await seen('What this machine has', 'preflight');
  pty.send(KEYS.enter);
  await seen('Keyboard', 'keyboard');
  pty.send(KEYS.enter);
  await pty.settle(30);
  pty.send(KEYS.enter);
  await seen('Role of this machine', 'role');
  pty.send(KEYS.down);
  await pty.settle(30);
  pty.send(KEYS.enter);
  await pty.waitFor('really the first node');
  await pty.settle();
  await look('role-first-node');
  await enter(pty, 'y');
  await seen('Disk to install on', 'disk');
  pty.send(KEYS.down);
  await pty.settle(30);
  pty.send(KEYS.enter);
  await seen('Second disk as a mirror', 'mirror');
  pty.send(KEYS.enter);
  await seen('Erase the disk', 'erase');
  await enter(pty, '8765');
  await seen('Host name', 'hostname');
  await enter(pty, 'ddi-1');
  await seen('Administrator', 'account');
  pty.send(KEYS.enter);
  await pty.settle(30);
  await enter(pty, SECRET);
  await pty.settle(30);
  await enter(pty, SECRET);
  await pty.settle(30);
  pty.send(KEYS.enter);
  await seen('SSH keys', 'ssh');
  pty.send(KEYS.enter);
  await seen('Network', 'network-dhcp');
  await pty.press(KEYS.right);
  await look('network-static');
  await pty.press(KEYS.left);
  pty.send(KEYS.enter);
  await pty.settle(30);
  pty.send(KEYS.enter);
  await pty.settle(30);
  if (/^ Network /.test(pty.text())) pty.send(KEYS.enter);
  await seen('Time zone', 'timezone');
  await enter(pty, 'berlin');
  await seen('Time servers', 'ntp');
  pty.send(KEYS.enter);
  await seen('Address ranges inside the cluster', 'k3s');
  pty.send(KEYS.enter);
  await pty.settle(30);
  pty.send(KEYS.enter);
  await seen('Ready to install', 'confirm');
}

describe('rehearsal at 80x24', () => {
  it('goes through every screen, ends with the plan, and shows no secret anywhere', async () => {
    const pty = start({ term: 'linux' });
    await walk(pty, (name) => expectFrame(pty, name));
    await pty.press(KEYS.f1);
    expectFrame(pty, 'help');
    await pty.press(KEYS.enter);
    await pty.press(KEYS.ctrlC);
    expectFrame(pty, 'leave');
    await pty.press(KEYS.enter);
    await pty.press('\x1b[F');
    pty.send(KEYS.enter);
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
    const pty = start({ term });
    await walk(pty);
    if (term.startsWith('vt')) expect(pty.output).not.toMatch(/[\u0080-\u00ff]|\x1b\[\??\d*;?3[0-7]m/);
    await pty.press('\x1b[F');
    pty.send(KEYS.enter);
    expect(await pty.exit).toBe(0);
  });
});

describe('what keys cost', () => {
  it('a move in any list costs at most 400 bytes, and is answered at once', async () => {
    const pty = start({ term: 'xterm' });
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
    pty.send(KEYS.enter);
    await pty.settle(30);
    pty.send(KEYS.enter);
    await at(pty, 'Role of this machine');
    costs.push({ where: 'role', ...(await pty.press(KEYS.down)) }, { where: 'role', ...(await pty.press(KEYS.up)) });
    pty.send(KEYS.enter);
    await at(pty, 'Disk to install on');
    await move('disk', KEYS.down);
    await move('disk', KEYS.up);
    const moved = costs.filter((cost) => cost.bytes > 0);
    expect(moved.length).toBeGreaterThan(6);
    for (const cost of moved) expect(cost.bytes, cost.where).toBeLessThanOrEqual(400);
    // The measured answer is 10 to 20 ms; a loaded test machine gets a wide margin.
    const sorted = moved.map((cost) => cost.firstByteMs).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(300);
  });

  it('the first frame fits into a second of a 9600 baud line twice over', async () => {
    const pty = start({ term: 'vt220' });
    await at(pty, 'Welcome');
    await pty.settle();
    expect(pty.bytesReceived).toBeLessThan(2000);
  });
});

describe('terminals', () => {
  it('asks a terminal that reports 0x0 for its size', async () => {
    const pty = start({ term: 'linux', columns: 0, rows: 0, emulated: { columns: 100, rows: 30 } });
    await at(pty, 'Welcome');
    await pty.settle();
    expect(pty.grid()[28]).toContain('─'.repeat(100));
  });

  it('says in one sentence that 40x10 is too small, and goes on when it has grown', async () => {
    const pty = start({ term: 'xterm', columns: 40, rows: 10 });
    await pty.waitFor('This terminal is 40x10');
    pty.resize(80, 25);
    await at(pty, 'Welcome');
    pty.resize(132, 43);
    await pty.settle();
    expect(pty.text().match(/^ Welcome/gm)).toHaveLength(1);
    expect(pty.grid()[42]).toContain('Enter');
  });

  it('reads function keys that arrive byte by byte over a slow line', async () => {
    const pty = start({ term: 'linux' });
    await at(pty, 'Welcome');
    for (const byte of '\x1b[[A') {
      pty.send(byte);
      await pty.settle(20);
    }
    await pty.waitFor('Start asks the questions');
  });

  it('paints again after Ctrl-L', async () => {
    const pty = start({ term: 'linux' });
    await at(pty, 'Welcome');
    const cost = await pty.press(KEYS.ctrlL);
    expect(cost.bytes).toBeGreaterThan(800);
    expect(pty.text()).toMatch(/^ Welcome/);
  });

  it('leaves the terminal usable when it is killed', async () => {
    const pty = start({ term: 'xterm' });
    await at(pty, 'Welcome');
    await pty.settle();
    pty.signalProgram('TERM');
    expect(await pty.exit).toBe(128 + 15);
    expect(pty.output).toContain('\x1b[?25h');
    expect(pty.output).toContain('\x1b[?1049l');
  });

  it('pastes several lines into one field without accepting it', async () => {
    const pty = start({ term: 'xterm', answers: { role: 'control-plane', target_disk: '/dev/sdb', confirm_wipe: 'true', keymap: 'us' } });
    await at(pty, 'Welcome');
    pty.send(KEYS.enter);
    await at(pty, 'What this machine has');
    pty.send(KEYS.enter);
    await at(pty, 'Host name');
    pty.send('\x1b[200~ddi-9\nsecond line\x1b[201~');
    await pty.waitFor('[ddi-9 ');
    await pty.settle();
    expect(pty.text()).toMatch(/^ Host name/);
  });
});
