/** One console on one terminal: facts in, frames out, keys to wishes. Ends when the terminal does. */
import { render } from 'ink';
import type { ActionEvent, ActionPlan, LogLine } from '#model/status.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import type { PlanAnswer } from '#status/control-client.ts';
import type { ActionName, Policy } from '#status/policy.ts';
import type { Clock } from '#status/store.ts';
import type { Key } from '#ui/terminal/keys.ts';
import type { Terminal } from '#ui/terminal/terminal.ts';
import { App } from './app.tsx';
import { Feed } from './feed.ts';
import { History } from './history.ts';
import { scrollLimit } from './layout.ts';
import type { Offers } from './menus.ts';
import { type Intent, initialUi, LOG_LINES, reduce, type UiEvent, type UiState } from './reducer.ts';
import type { ScreenState } from './screen-state.ts';

/** At most two frames a second, but a key is answered at once. */
const FRAME_MS = 500;
/** Seconds after the start at which a shared line is drawn anew: often while the system boots, rarely afterwards. */
const HEAL_AT_S: readonly number[] = [3, 10, 30, 60];
const HEAL_EVERY_S = 300;
const OFFERS_EVERY_S = 5;

/** What a session needs done outside of itself. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly socket: string;
  readonly plan: (action: ActionName) => Promise<PlanAnswer>;
  readonly runPlan: (plan: ActionPlan, onEvent: (event: ActionEvent) => void) => void;
  readonly policy: () => Promise<Policy>;
  /** Asked again now and then: a supervisor may come or go. */
  readonly offers: () => Promise<Offers>;
  /** Others write on this line too (kernel, systemd at boot), so the whole frame is drawn again now and then. */
  readonly isShared: boolean;
  /** Looks at the terminal's size again; a line without signals never tells. */
  readonly refreshSize: () => void;
}

export type SessionEnd = 'hangup' | 'login' | 'stopped';

class Session {
  readonly #terminal: Terminal;
  readonly #ports: SessionPorts;
  readonly #feed: Feed;
  readonly #ink: ReturnType<typeof render>;
  #ui: UiState;
  #paintedMs = Number.NEGATIVE_INFINITY;
  #soon: NodeJS.Timeout | null = null;
  #second: NodeJS.Timeout | null = null;
  readonly #history = new History();
  #seconds = 0;
  #freshLog: LogLine[] = [];
  #ended = false;
  #offers: Offers;
  readonly #onEnd: (end: SessionEnd) => void;

