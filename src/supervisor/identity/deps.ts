/** What the identity room is given from outside: clocks, dice, the disk, the network. Tests put others in their place. */
import type { PullSettings } from '#model/pull.ts';
import type { Secret } from '#model/secret.ts';
import type { PanelClient } from '../panel/client.ts';
import type { Leaf, PanelTrust } from '../panel/trust.ts';
import type { IdentityStore } from './store.ts';

export interface IdentityClock {
  readonly wallMs: () => number;
  /** Never runs backwards. */
  readonly monoMs: () => number;
  /** Resolves early when the signal aborts; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The pairing code that the installer or `spatium pair` left on STATE. */
export interface CodeFile {
  readonly read: () => Promise<Secret | null>;
  readonly remove: () => Promise<void>;
}

export interface IdentityDeps {
  readonly settings: PullSettings;
  readonly store: IdentityStore;
  /** `/` but in tests: where /sys and /proc are. */
  readonly root: string;
  readonly code: CodeFile;
  readonly agentVersion: string;
  readonly clock: IdentityClock;
  readonly random: () => number;
  /** One line for the log and the console; never a secret. */
  readonly log: (line: string) => void;
  /**
   * Called before an identity takes effect: whatever is stored for another device has to be forgotten.
   * May be called again for the same device.
   */
  readonly forgetOther: (deviceId: string) => Promise<void>;
  readonly connect: (panel: string, trust: PanelTrust) => PanelClient;
  /** The certificate that the panel shows, trusted or not; no byte of HTTP is sent. @throws PanelError and errors of the system */
  readonly lookAt: (panel: string) => Promise<Leaf>;
  /** Nothing is verified; only by an explicit variable. */
  readonly isVerificationOff: boolean;
}
