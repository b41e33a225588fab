/** Questions of an enrolled box: which secret, whose certificate, and what the answers say about us. Source: A6.6, A6.7, #1219. */
import type { AskPanel, IdentityState, PanelReply, PanelRequest } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { messageOf } from '#system/complain.ts';
import { type Connections, pickTrust } from './connections.ts';
import type { IdentityDeps } from './deps.ts';
import type { Active, Identity } from './document.ts';
import type { Change } from './enrolment.ts';
import { readPinList } from './repin.ts';
import { revocationOf } from './replies.ts';
import { promoted } from './rotation.ts';
import { CLEAN, type Standing, standingAfter, standingAfterHeader } from './strikes.ts';

/** A changed key is asked about so often at most. */
const REPIN_PAUSE_MS = 60_000;
const ROTATE_HEADER = 'spatium-rotate';

export interface LinkParts {
  readonly deps: IdentityDeps;
  readonly connections: Connections;
  readonly identity: () => Identity;
  readonly change: Change;
  readonly changed: () => void;
  readonly wake: () => void;
}

const isAccepted = (status: number): boolean => (status >= 200 && status < 300) || status === 304;

export class Link {
  readonly #parts: LinkParts;
  #standing: Standing = CLEAN;
  #isTryingNext = false;
  #isRotationAsked = false;
  #repinnedAtMs = Number.NEGATIVE_INFINITY;
  #generation = 0;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  /** An identity was loaded or has come into effect. A next secret that is there may be known to the panel already. */
  begin(): void {
    this.#standing = CLEAN;
    this.#isTryingNext = this.#active()?.next != null;
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

  /** The status of an authenticated request. */
  note(status: number): void {
    const active = this.#active();
    if (active === null) return;
    const before = this.#standing.verdict;
    this.#standing = standingAfter(this.#standing, active.source, status, this.#parts.deps.clock.monoMs());
    if (isAccepted(status) && active.confirmed_at === null) this.#confirm();
    if (before !== this.#standing.verdict) this.#parts.changed();
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
    const active = this.#active();
    const next = active?.next?.secret ?? null;
    const isNext = next !== null && request.bearer.reveal() === next;
    const reply = await this.askAs(request, signal);
    if (reply.kind === 'failed' || active === null) return reply;
    if (isNext && isAccepted(reply.status)) await this.#promote(active);
    if (!isNext || reply.status !== 401) return this.#observe(reply);
    const again = await this.askAs({ ...request, bearer: new Secret(active.secret) }, signal);
    if (again.kind === 'reply' && again.status !== 401) {
      // The panel has not heard of the next one; it is offered again.
      this.#isTryingNext = false;
      this.#generation++;
      this.#parts.changed();
      this.#parts.wake();
    }
    return this.#observe(again);
  };

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

  /** A key that nobody had vouched for at the first contact: is it on the list of the appliance CA? */
  async checkFirstPin(): Promise<void> {
    const active = this.#active();
    const { connections, deps } = this.#parts;
    if (active === null || !active.first_use || active.pin_key === null) return;
    const request = { method: 'GET', path: '/v1/pins', bearer: new Secret('none') } as const;
    const list = readPinList(await connections.askIf(deps.settings.panel, pickTrust(deps, active.pins), request), active.pin_key, null);
    if (typeof list === 'string') deps.log(`the key of the first contact could not be checked: ${list}`);
    else if (!active.pins.some((pin) => list.pins.includes(pin)))
      deps.log('WARNING: the key of the first contact is not on the list of the appliance CA; somebody may stand between');
  }

  /** The list is signed, so it is fetched from whoever answers; nothing secret goes there. Null: the old pins stay. */
  async #vouchedPins(active: Active): Promise<readonly string[] | null> {
    const { connections, deps, change } = this.#parts;
    const nowMs = deps.clock.monoMs();
    if (active.pin_key === null || deps.settings.pins.length > 0 || nowMs - this.#repinnedAtMs < REPIN_PAUSE_MS) return null;
    this.#repinnedAtMs = nowMs;
    const request = { method: 'GET', path: '/v1/pins', bearer: new Secret('none') } as const;
    const reply = await connections.ask(deps.settings.panel, { kind: 'off' }, request);
    const list = readPinList(reply, active.pin_key, active.pins_issued_at);
    const shown = await deps.lookAt(deps.settings.panel).catch(() => null);
    const why = typeof list === 'string' ? list : shown === null || !list.pins.includes(shown.pin) ? 'it is not on the list' : null;
    if (why !== null || typeof list === 'string') {
      deps.log(`the panel shows a new key that the appliance CA does not vouch for (${why}); the old one stays pinned`);
      return null;
    }
    await change((i) =>
      i.active === null ? i : { ...i, active: { ...i.active, pins: list.pins, pins_issued_at: list.issuedAt, first_use: false } },
    );
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

  #observe(reply: PanelReply): PanelReply {
    const active = this.#active();
    if (reply.kind === 'failed' || active === null) return reply;
    if (isAccepted(reply.status) && reply.headers[ROTATE_HEADER] !== undefined && !this.#isRotationAsked) {
      this.#isRotationAsked = true;
      this.#parts.wake();
    }
    if (active.source === 'code') {
      const before = this.#standing.verdict;
      this.#standing = standingAfterHeader(this.#standing, revocationOf(reply));
      if (before !== this.#standing.verdict) this.#parts.changed();
    }
    return reply;
  }

  #active(): Active | null {
    return this.#parts.identity().active;
  }
}
