/**
 * The one registry of answer-file keys. The reader, the JSON Schema, `explain` and the reference page are made from it,
 * so a key that is not here does not exist anywhere.
 */
import type { KeySpec } from './key-spec.ts';
import { HOST_KEYS } from './keys-host.ts';
import { NETWORK_KEYS } from './keys-network.ts';

export type { KeySpec, KeyType } from './key-spec.ts';
export { AFTER_INSTALL_VALUES, ROLE_VALUES } from './keys-host.ts';
export { MODE_VALUES } from './keys-network.ts';

export const KEYS: readonly KeySpec[] = [...HOST_KEYS, ...NETWORK_KEYS];

const BY_PATH: ReadonlyMap<string, KeySpec> = new Map(KEYS.map((key) => [key.path, key]));

/** The key a finding's path speaks of, list indexes ignored; undefined when there is none. */
export const keyAt = (path: string): KeySpec | undefined => BY_PATH.get(path.replace(/\[\d+\]/g, ''));

/** Last names of the keys of a block: of `network`, or of the answer block itself (`''`). */
export const namesIn = (block: string): readonly string[] =>
  KEYS.filter((key) => (block === '' ? !key.path.includes('.') : key.path.startsWith(`${block}.`))).map((key) =>
    block === '' ? key.path : key.path.slice(block.length + 1),
  );

/** Spellings of the mapping that holds the answers. */
export const WRAPPERS = ['spatium_preseed', 'spatium-preseed'] as const;
