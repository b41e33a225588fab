/**
 * The same dialogue line by line: numbered questions and no cursor movement, for TERM=dumb, screen readers and scripts.
 * It sends the reducer what the screens would, so it can share a dialogue with them.
 */

import { draftValue, matching } from '#installer/wizard/draft.ts';
import { placeOf } from '#installer/wizard/navigation.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { WizardStore } from '#installer/wizard/store.ts';
import type { BodyLine, Item, Option, Overlay, ScreenDefinition, ScreenKey } from '#installer/wizard/types.ts';
import { messagesOf, shownFindings } from '#installer/wizard/view/messages.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';
import type { Key } from '#ui/terminal/keys.ts';
import type { LineReader } from '#ui/terminal/line-reader.ts';
import { sanitise } from '#ui/text.ts';

/** A longer list of matches is not read out. */
const MAX_MATCHES = 20;
const CTRL_C = { name: 'ctrl', text: 'c', shift: false, alt: false, ctrl: true } as const;
const named = (name: string): Key => ({ name: name as Key['name'], text: '', shift: false, alt: false, ctrl: false });

/** What became of one question. */
type Asked = 'next' | 'again' | 'left';

/** Whatever the text holds, it stays on its line and moves no cursor. */
const safe = (text: string): string => [...sanitise(text)].map(toAscii).join('');

const wordsOf = (screen: ScreenDefinition): readonly ScreenKey[] => (screen.extraKeys ?? []).filter((key) => key.word !== undefined);

class LineDialogue {
  readonly #store: WizardStore;
  readonly #reader: LineReader;
  readonly #write: (text: string) => void;
  #announced = '';
  #wasInterrupted = false;

  constructor(store: WizardStore, reader: LineReader, write: (text: string) => void) {
    this.#store = store;
    this.#reader = reader;
    this.#write = write;
  }

  #say(text: string): void {
    this.#write(`${safe(text)}\n`);
  }

  /** null: the line was hung up. `interrupted`: Ctrl-C, which has been dealt with. */
  async #ask(prompt: string, isSecret = false): Promise<{ readonly text: string } | 'interrupted' | null> {
    const text = await this.#reader.ask(safe(prompt), isSecret);
    if (this.#wasInterrupted) {
      this.#wasInterrupted = false;
      return 'interrupted';
    }
    return text === null ? null : { text };
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#store.send({ type: 'key', key: CTRL_C, terminal: null });
    const { overlay, notice } = this.#store.getState();
    this.#say('');
    if (overlay === null && notice !== null) this.#say(notice);
    this.#wasInterrupted = true;
    if (!this.#reader.cancel()) this.#wasInterrupted = false;
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
      if (overlay) {
        if (!(await this.#answerOverlay(overlay))) return;
      } else if (busy !== null || screen === 'progress') await this.#watch();
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

  /** False: the line was hung up. */
  async #answerOverlay(overlay: Overlay): Promise<boolean> {
    if (overlay.kind !== 'question') {
      this.#say(overlay.title);
      for (const line of overlay.kind === 'help' ? overlay.paragraphs : overlay.lines) this.#say(line);
      this.#store.send({ type: 'close-overlay' });
      return true;
    }
    const { title, paragraphs, yes, no } = overlay.question;
    this.#say(title);
    for (const text of paragraphs) this.#say(text);
    this.#say(`  1  ${no}`);
    this.#say(`  2  ${yes}`);
    const line = await this.#ask('Number [1]: ');
    if (line === null) return false;
    // Somebody at another terminal was faster, or Ctrl-C has answered.
    if (line === 'interrupted' || this.#store.getState().overlay !== overlay) return true;
    const answer = line.text.trim();
    const isLeaving = overlay.on === 'leave' && answer === 'quit';
    if (answer === 'quit' && !isLeaving) this.#store.send({ type: 'key', key: CTRL_C, terminal: null });
    else this.#store.send({ type: 'choose', yes: isLeaving || answer === '2' });
    return true;
  }

  /** Asks all items of the screen, then accepts it. False: the line was hung up. */
  async #askScreen(): Promise<boolean> {
    const screen = screenOf(this.#store.getState().screen);
    const place = placeOf(this.#store.getState());
    this.#say('');
    this.#say(`${screen.title}${place ? ` (${place.number} of ${place.count})` : ''}`);
    const { intro, aside } = this.#body();
    const said = screen.asideFollowsHighlight ? intro : [...intro, ...aside];
    this.#sayLines(said.filter((line) => line.text !== ''));
    const { notice } = this.#store.getState();
    if (notice !== null) this.#say(notice);
    const words = wordsOf(screen).map((key) => `${key.word} (${key.does})`);
    if (this.#body().items.length === 0) return this.#askNothing(screen, words);
    if (words.length > 0) this.#say(`Also: ${words.join(', ')}.`);
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

  /** A screen with nothing to fill in still waits for somebody: it never goes round by itself. */
  async #askNothing(screen: ScreenDefinition, words: readonly string[]): Promise<boolean> {
    const line = await this.#ask(`${[...words, '< (back)', 'quit'].join(', ')}: `);
    if (line === null) return false;
    if (line === 'interrupted' || this.#store.getState().screen !== screen.id) return true;
    if (this.#takeWord(screen, '', line.text.trim()) === null) this.#say('Answer with one of these words.');
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
    const isSecret = item.kind === 'text' && item.secret === true;
    const line = await this.#ask(this.#promptFor(item, current), isSecret);
    if (line === null) return null;
    // Somebody at another terminal was faster.
    if (line === 'interrupted' || this.#store.getState().screen !== before.screen) return 'left';
    const answer = line.text.trim();
    const taken = this.#takeWord(screenOf(before.screen), item.id, answer);
    if (taken !== null) return taken;
    return answer === '' ? 'next' : this.#take(item, item.kind === 'text' ? line.text : answer);
  }

  /** The words that mean the same at every question, and those of the screen; null: it is none of them. */
  #takeWord(screen: ScreenDefinition, itemId: string, answer: string): Asked | null {
    const press = (key: Key): Asked => {
      this.#store.send({ type: 'key', key, terminal: null });
      return 'left';
    };
    switch (answer) {
      case '<':
        this.#store.send({ type: 'back' });
        return 'left';
      case '?':
        this.#say(screen.help(itemId));
        return 'again';
      case '!':
        return press(named('f2'));
      case 'quit':
        return press(CTRL_C);
      default: {
        const extra = wordsOf(screen).find((key) => key.word === answer);
        return extra ? press(named(extra.key)) : null;
      }
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
    this.#say(`  ${String(index + 1).padStart(2)}  ${`${option.label}${option.tail ?? ''}`.replace(/ {2,}/g, '  ').trim()}${reasons}`);
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

/** Starts the dialogue on one line. `over` resolves when it is over, `interrupt` is Ctrl-C. */
export function startLineMode(
  store: WizardStore,
  reader: LineReader,
  write: (text: string) => void,
): { readonly over: Promise<void>; interrupt(): void } {
  const dialogue = new LineDialogue(store, reader, write);
  reader.onInterrupt = () => dialogue.interrupt();
  return { over: dialogue.run(), interrupt: () => dialogue.interrupt() };
}