  constructor(terminal: Terminal, policy: Policy, offers: Offers, ports: SessionPorts, onEnd: (end: SessionEnd) => void) {
    this.#terminal = terminal;
    this.#ports = ports;
    this.#onEnd = onEnd;
    this.#offers = offers;
    this.#ui = initialUi(policy, offers);
    this.#feed = new Feed({
      socket: ports.socket,
      clock: ports.clock,
      onUrgent: () => this.#paintSoon(),
      onLog: (line) => this.#takeLog(line),
    });
    this.#ink = render(this.#frame(), {
      stdout: terminal.screen as unknown as NodeJS.WriteStream,
      stdin: terminal.input as unknown as NodeJS.ReadStream,
      debug: true,
      interactive: true,
      patchConsole: false,
      exitOnCtrlC: false,
    });
    terminal.input.on('key', this.#onKey);
    terminal.input.on('hangup', this.#onHangup);
    terminal.screen.on('resize', this.#onResize);
    this.#scheduleSecond();
  }

  readonly #onKey = (key: Key): void => {
    const size = this.#size();
    this.#dispatch({ t: 'key', key, pageRows: Math.max(1, size.rows - 5), scrollLimit: scrollLimit(this.#state(), size) });
    this.#paint();
  };
  readonly #onHangup = (): void => this.end('hangup');
  readonly #onResize = (): void => this.#paint();

  #size() {
    return { columns: this.#terminal.screen.columns, rows: this.#terminal.screen.rows };
  }

  #state(): ScreenState {
    const { page, dialog, scroll, log, policy, loginWhy, powerWhy } = this.#ui;
    const nowMs = this.#ports.clock.monoMs();
    return {
      ...this.#feed.facts(),
      history: this.#history.series,
      page,
      dialog,
      scroll,
      log,
      policy,
      loginWhy,
      powerWhy,
      nowMs,
      wallMs: Date.parse(this.#ports.clock.now()),
    };
  }

  #frame() {
    return <App state={this.#state()} size={this.#size()} />;
  }

  #paint(): void {
    if (this.#ended) return;
    if (this.#soon) clearTimeout(this.#soon);
    this.#soon = null;
    this.#paintedMs = this.#ports.clock.monoMs();
    this.#ink.rerender(this.#frame());
  }

  /** A flood of lines costs one frame a second; of what came meanwhile only what can be kept is kept. */
  #takeLog(line: LogLine): void {
    this.#freshLog.push(line);
    if (this.#freshLog.length > 2 * LOG_LINES) this.#freshLog.splice(0, this.#freshLog.length - LOG_LINES);
  }

  #paintSoon(): void {
    if (this.#ended || this.#soon) return;
    const waitMs = Math.max(0, FRAME_MS - (this.#ports.clock.monoMs() - this.#paintedMs));
    this.#soon = setTimeout(() => this.#paint(), waitMs);
  }

  /** With the second of the wall clock, so that one frame carries the new time and all that changed since. */
  #scheduleSecond(): void {
    this.#second = setTimeout(() => this.#onSecond(), 1000 - (Date.parse(this.#ports.clock.now()) % 1000) + 5);
  }

  #onSecond(): void {
    if (this.#ended) return;
    this.#scheduleSecond();
    this.#ports.refreshSize();
    const { link, view } = this.#feed.facts();
    this.#history.add(view, this.#ports.clock.monoMs());
    const facts = {
      ...this.#offers,
      policy: this.#ui.policy,
      live: link.state === 'live',
      pending: (view.power?.data?.pending.length ?? 0) > 0,
      hasK3s: view.k3s?.freshness !== 'not_applicable',
      hasSlots: view.slots?.freshness !== 'not_applicable',
    };
    this.#dispatch({ t: 'facts', facts });
    if (this.#freshLog.length > 0) this.#dispatch({ t: 'log', lines: this.#freshLog.splice(0) });
    this.#dispatch({ t: 'tick' });
    this.#paint();
    this.#seconds += 1;
    if (this.#seconds % OFFERS_EVERY_S === 0) void this.#askOffers();
    const isDue = HEAL_AT_S.includes(this.#seconds) || this.#seconds % HEAL_EVERY_S === 0;
    if (this.#ports.isShared && isDue) this.#terminal.screen.repaint();
  }

  async #askOffers(): Promise<void> {
    this.#offers = await this.#ports.offers();
  }

  #dispatch(event: UiEvent): void {
    const { ui, intents } = reduce(this.#ui, event, this.#ports.clock.monoMs());
    this.#ui = ui;
    for (const intent of intents) this.#do(intent);
  }

  #do(intent: Intent): void {
    switch (intent.kind) {
      case 'login':
        this.end('login');
        return;
      case 'repaint':
        this.#terminal.screen.repaint();
        return;
      case 'plan':
        void this.#planned(intent.action);
        return;
      case 'run':
        this.#ports.runPlan(intent.plan, (event) => {
          if (event.t === 'out') this.#dispatch({ t: 'output', line: event.line ?? '' });
          else this.#dispatch({ t: 'ended', result: event.rc === 0 ? 'done' : `failed: ${event.msg ?? 'unknown'}` });
          this.#paintSoon();
        });
        return;
    }
  }

  async #planned(action: ActionName): Promise<void> {
    const answer = await this.#ports.plan(action);
    if (this.#ended) return;
    if (answer.ok) this.#dispatch({ t: 'planned', plan: answer.plan });
    else this.#dispatch({ t: 'note', title: actionNamed(action)?.title ?? action, text: `Not possible: ${answer.why}.` });
    this.#paint();
  }

  end(how: SessionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#soon) clearTimeout(this.#soon);
    if (this.#second) clearTimeout(this.#second);
    this.#feed.stop();
    this.#terminal.input.off('key', this.#onKey);
    this.#terminal.input.off('hangup', this.#onHangup);
    this.#terminal.screen.off('resize', this.#onResize);
    this.#ink.unmount();
    this.#terminal.close();
    this.#onEnd(how);
  }
}

export interface RunningSession {
  readonly ended: Promise<SessionEnd>;
  end(how: SessionEnd): void;
}

/** Runs until hang-up, login, or `end`. */
export function startSession(terminal: Terminal, policy: Policy, offers: Offers, ports: SessionPorts): RunningSession {
  const { promise, resolve } = Promise.withResolvers<SessionEnd>();
  const session = new Session(terminal, policy, offers, ports, resolve);
  return { ended: promise, end: (how) => session.end(how) };
}
