/**
 * The pull model: what an appliance and its panel say to each other, and the ports between the rooms of the supervisor.
 * See docs/panel-api.md and docs/pull.md. Names on the wire are snake_case, as the panel sees them.
 */
import type { Secret } from './secret.ts';

/** What sort of appliance this is; one folder below `src/supervisor/kinds` each. */
export type ApplianceKind = 'lb' | 'gw' | 's3';

/** What a 200 of `GET /v1/KIND/config` carries. */
export interface ConfigEnvelope {
  readonly schema: 1;
  readonly kind: ApplianceKind;
  readonly device_id: string;
  /** Changes when the panel's counter starts anew. */
  readonly epoch?: string;
  /** A safe integer from 1, rising within an epoch. */
  readonly version: number;
  /** Seconds between two polls, 2 to 300; 5 without it. */
  readonly poll_seconds?: number;
  /** Judged by the kind's own schema. */
  readonly config: unknown;
}

/** One file on disk, so that tag and body cannot part. */
export interface StoredConfig {
  /** As received, with its quotes and `W/`; null when the panel sent none. */
  readonly etag: string | null;
  /** Of `body`, hexadecimal. */
  readonly sha256: string;
  readonly received_at: string;
  /** As received; what is read back is judged from it, `envelope` is for people and tools. */
  readonly body: string;
  readonly envelope: ConfigEnvelope;
}

export type ApplyPhase = 'schema' | 'version' | 'render' | 'validate' | 'reload' | 'health' | 'crash_loop';

/** Body of `POST /v1/KIND/status`. Applied and failed are told at once, so that a rollback is not read as "never saw it". */
export interface StatusReport {
  /** Rising within a boot; the panel drops lower ones. */
  readonly seq: number;
  readonly boot_id: string;
  readonly agent_version: string;
  readonly daemon_version: string | null;
  readonly uptime_s: number;
  readonly clock_synced: boolean | null;
  readonly applied_version: number | null;
  readonly applied_sha256: string | null;
  readonly fetched_version: number | null;
  readonly state: 'unassigned' | 'idle' | 'applying' | 'applied' | 'failed';
  readonly failed?: {
    /** Null when the body did not say. */
    readonly version: number | null;
    readonly sha256: string;
    readonly phase: ApplyPhase;
    readonly outcome: 'reverted' | 'revert_failed' | 'no_previous' | 'not_started';
    /** At most 2000 characters, no control characters, no secrets. */
    readonly message: string;
    readonly attempts: number;
    readonly retry_at?: string;
  };
  readonly update?: { readonly running: string; readonly target?: string; readonly phase?: string; readonly bad: readonly string[] };
  readonly warnings: readonly string[];
}

/** One question to the panel. The path begins with a slash; a body is sent as JSON. */
export interface PanelRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Null: a question that anybody may ask. */
  readonly bearer: Secret | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What went wrong below HTTP. `tls_*` is told by name, never as "unreachable". */
export type PanelFault =
  | 'unreachable'
  | 'timeout'
  | 'cut'
  | 'too_large'
  | 'tls_clock'
  | 'tls_expired'
  | 'tls_pin'
  | 'tls_name'
  | 'tls_issuer'
  | 'tls_other';

/** Any HTTP status is a reply, redirects too: they are never followed. Header names are lower case. */
export type PanelReply =
  | { readonly kind: 'reply'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly kind: 'failed'; readonly fault: PanelFault; readonly message: string };

/** Never throws for what the network or the panel does. */
export type AskPanel = (request: PanelRequest, signal?: AbortSignal) => Promise<PanelReply>;

/** How this box stands with its panel; the words the console shows. */
export type IdentityState =
  | 'no_dmi'
  | 'denied'
  | 'no_token'
  | 'placeholder'
  | 'not_a_token'
  | 'damaged_token'
  | 'enrolling'
  | 'awaiting_approval'
  | 'token_refused'
  | 'used_elsewhere'
  | 'token_expired'
  | 'active'
  | 'cloned'
  | 'revoked'
  | 'retired';

/** What the poll loop is given by the identity room. */
export interface IdentityPort {
  readonly state: () => IdentityState;
  readonly deviceId: () => string | null;
  /** Null while there is no active identity: then nothing is polled. After a rotation's first use it is the new one. */
  readonly credential: () => Secret | null;
  /**
   * Every status of an authenticated request; counts strikes, confirms an enrolment or a rotation. Never deletes anything, never
   * rejects. Resolves when what follows is on the disk, so that a restart does not forget it.
   */
  readonly noteStatus: (status: number) => Promise<void>;
  readonly ask: AskPanel;
  /** Called at every change of state or credential. Gives the way to stop. */
  readonly onChange: (listener: () => void) => () => void;
}

/** `pull.json`: from the image (`/usr/lib/spatiumddi`), overridden key by key from `/etc/spatiumddi`. Without it nothing is pulled. */
export interface PullSettings {
  readonly kind: ApplianceKind;
  /** `https://host[:port]`. */
  readonly panel: string;
  /** SPKI pins, base64url SHA-256, 43 characters; empty: the pin of the token, else trust on first use. */
  readonly pins: readonly string[];
  /** Of releases of the agent; `stable` without it. */
  readonly channel?: string;
  /** `system`: chain and name count, as in a browser, in place of pins. For a panel whose certificate a public authority renews with new keys. */
  readonly trust?: 'system';
}

/** A signed release. The signature covers version, size and hash. */
export interface ReleaseManifest {
  readonly channel: string;
  readonly version: string;
  readonly url: string;
  readonly size: number;
  readonly sha256: string;
  /** Ed25519 over the canonical text of the other fields, base64. */
  readonly signature: string;
  readonly min_version?: string;
  readonly allow_downgrade?: boolean;
}
