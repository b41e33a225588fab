/**
 * The same dialogue line by line: numbered questions and no cursor movement, for TERM=dumb, screen readers and scripts.
 * It sends the reducer what the screens would, so it can share a dialogue with them.
 */

import { draftValue, matching } from '#installer/wizard/draft.ts';
import { placeOf } from '#installer/wizard/navigation.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { WizardStore } from '#installer/wizard/store.ts';
import type { BodyLine, Item, Option, Overlay } from '#installer/wizard/types.ts';
import { messagesOf, shownFindings } from '#installer/wizard/view/messages.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';
import type { LineReader } from '#ui/terminal/line-reader.ts';

/** A longer list of matches is not read out. */
const MAX_MATCHES = 20;
const CTRL_C = { name: 'ctrl', text: 'c', shift: false, alt: false, ctrl: true } as const;
const F2 = { name: 'f2', text: '', shift: false, alt: false, ctrl: false } as const;

/** What became of one question. */
type Asked = 'next' | 'again' | 'left';

class LineDialogue {
  readonly #store: WizardStore;
  readonly #reader: LineReader;
  readonly #write: (text: string) => void;
  #announced = '';

  constructor(store: WizardStore, reader: LineReader, write: (text: string) => void) {
    this.#store = store;
    this.#reader = reader;
    this.#write = write;
  }

