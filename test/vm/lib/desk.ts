/** A person at the console of a machine, on its serial line: keys, menus, dialogs and a login, each answered by what the screen shows. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Screen } from './screen.ts';

const KEYS = { F1: '\x1b[11~', F5: '\x1b[15~', F10: '\x1b[21~' } as const;
const SCREEN_MS = 120_000;
/** The console takes no key of a dialog that has only just opened; a question stands for half a minute, however slow the machine. */
const SETTLE_MS = 600;
/** Nothing takes this long to answer a key. */
const AGAIN_MS = 20_000;
const MENU_MOST = 40;
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

export class Desk {
  readonly #screen: Screen;
  readonly #user: string;
  readonly #password: string;
  #asked = 0;

  constructor(screen: Screen, user: string, password: string) {
    this.#screen = screen;
    this.#user = user;
    this.#password = password;
  }

  see(wanted: RegExp, what?: string, waitMs = SCREEN_MS): Promise<string> {
    return this.#screen.waitFor(wanted, waitMs, what);
  }

  async #settled(): Promise<void> {
    await pause(SETTLE_MS);
  }

  /** Opens a menu and puts its mark on an entry; gives the line that is marked. */
  async point(key: 'F5' | 'F10', title: string): Promise<string> {
    this.#screen.type(KEYS[key]);
    await this.see(key === 'F5' ? /[-─] Power [-─]/ : /[-─] Menu [-─]/);
    await this.#settled();
    const marked = (): string => /[|│] (> .*)[|│]/.exec(this.#screen.text())?.[1]?.trim() ?? '';
    for (let i = 0; i < MENU_MOST; i++) {
      const before = marked();
      if (before.startsWith(`> ${title} `) || before === `> ${title}`) return before;
      this.#screen.key('down');
      // The next one goes out when this one was answered, however slow the machine: one too many would take another entry.
      await expect.poll(marked, { timeout: SCREEN_MS, interval: 50 }).not.toBe(before);
    }
    throw new Error(`no entry "${title}":\n${this.#screen.text()}`);
  }

  /** Takes an entry of a menu, once it can be taken: right after a start the supervisor may not have said yet what it does. */
  async take(key: 'F5' | 'F10', title: string): Promise<void> {
    await this.point(key, title);
    await this.see(new RegExp(`> ${literal(title)} *(?:F4 *)?[|│]`), `"${title}" without a reason against it`);
    this.#screen.key('enter');
  }

  enter(): void {
    this.#screen.key('enter');
  }

  /** The question of an action, which stands at No until it is turned. */
  async answer(question: RegExp, answer: 'No' | 'Yes'): Promise<string> {
    expect(await this.see(new RegExp(`${question.source}|Not possible`))).toMatch(question);
    // The answers are drawn after the question.
    const text = await this.see(/\[> (No|Yes) <\]/);
    expect(text).toMatch(/\[> No <\]/);
    await this.#settled();
    if (answer === 'Yes') {
      this.#screen.key('tab');
      await this.see(/\[> Yes <\]/);
      await this.#settled();
    }
    this.#screen.key('enter');
    return text;
  }

  async givePassword(password = this.#password): Promise<void> {
    await this.see(new RegExp(`Password of ${this.#user}`));
    await this.#settled();
    this.#screen.type(password);
    await this.see(new RegExp(`\\[\\*{${password.length}}[^*]`));
    await this.#settled();
    this.#screen.key('enter');
  }

  /** Fills the field that has the cursor, and goes on to the next one. @param shown what the field shows then */
  async typeInto(text: string, shown = text): Promise<void> {
    await this.#settled();
    this.#screen.type(text);
    await this.see(new RegExp(`\\[${literal(shown)}`));
    await this.#settled();
    this.#screen.key('enter');
  }

  /** Until an action has ended; gives its last words. */
  async ended(result: RegExp, waitMs = SCREEN_MS): Promise<string> {
    const text = await this.see(result, undefined, waitMs);
    await this.#settled();
    this.#screen.key('enter');
    return text;
  }

  /** From the dashboard to a shell of the administrator. */
  async logIn(): Promise<void> {
    const from = this.#screen.raw.length;
    // A console that has just started throws away what was typed before it could read.
    const pressing = setInterval(() => this.#screen.type(KEYS.F1), AGAIN_MS);
    this.#screen.type(KEYS.F1);
    await this.#said(/login: /, from).finally(() => clearInterval(pressing));
    this.#screen.type(`${this.#user}\r`);
    await this.#said(/Password: /, from);
    this.#screen.type(`${this.#password}\r`);
    await this.#said(new RegExp(`${this.#user}@[^$]*\\$ `), from);
    // What is typed is not echoed, so the bytes that come are the commands' own.
    this.#screen.type('exec env PS1= dash\r');
    await this.#settled();
    this.#screen.type('stty -echo -onlcr\r');
    await this.#settled();
  }

  /** Output of a command in that shell. */
  async run(command: string): Promise<string> {
    this.#asked += 1;
    const from = this.#screen.raw.length;
    const mark = `=${this.#asked}=`;
    this.#screen.type(`printf '<%s' '${mark}'; ${command}; printf '>%s%s;' '${mark}' $?\r`);
    const found = await this.#said(new RegExp(`<${mark}([^]*?)>${mark}(\\d+);`), from);
    const output = (found[1] ?? '').replaceAll('\r', '').trim();
    if (found[2] !== '0') throw new Error(`${command}: exit status ${found[2]}\n${output}`);
    return output;
  }

  /** Once, before `run` is given commands with sudo. */
  async becomeAdmin(): Promise<void> {
    const from = this.#screen.raw.length;
    this.#screen.type("sudo -v -p 'for-sudo:'; echo sudo-ended\r");
    await this.#said(/for-sudo:/, from);
    this.#screen.type(`${this.#password}\r`);
    // When sudo has read it, it throws away what was typed meanwhile.
    await this.#said(/sudo-ended/, from);
    await this.run('sudo -n true');
  }

  async leaveShell(): Promise<void> {
    const from = this.#screen.raw.length;
    this.#screen.type('exit\r');
    // The frame of before may still be on the screen; the last line of a new one comes when the console reads keys again.
    await this.#said(/F10/, from);
    await this.#settled();
  }

  /** In the bytes, since a screen may have been drawn over. */
  async #said(wanted: RegExp, fromByte: number): Promise<RegExpExecArray> {
    for (const endMs = Date.now() + SCREEN_MS; ; await pause(100)) {
      const found = wanted.exec(this.#screen.raw.slice(fromByte));
      if (found !== null) return found;
      if (Date.now() > endMs) throw new Error(`${wanted}: not said; the serial line ends:\n${this.#screen.raw.slice(-2000)}`);
    }
  }
}
