/**
 * Sends the status report: the newest only, at most every two seconds, again every five minutes. A loop of its own, which holds up
 * nothing. What was not sent is on disk. See docs/panel-api.md.
 */
import type { IdentityPort, PanelReply, StatusReport } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import { backoffMs, DEFAULT_INTERVAL_MS, delayMs, failuresAfter } from './backoff.ts';
import { Loop, type PullClock } from './clock.ts';
import { afterReport, keyOf } from './report.ts';
import { rowOfFault, rowOfStatus } from './responses.ts';
import { retryAfterMs } from './retry-after.ts';

const MIN_GAP_MS = 2000;
const RESEND_MS = 300_000;

/** What is kept over a restart. */
export interface KeptReport {
  readonly report: StatusReport;
  readonly isSent: boolean;
}

export interface ReportContext {
  readonly identity: IdentityPort;
  readonly path: string;
  readonly clock: PullClock;
  /** Everything but the number; asked whenever something may have changed. */
  readonly build: () => Promise<Omit<StatusReport, 'seq'>>;
  readonly load: () => Promise<KeptReport | null>;
  readonly save: (kept: KeptReport) => Promise<void>;
  readonly log: (text: string) => void;
}

export class Reporter {
  readonly #context: ReportContext;
  readonly #loop: Loop;
  #kept: KeptReport | null = null;
  #isDue = true;
  #failures = 0;
  #notBeforeMs = 0;

  constructor(context: ReportContext) {
    this.#context = context;
    this.#loop = new Loop(context.clock);
  }

  start(): void {
    const stopListening = this.#context.identity.onChange(() => this.touch());
    this.#loop.start(() => this.#rounds(), stopListening);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Something may have changed. `delay`: let that long go by before the next one, milliseconds. */
  touch(delay = 0): void {
    if (delay > 0) this.#notBeforeMs = Math.max(this.#notBeforeMs, this.#context.clock.monoMs() + delay);
    this.#isDue = true;
    this.#loop.nap.wake();
  }

  async #rounds(): Promise<void> {
    const { clock, identity, log } = this.#context;
    this.#kept = await this.#context.load().catch(() => null);
    let resendAtMs = clock.monoMs();
    while (!this.#loop.isEnding) {
      if (this.#isDue) {
        this.#isDue = false;
        if (await this.#renew().catch((error: unknown) => this.#complain(error))) resendAtMs = clock.monoMs();
      }
      // Retired: the poll asks once an hour, and nobody wants to hear more.
      const bearer = identity.state() === 'retired' ? null : identity.credential();
      const waitMs = Math.max(resendAtMs, this.#notBeforeMs) - clock.monoMs();
      if (bearer === null || this.#kept === null || waitMs > 0) {
        await this.#loop.nap.sleep(bearer === null || this.#kept === null ? null : waitMs);
        continue;
      }
      // The newest facts, also when a timer and not a change woke us.
      await this.#renew().catch((error: unknown) => this.#complain(error));
      const { report } = this.#kept;
      const reply = await identity.ask({ method: 'POST', path: this.#context.path, bearer, body: report }, this.#loop.signal);
      if (this.#loop.isEnding) return;
      if (reply.kind === 'reply') await identity.noteStatus(reply.status);
      const verdict = reply.kind === 'reply' ? afterReport(reply.status) : 'again';
      if (verdict === 'drop' && reply.kind === 'reply')
        log(`the panel does not take status report ${report.seq} (it answers ${reply.status}); dropped`);
      this.#failures = failuresAfter(this.#failures, verdict === 'sent');
      resendAtMs = clock.monoMs() + (verdict === 'again' ? this.#retryMs(reply) : RESEND_MS * (0.9 + 0.2 * clock.random()));
      this.#notBeforeMs = clock.monoMs() + (verdict === 'again' ? resendAtMs - clock.monoMs() : MIN_GAP_MS);
      if (verdict !== 'again') await this.#settle(report).catch((error: unknown) => this.#complain(error));
    }
  }

  #complain(error: unknown): false {
    this.#context.log(`status report: ${messageOf(error)}`);
    return false;
  }

  #retryMs(reply: PanelReply): number {
    const { clock } = this.#context;
    const row = reply.kind === 'reply' ? rowOfStatus(reply.status) : rowOfFault(reply.fault);
    if (row.pace === 'normal') return backoffMs(this.#failures, DEFAULT_INTERVAL_MS, clock.random);
    const asked = row.honoursRetryAfter && reply.kind === 'reply' ? retryAfterMs(reply.headers['retry-after'], clock.wallMs()) : null;
    return delayMs(
      { pace: row.pace, failures: this.#failures, goneCount: 0, intervalMs: DEFAULT_INTERVAL_MS, retryAfterMs: asked },
      clock.random,
    );
  }

  /** Takes the facts of now; true when they say something new, which is kept and sent soon. */
  async #renew(): Promise<boolean> {
    const facts = await this.#context.build();
    const old = this.#kept;
    if (old !== null && keyOf(old.report) === keyOf(facts)) {
      this.#kept = { ...old, report: { ...old.report, uptime_s: facts.uptime_s } };
      return false;
    }
    const seq = old?.report.boot_id === facts.boot_id ? old.report.seq + 1 : 1;
    this.#kept = { report: { seq, ...facts }, isSent: false };
    await this.#context.save(this.#kept);
    return true;
  }

  async #settle(report: StatusReport): Promise<void> {
    if (this.#kept?.report.seq !== report.seq || this.#kept.isSent) return;
    this.#kept = { ...this.#kept, isSent: true };
    await this.#context.save(this.#kept);
  }
}
