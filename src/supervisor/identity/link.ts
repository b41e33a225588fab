/** Questions of an enrolled box: which secret, whose certificate, and what the answers say about us. See docs/decisions/0013-identity.md. */
import type { AskPanel, IdentityState, PanelReply, PanelRequest } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { messageOf } from '#system/complain.ts';
import { type Connections, pickTrust } from './connections.ts';
import type { IdentityDeps } from './deps.ts';
import type { Active, Identity } from './document.ts';
import type { Change } from './enrolment.ts';
import { PINS_PATH } from './registration.ts';
import { type PinList, readPinList } from './repin.ts';
import { revocationOf } from './replies.ts';
import { isPanelsYes, promoted } from './rotation.ts';
import type { StandingBook } from './standing-book.ts';
import { CLEAN, type Standing, standingAfter, standingAfterHeader } from './strikes.ts';

/** A changed key is asked about so often at most. */
const REPIN_PAUSE_MS = 60_000;
/** A first key that could not be checked is checked again after this. */
const PIN_CHECK_PAUSE_MS = 3_600_000;
const PIN_QUESTION = { method: 'GET', path: PINS_PATH, bearer: null } as const;
const ROTATE_HEADER = 'spatium-rotate';

export interface LinkParts {
  readonly deps: IdentityDeps;
  readonly connections: Connections;
  readonly book: StandingBook;
  readonly identity: () => Identity;
  readonly change: Change;
  readonly changed: () => void;
  readonly wake: () => void;
}

const withPins = (identity: Identity, list: PinList): Identity =>
  identity.active === null
    ? identity
    : { ...identity, active: { ...identity.active, pins: list.pins, pins_issued_at: list.issuedAt, first_use: false } };

const isAccepted = (status: number): boolean => (status >= 200 && status < 300) || status === 304;

export class Link {
  readonly #parts: LinkParts;
  #standing: Standing = CLEAN;
  #isTryingNext = false;
  #isRotationAsked = false;
  #repinnedAtMs = Number.NEGATIVE_INFINITY;
  #nextPinCheckMs = Number.NEGATIVE_INFINITY;
  #generation = 0;
  #refusalTold: number | null = null;
  #judging: Promise<void> = Promise.resolve();

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  /** An identity was loaded or has come into effect. A next secret that is there may be known to the panel already. */
  begin(): void {
    const { book, deps } = this.#parts;
    const active = this.#active();
    this.#standing = active === null ? CLEAN : book.of(active.enrollment_id, deps.clock.monoMs());
    this.#isTryingNext = active?.next != null;
    this.#isRotationAsked = false;
    this.#generation++;
  }

  standing(): Standing {
    return this.#standing;
  }
  verdictState(): IdentityState {
    return this.#standing.verdict === 'accepted' ? 'active' : this.#standing.verdict;
  }
  isTryingNext(): boolean {
    return this.#isTryingNext;
  }
  isRotationAsked(): boolean {
    return this.#isRotationAsked;
  }
  /** Changes with the credential. */
  generation(): number {
    return this.#generation;
  }

