/** One console on one terminal: facts in, frames out, keys to wishes. Ends when the terminal does. */
import { render } from 'ink';
import type { Policy } from '#status/policy.ts';
import type { Clock } from '#status/store.ts';
import type { Key } from '#ui/terminal/keys.ts';
import { inkOptions, type Terminal } from '#ui/terminal/terminal.ts';
import { App } from './app.tsx';
import { Desk, type DeskPorts } from './desk.ts';
import { Feed } from './feed.ts';
import { History } from './history.ts';
import { scrollLimit } from './layout.ts';
import { LogFlow } from './log-flow.ts';
import type { Offers } from './menus.ts';
import { hasPull } from './panels/pull.ts';
import { PasswordGate } from './password-gate.ts';
import { type ProcessSample, type ProcessTable, processTable } from './processes.ts';
import { type Intent, initialUi, reduce, type UiEvent, type UiState } from './reducer.ts';
import type { Page, ScreenState } from './screen-state.ts';

/** At most two frames a second, but a key is answered at once. */
const FRAME_MS = 500;
/** Seconds after the start at which a shared line is drawn anew: often while the system boots, rarely afterwards. */
const HEAL_AT_S: readonly number[] = [3, 10, 30, 60];
const HEAL_EVERY_S = 300;
const OFFERS_EVERY_S = 5;
/** The second look soon, since the first one knows no shares; then as often as a slow line bears. */
const PROCESSES_FIRST_S = 2;
const PROCESSES_EVERY_S = 6;
const PROCESSES_FAST_S = 3;

/** What a session needs done outside of itself. */
export interface SessionPorts extends DeskPorts {
  readonly clock: Clock;
  readonly socket: string;
  /** Asked again now and then: a supervisor may come or go. */
  readonly offers: () => Promise<Offers>;
  readonly processes: () => Promise<ProcessSample>;
  /** Others write on this line too (kernel, systemd at boot), so the whole frame is drawn again now and then. */
  readonly isShared: boolean;
  /** Bytes cost nothing here: a screen of this machine, no line. */
  readonly isFast: boolean;
  /** Looks at the terminal's size again; a line without signals never tells. */
  readonly refreshSize: () => void;
}

export type SessionEnd = 'hangup' | 'login' | 'edit_network' | 'stopped';

export interface SessionStart {
  readonly terminal: Terminal;
  readonly policy: Policy;
  readonly offers: Offers;
  /** What to go on with, after the terminal came back from another program. */
  readonly first: Intent | null;
  /** Outlives a session: leaving for a moment must not give new tries. */
  readonly gate?: PasswordGate;
}

class Session {
  readonly #terminal: Terminal;
  readonly #ports: SessionPorts;
  readonly #feed: Feed;
  readonly #desk: Desk;
  readonly #ink: ReturnType<typeof render>;
  readonly #history = new History();
  readonly #log: LogFlow;
  readonly #onEnd: (end: SessionEnd) => void;
  #ui: UiState;
  #offers: Offers;
  #sample: ProcessSample | null = null;
  #processes: ProcessTable | null = null;
  #paintedMs = Number.NEGATIVE_INFINITY;
  #soon: NodeJS.Timeout | null = null;
  #second: NodeJS.Timeout | null = null;
  #seconds = 0;
  #wasLive = false;
  #isAsking = false;
  /** The second at which processes are looked at again. */
  #processesDue = 0;
  #ended = false;

