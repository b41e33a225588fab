/** Keeps this box's identity: gets one, watches over it, renews its secret. The loop lives here, in the process. See docs/decisions/0013-identity.md. */
import type { AskPanel, IdentityPort, IdentityState } from '#model/pull.ts';
import type { Secret } from '#model/secret.ts';
import { messageOf } from '#system/complain.ts';
import { backoffMs, DEFAULT_INTERVAL_MS, firstDelayMs, MAX_BACKOFF_MS } from '../pull/backoff.ts';
import { Asking, type Attempts } from './asking.ts';
import { Connections } from './connections.ts';
import { type Decision, decide, type Voucher } from './decide.ts';
import type { IdentityDeps } from './deps.ts';
import { isSameMachine, readProductUuid, readToken } from './dmi.ts';
import { type Identity, NOBODY, type Pending } from './document.ts';
import { beginPending, DiskError, enrolOnce, finishGrant } from './enrolment.ts';
import { Link } from './link.ts';
import { LOOK_MS } from './pace.ts';
import { isRotationDue, offerNext, UNSUPPORTED_MS } from './rotation.ts';
import { StandingBook } from './standing-book.ts';
import { sha256Hex, type TokenVerdict } from './token.ts';
import { type Words, wordsOf } from './words.ts';

export class IdentityKeeper implements IdentityPort {
  readonly #deps: IdentityDeps;
  readonly #connections: Connections;
  readonly #book: StandingBook;
  readonly #asking: Asking;
  readonly #link: Link;
  readonly #listeners = new Set<() => void>();
  #identity: Identity = NOBODY;
  #productUuid: string | null = null;
  #token: TokenVerdict = { kind: 'none', state: 'no_dmi', detail: '' };
  #decision: Decision['do'] = 'nothing';
  #noRotationUntilMs = 0;
  #told = '';
  #saving: Promise<unknown> = Promise.resolve();
  #stop = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
    this.#connections = new Connections(deps);
    this.#book = new StandingBook(deps.store.standing);
    this.#asking = new Asking(deps, this.#book);
    this.#link = new Link({
      deps,
      book: this.#book,
      connections: this.#connections,
      identity: () => this.#identity,
      change: this.#change,
      changed: () => this.#tell(),
      wake: () => this.#wake.abort(),
    });
  }

  /** Reads the disk and SMBIOS; asks nobody. After it, the state is right. */
  async open(): Promise<void> {
    const { identity, corrupt } = await this.#deps.store.load();
    this.#identity = identity;
    if (corrupt !== null) this.#deps.log(`the stored identity was unreadable (${corrupt}); it was set aside as identity.json.corrupt`);
    await this.#book.load();
    this.#productUuid = await readProductUuid(this.#deps.root);
    this.#link.begin();
    const decision = await this.#look();
    if (decision.do === 'finish') await this.#finish(decision.pending);
    const { kind } = this.#deps.settings;
    if (identity.active !== null && identity.active.kind !== kind)
      this.#deps.log(`this box was enrolled as ${identity.active.kind}, its settings say ${kind}: it needs a new token`);
    // Somebody meant to give this machine a new identity.
    if (this.#token.kind === 'none' && this.#token.state === 'damaged_token') this.#deps.log(this.#token.detail);
    this.#tell();
  }

  start(): void {
    this.#running = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#running;
    await this.#saving;
    this.#connections.close();
  }

  readonly state = (): IdentityState => {
    if (this.#asking.trouble !== null) return this.#asking.trouble.state;
    if (this.#decision === 'enrol' || this.#decision === 'finish') return 'enrolling';
    if (this.#decision === 'await') return this.#asking.isRevoked(this.#identity.pending) ? 'revoked' : 'awaiting_approval';
    if (this.#decision === 'cloned') return 'cloned';
    if (this.#identity.active !== null) return this.#link.standing().verdict === 'accepted' ? 'active' : this.#link.verdictState();
    return this.#token.kind === 'none' ? this.#token.state : 'enrolling';
  };

  /** The state in words, with what the last reply said. */
  words(): Words {
    const general = wordsOf(this.state());
    const { trouble } = this.#asking;
    if (trouble !== null) return { code: trouble.code, message: trouble.message };
    const isSerial = this.#token.kind === 'none' && this.#token.state === this.state();
    return isSerial && this.#token.kind === 'none' ? { code: general.code, message: `not enrolled: ${this.#token.detail}` } : general;
  }

  readonly deviceId = (): string | null => (this.#isOurs() ? (this.#identity.active?.device_id ?? null) : null);
  readonly credential = (): Secret | null => (this.#isOurs() ? this.#link.credential() : null);
  readonly noteStatus = async (status: number): Promise<void> => {
    if (this.#isOurs()) await this.#link.note(status);
  };
  readonly ask: AskPanel = (request, signal) => {
    if (this.#isOurs()) return this.#link.ask(request, signal);
    return Promise.resolve({ kind: 'failed', fault: 'unreachable', message: 'this machine has no identity yet' });
  };
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** What is stored; for the status sections, which show no secret of it. */
  stored(): Identity {
    return this.#identity;
  }
  standing() {
    return this.#link.standing();
  }
  attempts(): Attempts {
    return this.#asking.attempts;
  }

  /** Does what is next, and gives the milliseconds until there may be more. */
  async step(): Promise<number> {
    const decision = await this.#look();
    switch (decision.do) {
      case 'finish':
        await this.#finish(decision.pending);
        return 0;
      case 'enrol':
        return this.#asking.isRefused(decision.voucher.sha256) ? LOOK_MS : this.#enrol(decision.voucher, decision.resume);
      case 'await':
        return this.#asking.isRefused(decision.pending.voucher_sha256) ? LOOK_MS : this.#enrol(null, decision.pending);
      case 'run':
        await this.#link.checkFirstPin();
        return this.#rotateIfDue();
      case 'cloned':
      case 'nothing':
        return LOOK_MS;
    }
  }

  /** A copied disk is not ours, even while it asks for an identity of its own. */
  #isOurs(): boolean {
    const { active } = this.#identity;
    return active !== null && isSameMachine(active.product_uuid, this.#productUuid);
  }

  async #look(): Promise<Decision> {
    this.#token = await readToken(this.#deps.root);
    const code = await this.#deps.code.read();
    const voucher: Voucher | null = code === null ? null : { source: 'code', secret: code, sha256: sha256Hex(code.reveal()), pin: null };
    const decision = decide({ identity: this.#identity, token: this.#token, code: voucher, productUuid: this.#productUuid });
    // Typed again, or left by a crash between the last write and its removal.
    if (voucher !== null && voucher.sha256 === this.#identity.active?.voucher_sha256) {
      await this.#deps.code.remove();
      this.#deps.log('this pairing code has done its work here; to pair anew take another, or "spatium pair --reset"');
    }
    this.#asking.turnTo(
      decision.do === 'enrol' ? decision.voucher.sha256 : decision.do === 'await' ? decision.pending.voucher_sha256 : null,
    );
    this.#decision = decision.do;
    this.#tell();
    return decision;
  }

  async #enrol(voucher: Voucher | null, resume: Pending | null): Promise<number> {
    if (resume === null) this.#asking.startOver();
    const begun = resume ?? (voucher === null ? null : await beginPending(this.#deps, this.#change, voucher, this.#productUuid));
    if (begun === null) return LOOK_MS;
    // Claimed, and the power went before it was taken away.
    if (begun.source === 'code' && begun.is_claimed && voucher !== null) await this.#deps.code.remove();
    const result = await enrolOnce(this.#deps, this.#connections, this.#change, begun, voucher, this.#asking.refusedForMs());
    this.#asking.asked(result.status);
    const { outcome, pending } = result;
    if (outcome.kind === 'granted') {
      const granted = { ...pending, granted: { device_id: outcome.deviceId, pin_key: outcome.pinKey } };
      await this.#change((identity) => ({ ...identity, pending: granted }));
      await this.#finish(granted);
      return 0;
    }
    if (outcome.kind === 'registered') return this.#enrol(null, await this.#claimed(pending, outcome.sessionToken));
    const ms = await this.#asking.notYet(outcome, pending, result.retryAfter);
    this.#tell();
    return ms;
  }

  /** The token is on the disk before the code is gone. From now on the code is of no use to us, and may be worth something to others. */
  async #claimed(pending: Pending, sessionToken: Secret): Promise<Pending> {
    const claimed = { ...pending, secret: sessionToken.reveal(), is_claimed: true };
    await this.#change((identity) => ({ ...identity, pending: claimed }));
    await this.#deps.code.remove();
    return claimed;
  }

  async #finish(pending: Pending): Promise<void> {
    await finishGrant(this.#deps, this.#change, pending);
    this.#asking.calm();
    this.#link.begin();
    this.#decision = 'run';
    this.#tell();
  }

  async #rotateIfDue(): Promise<number> {
    const { active } = this.#identity;
    const { clock } = this.#deps;
    // Who is refused has nothing to renew.
    if (active === null || this.#link.isTryingNext() || this.#link.standing().verdict !== 'accepted') return LOOK_MS;
    const isWanted = this.#link.isRotationAsked() || isRotationDue(active, clock.wallMs());
    if (!isWanted || clock.monoMs() < this.#noRotationUntilMs) return LOOK_MS;
    const offered = await offerNext(this.#deps, this.#change, active, (request) => this.#link.askAs(request));
    if (offered === 'accepted' || offered === 'refused') this.#link.tryNext();
    else this.#noRotationUntilMs = clock.monoMs() + (offered === 'unsupported' ? UNSUPPORTED_MS : MAX_BACKOFF_MS);
    this.#tell();
    return LOOK_MS;
  }

  /** One after the other, and in memory only what is on the disk. */
  readonly #change = (act: (identity: Identity) => Identity): Promise<void> => {
    const done = this.#saving.then(async () => {
      const next = act(this.#identity);
      if (next === this.#identity) return;
      await this.#deps.store.save(next).catch((error: unknown) => {
        throw new DiskError(`cannot store the identity: ${messageOf(error)}`, { cause: error });
      });
      this.#identity = next;
    });
    this.#saving = done.catch(() => undefined);
    return done;
  };

  /** Tells the listeners when state or credential have changed, and the log when the words have. */
  #tell(): void {
    const { code, message } = this.words();
    const now = JSON.stringify([this.state(), code, message, this.deviceId(), this.#link.generation()]);
    if (now === this.#told) return;
    this.#told = now;
    this.#deps.log(code === null ? message : `${code} ${message}`);
    for (const listener of this.#listeners) listener();
  }

  async #loop(): Promise<void> {
    const { clock, random, log } = this.#deps;
    // A host that starts all its guests at once must not start them in step.
    await clock.sleep(firstDelayMs(DEFAULT_INTERVAL_MS, random), this.#stop.signal);
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const ms = await this.step().then(
        (delay) => {
          failures = 0;
          return delay;
        },
        (error: unknown) => {
          failures++;
          log(messageOf(error));
          return backoffMs(failures, DEFAULT_INTERVAL_MS, random);
        },
      );
      this.#wake = new AbortController();
      await clock.sleep(ms, AbortSignal.any([this.#stop.signal, this.#wake.signal]));
    }
  }
}