  credential(): Secret | null {
    const active = this.#active();
    if (active === null) return null;
    return new Secret(this.#isTryingNext && active.next !== null ? active.next.secret : active.secret);
  }

  /** The panel takes the next secret, or has taken it before we could note that. */
  tryNext(): void {
    this.#isRotationAsked = false;
    this.#isTryingNext = true;
    this.#generation++;
  }

  /** The status of an authenticated request. Resolves when what follows from it is on the disk. */
  async note(status: number): Promise<void> {
    const active = this.#active();
    if (active === null) return;
    if (isAccepted(status) && active.confirmed_at === null) this.#confirm();
    await this.#judge((before, nowMs) => standingAfter(before, active.source, status, nowMs));
  }

  /** One after the other, stored before it counts. A disk that does not take it hides no refusal from this process. */
  #judge(next: (before: Standing, nowMs: number) => Standing): Promise<void> {
    this.#judging = this.#judging.then(async () => {
      const { book, deps, changed } = this.#parts;
      const id = this.#active()?.enrollment_id;
      const before = this.#standing;
      const nowMs = deps.clock.monoMs();
      const after = next(before, nowMs);
      if (id === undefined || after === before) return;
      await book.put(id, after, nowMs).catch((error: unknown) => deps.log(`the panel's refusal cannot be stored: ${messageOf(error)}`));
      // Another identity has come meanwhile: none of this was about it.
      if (this.#active()?.enrollment_id !== id) return;
      this.#standing = after;
      if (before.verdict !== after.verdict) changed();
    });
    return this.#judging;
  }

  /** The panel forgets the token at the first request, and the identity before this one is of no use any more. */
  #confirm(): void {
    const { change, deps } = this.#parts;
    const confirmed_at = new Date(deps.clock.wallMs()).toISOString();
    change((i) =>
      i.active === null || i.active.confirmed_at !== null ? i : { ...i, active: { ...i.active, confirmed_at }, previous: null },
    ).catch((error: unknown) => deps.log(messageOf(error)));
  }

  readonly ask: AskPanel = async (request, signal) => {
    const reply = await this.askAs(request, signal);
    const active = this.#active();
    if (reply.kind === 'failed' || active === null || active.next === null) return this.#observe(reply);
    const used = request.bearer?.reveal();
    if (used === active.next.secret && isPanelsYes(reply)) await this.#promote(active);
    if (reply.status !== 401 || (used !== active.secret && used !== active.next.secret)) return this.#observe(reply);
    // In the middle of a rotation one of the two is right, whichever step was the last.
    const other = used === active.secret ? active.next.secret : active.secret;
    const again = await this.askAs({ ...request, bearer: new Secret(other) }, signal);
    if (again.kind === 'reply' && again.status !== 401) await this.#switchTo(active, other, again);
    return this.#observe(again);
  };

  /** The other secret has answered: it is the one to ask with. */
  async #switchTo(active: Active, secret: string, reply: PanelReply): Promise<void> {
    this.#isTryingNext = secret === active.next?.secret;
    this.#generation++;
    if (this.#isTryingNext && isPanelsYes(reply)) await this.#promote(active);
    this.#parts.changed();
    // A next one that the panel has not heard of is offered again.
    this.#parts.wake();
  }

  /** With the bearer of the request as it is; a changed key of the panel is looked into. */
  async askAs(request: PanelRequest, signal?: AbortSignal): Promise<PanelReply> {
    const active = this.#active();
    if (active === null) return { kind: 'failed', fault: 'unreachable', message: 'this machine has no identity yet' };
    const { connections, deps } = this.#parts;
    const reply = await connections.askIf(deps.settings.panel, pickTrust(deps, active.pins), request, signal);
    if (reply.kind !== 'failed' || reply.fault !== 'tls_pin') return reply;
    const pins = await this.#vouchedPins(active);
    return pins === null ? reply : connections.askIf(deps.settings.panel, pickTrust(deps, pins), request, signal);
  }

  /** A key that nobody had vouched for at the first contact: is it on the list of the appliance CA? Asked until there is an answer. */
  async checkFirstPin(): Promise<void> {
    const active = this.#active();
    const { connections, deps, change } = this.#parts;
    const nowMs = deps.clock.monoMs();
    if (active === null || !active.first_use || active.pin_key === null || nowMs < this.#nextPinCheckMs) return;
    this.#nextPinCheckMs = nowMs + PIN_CHECK_PAUSE_MS;
    const list = readPinList(
      await connections.askIf(deps.settings.panel, pickTrust(deps, active.pins), PIN_QUESTION),
      active.pin_key,
      active.pins_issued_at,
    );
    if (typeof list === 'string') return deps.log(`the key of the first contact could not be checked: ${list}`);
    if (!active.pins.some((pin) => list.pins.includes(pin)))
      return deps.log(
        'WARNING: supervisor.tls.pin_not_vouched: the key of the first contact is not on the list of the appliance CA; somebody may stand between',
      );
    await change((i) => withPins(i, list));
  }

  /** The list is signed, so it is fetched from whoever answers; nothing secret goes there. Null: the old pins stay. */
  async #vouchedPins(active: Active): Promise<readonly string[] | null> {
    const { connections, deps, change } = this.#parts;
    const nowMs = deps.clock.monoMs();
    if (active.pin_key === null || deps.settings.pins.length > 0 || nowMs - this.#repinnedAtMs < REPIN_PAUSE_MS) return null;
    this.#repinnedAtMs = nowMs;
    const reply = await connections.ask(deps.settings.panel, { kind: 'off' }, PIN_QUESTION);
    const list = readPinList(reply, active.pin_key, active.pins_issued_at);
    const shown = await deps.lookAt(deps.settings.panel).catch(() => null);
    const why = typeof list === 'string' ? list : shown === null || !list.pins.includes(shown.pin) ? 'it is not on the list' : null;
    if (why !== null || typeof list === 'string') {
      deps.log(
        `supervisor.tls.certificate_not_vouched: the panel shows a new key that the appliance CA does not vouch for (${why}); the old one stays pinned`,
      );
      return null;
    }
    await change((i) => withPins(i, list));
    deps.log(`the appliance CA vouches for the keys ${list.pins.join(' and ')}; they are pinned now`);
    return list.pins;
  }

  async #promote(active: Active): Promise<void> {
    const { change, deps } = this.#parts;
    const next = active.next?.secret;
    // Two questions may be on their way with the same new secret.
    await change((i) =>
      i.active?.next?.secret === next && i.active ? { ...i, active: promoted(i.active, deps.clock.wallMs()) } : i,
    ).catch((error: unknown) => deps.log(messageOf(error)));
    if (this.#active()?.next == null) this.#isTryingNext = false;
  }

  async #observe(reply: PanelReply): Promise<PanelReply> {
    const active = this.#active();
    if (reply.kind === 'failed' || active === null) return reply;
    if (isAccepted(reply.status) && reply.headers[ROTATE_HEADER] !== undefined && !this.#isRotationAsked) {
      this.#isRotationAsked = true;
      this.#parts.wake();
    }
    if (active.source === 'code') {
      const revocation = revocationOf(reply);
      this.#tellRefusal(reply.status, revocation !== null);
      await this.#judge((before) => standingAfterHeader(before, revocation));
    }
    return reply;
  }

  /** Once a refusal: that a paired box is not torn down by it has to be seen somewhere. */
  #tellRefusal(status: number, isMeant: boolean): void {
    const isRefusal = !isMeant && [401, 403, 404].includes(status);
    if (isRefusal && this.#refusalTold !== status)
      this.#parts.deps.log(
        `supervisor.heartbeat.refused_not_revocation: the panel answers ${status} without its header; nothing is torn down`,
      );
    if (isRefusal || isAccepted(status)) this.#refusalTold = isRefusal ? status : null;
  }

  #active(): Active | null {
    return this.#parts.identity().active;
  }
}
