/** Log lines between their source and the screen: collected as they come, given on when the line has bytes for them. */
import type { LogLine } from '#model/status.ts';
import { severityOf } from '#status/log-severity.ts';
import { GLANCE, LineQueue, LogBudget, READING } from './log-budget.ts';
import { LOG_LINES, type UiEvent, type UiState } from './ui-state.ts';

export interface Given {
  readonly event: UiEvent;
  /** What the frame with these lines is paid from; null: nothing new. */
  readonly budget: LogBudget | null;
}

export class LogFlow {
  readonly #box: LineQueue<LogLine>;
  readonly #pod: LineQueue<LogLine>;
  readonly #glance: LogBudget;
  readonly #reading: LogBudget;
  readonly #isFast: boolean;
  #podLines = 0;
  #podEnd: string | null = null;

  /** @param isFast bytes cost nothing here */
  constructor(isFast: boolean, nowMs: number) {
    this.#isFast = isFast;
    this.#box = new LineQueue(LOG_LINES, nowMs);
    this.#pod = new LineQueue(LOG_LINES, nowMs);
    this.#glance = new LogBudget(GLANCE, nowMs);
    this.#reading = new LogBudget(READING, nowMs);
  }

  addBox(line: LogLine): void {
    this.#box.add(line);
  }

  startPod(nowMs: number): void {
    this.#podEnd = null;
    this.#pod.take(nowMs);
  }

  addPod(text: string): void {
    this.#podLines += 1;
    // No time of its own: the program's line says one, or there is none.
    this.#pod.add({ t: 'log', id: this.#podLines, at: '', src: 'app', unit: null, sev: severityOf(null, text), text });
  }

  endPod(why: string): void {
    this.#podEnd = why;
  }

  /** What the page that is shown gets now; null: nothing. */
  take(ui: UiState, nowMs: number): Given | null {
    const isPod = ui.page === 'podlog';
    const budget = isPod || ui.page === 'log' ? this.#reading : this.#glance;
    const queue = isPod ? this.#pod : this.#box;
    const hasEnded = isPod && ui.podLog?.ended !== this.#podEnd;
    if (queue.isEmpty && !hasEnded) {
      // The note of a flood goes with the flood.
      return !isPod && ui.log.note !== '' ? { event: { t: 'log', lines: [] }, budget: null } : null;
    }
    if (!this.#isFast && !budget.mayDraw(nowMs)) return null;
    const { lines, note } = queue.take(nowMs);
    const event: UiEvent = isPod ? { t: 'pod_log', lines, ended: this.#podEnd } : { t: 'log', lines, note };
    return { event, budget };
  }
}