  constructor(start: SessionStart, ports: SessionPorts, onEnd: (end: SessionEnd) => void) {
    const { terminal } = start;
    this.#terminal = terminal;
    this.#ports = ports;
    this.#onEnd = onEnd;
    this.#offers = start.offers;
    this.#ui = initialUi(start.policy, start.offers);
    this.#log = new LogFlow(ports.isFast, ports.clock.monoMs());
    this.#desk = new Desk(
      ports,
      (event) => this.#hear(event),
      () => this.end('edit_network'),
      start.gate ?? new PasswordGate(ports.clock.monoMs),
    );
    this.#feed = new Feed({
      socket: ports.socket,
      clock: ports.clock,
      onUrgent: () => this.#paintSoon(),
      onLog: (line) => this.#log.addBox(line),
    });
    this.#ink = render(this.#frame(), inkOptions(terminal));
    terminal.input.on('key', this.#onKey);
    terminal.input.on('hangup', this.#onHangup);
    terminal.screen.on('resize', this.#onResize);
    if (start.first) this.#do(start.first);
    this.#scheduleSecond();
  }

  readonly #onKey = (key: Key): void => {
    // What the footer shows must be what the key finds, also within the first second.
    this.#takeFacts();
    const size = this.#size();
    const state = this.#state();
    const pods = (state.page === 'pods' ? state.view.pods?.data?.list : undefined) ?? [];
    this.#dispatch({ t: 'key', key, pageRows: Math.max(1, size.rows - 5), scrollLimit: scrollLimit(state, size), pods });
    this.#paint();
  };
  readonly #onHangup = (): void => this.end('hangup');
  readonly #onResize = (): void => this.#paint();

  #size() {
    return { columns: this.#terminal.screen.columns, rows: this.#terminal.screen.rows };
  }

  #state(): ScreenState {
    return {
      ...this.#ui,
      ...this.#feed.facts(),
      history: this.#history.series,
      processes: this.#processes,
      nowMs: this.#ports.clock.monoMs(),
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
    this.#takeFacts();
    this.#history.add(this.#feed.facts().view, this.#ports.clock.monoMs());
    const given = this.#log.take(this.#ui, this.#ports.clock.monoMs());
    if (given) this.#dispatch(given.event);
    this.#dispatch({ t: 'tick' });
    const before = this.#terminal.screen.bytesWritten;
    this.#paint();
    given?.budget?.spend(this.#terminal.screen.bytesWritten - before);
    this.#seconds += 1;
    if (this.#seconds % OFFERS_EVERY_S === 0) void this.#askOffers();
    if (this.#ui.page === 'processes' && this.#seconds >= this.#processesDue) void this.#readProcesses();
    const isDue = HEAL_AT_S.includes(this.#seconds) || this.#seconds % HEAL_EVERY_S === 0;
    if (this.#ports.isShared && isDue) this.#terminal.screen.repaint();
  }

  #takeFacts(): void {
    const { link, view } = this.#feed.facts();
    const facts = {
      ...this.#offers,
      policy: this.#ui.policy,
      live: link.state === 'live',
      pending: (view.power?.data?.pending.length ?? 0) > 0,
      hasK3s: view.k3s?.freshness !== 'not_applicable',
      hasSlots: view.slots?.freshness !== 'not_applicable',
      hasPull: hasPull({ view }),
    };
    this.#dispatch({ t: 'facts', facts });
    // A supervisor that has just come takes actions now, not at the next look.
    if (facts.live && !this.#wasLive) void this.#askOffers();
    this.#wasLive = facts.live;
  }

  async #askOffers(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#offers = await this.#ports.offers().finally(() => {
      this.#isAsking = false;
    });
  }

  async #readProcesses(): Promise<void> {
    const now = await this.#ports.processes();
    if (this.#ended || this.#ui.page !== 'processes') return;
    const isFirst = this.#processes === null;
    const everyS = this.#ports.isFast ? PROCESSES_FAST_S : PROCESSES_EVERY_S;
    this.#processesDue = this.#seconds + (isFirst ? PROCESSES_FIRST_S : everyS);
    this.#processes = processTable(this.#sample, now, this.#processes);
    this.#sample = now;
    if (isFirst) this.#paint();
  }

  #hear(event: UiEvent): void {
    if (this.#ended) return;
    this.#dispatch(event);
    if (event.t === 'output') this.#paintSoon();
    else this.#paint();
  }

  #dispatch(event: UiEvent): void {
    const before: Page = this.#ui.page;
    const { ui, intents } = reduce(this.#ui, event, this.#ports.clock.monoMs());
    this.#ui = ui;
    if (before !== ui.page) this.#turnedTo(ui.page, before);
    for (const intent of intents) this.#do(intent);
  }

  #turnedTo(page: Page, before: Page): void {
    if (before === 'podlog') this.#desk.unfollow();
    this.#sample = null;
    this.#processes = null;
    if (page === 'processes') void this.#readProcesses();
  }

  #do(intent: Intent): void {
    switch (intent.kind) {
      case 'login':
      case 'edit_network':
        this.end(intent.kind);
        return;
      case 'repaint':
        this.#terminal.screen.repaint();
        return;
      case 'plan':
        void this.#desk.plan(intent.action, intent.args);
        return;
      case 'admins':
        void this.#desk.admins(intent.order);
        return;
      case 'check':
        void this.#desk.check(intent, () => this.#ui.dialog?.kind === 'password' && this.#ui.dialog.order === intent.order);
        return;
      case 'run':
        this.#desk.run(intent.order, intent.admin);
        return;
      case 'follow':
        this.#followPod(intent.ns, intent.pod);
        return;
    }
  }

  #followPod(ns: string, pod: string): void {
    this.#log.startPod(this.#ports.clock.monoMs());
    this.#desk.follow(
      ns,
      pod,
      (text) => this.#log.addPod(text),
      (why) => this.#log.endPod(why),
    );
  }

  end(how: SessionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#soon) clearTimeout(this.#soon);
    if (this.#second) clearTimeout(this.#second);
    this.#feed.stop();
    this.#desk.unfollow();
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

/** Runs until hang-up, until another program is given the terminal, or `end`. */
export function startSession(start: SessionStart, ports: SessionPorts): RunningSession {
  const { promise, resolve } = Promise.withResolvers<SessionEnd>();
  const session = new Session(start, ports, resolve);
  return { ended: promise, end: (how) => session.end(how) };
}