  #say(text: string): void {
    this.#write(`${[...text].map(toAscii).join('')}\n`);
  }

  #sayLines(lines: readonly BodyLine[]): void {
    for (const line of lines)
      this.#say(line.tone === 'error' ? `ERROR: ${line.text}` : line.tone === 'warning' ? `NOTE: ${line.text}` : line.text);
  }

  /** Until the dialogue is over, or the line is hung up. */
  async run(): Promise<void> {
    this.#say('At each question: Enter keeps what stands in brackets, ? explains, < goes back, ! shows the plan, quit leaves.');
    while (this.#store.getState().outcome === null) {
      const { overlay, busy, screen } = this.#store.getState();
      if (overlay) await this.#answerOverlay(overlay);
      else if (busy !== null || screen === 'progress') await this.#watch();
      else if (!(await this.#askScreen())) return;
    }
  }

  /** Waits for the next change; tells what the installation does meanwhile. */
  async #watch(): Promise<void> {
    const { run, busy } = this.#store.getState();
    const said = busy ?? run?.stepTitle ?? '';
    if (said !== '' && said !== this.#announced) this.#say(`${run && busy === null ? `[${Math.floor(run.fraction * 100)}%] ` : ''}${said}`);
    this.#announced = said;
    await new Promise<void>((resolve) => {
      const stop = this.#store.subscribe(() => {
        stop();
        resolve();
      });
    });
  }

  async #answerOverlay(overlay: Overlay): Promise<void> {
    if (overlay.kind !== 'question') {
      this.#say(overlay.title);
      for (const line of overlay.kind === 'help' ? overlay.paragraphs : overlay.lines) this.#say(line);
      return this.#store.send({ type: 'close-overlay' });
    }
    const { title, paragraphs, yes, no } = overlay.question;
    this.#say(title);
    for (const text of paragraphs) this.#say(text);
    this.#say(`  1  ${no}`);
    this.#say(`  2  ${yes}`);
    const line = await this.#reader.ask('Number [1]: ');
    this.#store.send({ type: 'choose', yes: line?.trim() === '2' });
  }

  /** Asks all items of the screen, then accepts it. False: the line was hung up. */
  async #askScreen(): Promise<boolean> {
    const screen = screenOf(this.#store.getState().screen);
    const place = placeOf(this.#store.getState());
    this.#say(`\n${screen.title}${place ? ` (${place.number} of ${place.count})` : ''}`);
    this.#sayLines(this.#body().intro.filter((line) => line.text !== ''));
    for (let index = 0; index < this.#body().items.length; ) {
      const item = this.#body().items[index];
      if (!item) break;
      const asked = await this.#askItem(item);
      if (asked === null) return false;
      if (asked === 'left' || this.#store.getState().screen !== screen.id || this.#store.getState().overlay) return true;
      if (asked === 'next') index++;
    }
    this.#store.send({ type: 'accept' });
    const state = this.#store.getState();
    if (state.screen === screen.id && state.overlay === null && state.outcome === null) this.#tellFaults();
    return true;
  }

  #body() {
    const state = this.#store.getState();
    return screenOf(state.screen).body(state, state.draft);
  }

  #tellFaults(): void {
    const state = this.#store.getState();
    const { items } = this.#body();
    this.#sayLines(messagesOf(state, shownFindings(state, items), items));
  }

  async #askItem(item: Item): Promise<Asked | null> {
    const before = this.#store.getState();
    const current = draftValue(before.draft, item.id);
    const line = await this.#reader.ask(this.#promptFor(item, current), item.kind === 'text' && item.secret === true);
    if (line === null) return null;
    // Somebody at another terminal was faster.
    if (this.#store.getState().screen !== before.screen) return 'left';
    const answer = line.trim();
    switch (answer) {
      case '<':
        this.#store.send({ type: 'back' });
        return 'left';
      case '?':
        this.#say(screenOf(before.screen).help(item.id));
        return 'again';
      case '!':
        this.#store.send({ type: 'key', key: F2, terminal: null });
        return 'left';
      case 'quit':
        this.#store.send({ type: 'key', key: CTRL_C, terminal: null });
        return 'left';
      default:
        return answer === '' ? 'next' : this.#take(item, item.kind === 'text' ? line : answer);
    }
  }

  #promptFor(item: Item, current: string): string {
    const kept = (text: string): string => (text === '' ? '' : ` [${text}]`);
    switch (item.kind) {
      case 'text':
        return `${item.label}${item.secret ? ' (not shown)' : ''}${item.secret ? kept(current === '' ? '' : 'as typed before') : kept(current)}: `;
      case 'toggle':
        return `${item.label}: yes or no [${current === 'true' ? 'yes' : 'no'}]: `;
      case 'search':
        return `${item.label}, or a part of it${kept(current)}: `;
      case 'radio':
      case 'list': {
        for (const [index, option] of item.options.entries()) this.#sayOption(option, index);
        const index = item.options.findIndex((option) => option.value === current);
        return `${item.label}, number${index < 0 ? '' : ` [${index + 1}]`}: `;
      }
    }
  }

  #sayOption(option: Option, index: number): void {
    const reasons = option.refused ? `  (not possible: ${option.refused.join('; ')})` : '';
    this.#say(`  ${String(index + 1).padStart(2)}  ${option.label.replace(/ {2,}/g, '  ').trim()}${reasons}`);
  }

  #take(item: Item, answer: string): Asked {
    switch (item.kind) {
      case 'text':
        return this.#takeText(item.id, answer);
      case 'toggle': {
        const value = /^y(es)?$/i.test(answer) ? 'true' : /^no?$/i.test(answer) ? 'false' : null;
        if (value === null) return this.#refuse('Answer yes or no.');
        return this.#set(item.id, value);
      }
      case 'radio':
      case 'list': {
        const option = item.options[Number(answer) - 1] ?? item.options.find((candidate) => candidate.value === answer);
        return option ? this.#set(item.id, option.value) : this.#refuse(`Answer with a number from 1 to ${item.options.length}.`);
      }
      case 'search':
        return this.#search(item.id, item.options, answer);
    }
  }

  #set(id: string, value: string): Asked {
    this.#store.send({ type: 'set', id, value });
    return 'next';
  }

  #refuse(why: string): Asked {
    this.#say(why);
    return 'again';
  }

  #takeText(id: string, answer: string): Asked {
    this.#store.send({ type: 'set', id, value: answer });
    if (!this.#store.submit(id)) return 'next';
    const { notice } = this.#store.getState();
    if (notice !== null) this.#say(notice);
    return this.#store.getState().busy === null ? 'again' : 'left';
  }

  #search(id: string, options: readonly Option[], answer: string): Asked {
    const exact = options.find((option) => option.value.toLowerCase() === answer.toLowerCase());
    const found = exact ? [exact] : matching(options, answer);
    if (found.length === 1 && found[0]) return this.#set(id, found[0].value);
    if (found.length === 0) return this.#refuse('Nothing matches.');
    if (found.length > MAX_MATCHES) return this.#refuse(`${found.length} match; type more of the name.`);
    return this.#refuse(`Which one? ${found.map((option) => option.value).join(', ')}`);
  }
}

/** Runs the dialogue on one line. Resolves when it is over. */
export const runLineMode = (store: WizardStore, reader: LineReader, write: (text: string) => void): Promise<void> =>
  new LineDialogue(store, reader, write).run();
