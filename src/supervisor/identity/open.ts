/** The identity of this machine, put together from its real parts. */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import type { PullSettings } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { readTextIfExists, remove } from '#system/files.ts';
import { panelClient } from '../panel/client.ts';
import { PANEL_LIMITS } from '../panel/exchange.ts';
import { presentedLeaf } from '../panel/trust.ts';
import { VERIFICATION_OFF } from './connections.ts';
import type { CodeFile, IdentityClock } from './deps.ts';
import { IdentityKeeper } from './keeper.ts';
import { identityStore } from './store.ts';

declare const SPATIUM_BUILT_AT: string | undefined;
/** When this program was built; 1970 from the source tree, where no clock is wrong. */
const BUILT_AT_MS = typeof SPATIUM_BUILT_AT === 'string' ? Date.parse(SPATIUM_BUILT_AT) : 0;

const CODE = /^[0-9]{8}$/;

/** A code that is not 8 digits is no code; who wrote it has been told. */
export function codeFile(root: string): CodeFile {
  const file = path.join(root, PATHS.state, 'pairing-code');
  return {
    async read() {
      const text = (await readTextIfExists(file))?.trim() ?? '';
      return CODE.test(text) ? new Secret(text) : null;
    },
    remove: () => remove(file),
  };
}

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 2;

export const systemIdentityClock: IdentityClock = {
  wallMs: () => Date.now(),
  monoMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, MAX_TIMER_MS));
      signal.addEventListener('abort', done, { once: true });
    }),
};

export interface OpenOptions {
  readonly settings: PullSettings;
  readonly version: string;
  readonly log: (line: string) => void;
  /** Called before an identity takes effect: whatever is stored for another device has to be forgotten. */
  readonly forgetOther: (deviceId: string) => Promise<void>;
  /** `/` but in tests. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads the disk and SMBIOS, and is not started yet. @throws Error when the store cannot be read or made */
export async function openIdentity(options: OpenOptions): Promise<IdentityKeeper> {
  const root = options.root ?? '/';
  const isVerificationOff = (options.env ?? process.env)[VERIFICATION_OFF] === '1';
  if (isVerificationOff)
    options.log(`WARNING: ${VERIFICATION_OFF}=1: the certificate of the panel is NOT checked; anybody on the way can be the panel`);
  const keeper = new IdentityKeeper({
    settings: options.settings,
    store: identityStore(path.join(root, PATHS.pullIdentity)),
    root,
    code: codeFile(root),
    agentVersion: options.version,
    clock: systemIdentityClock,
    random: Math.random,
    log: options.log,
    forgetOther: options.forgetOther,
    connect: (panel, trust) =>
      panelClient({ panel, trust, userAgent: `spatium/${options.version}`, builtAtMs: BUILT_AT_MS, nowMs: Date.now }),
    lookAt: (panel) => presentedLeaf(new URL(panel), PANEL_LIMITS.connectMs),
    isVerificationOff,
  });
  await keeper.open();
  return keeper;
}
