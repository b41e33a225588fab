/** What the registry says about one key. */
import type { Role } from '#model/answers.ts';

/**
 * - `list`: a list of texts, or one text of entries separated by blanks (`dns`: also by commas)
 * - `lines`: a list of texts, or one text with an entry a line
 * - `block`: a mapping of further keys
 */
export type KeyType = 'text' | 'secret' | 'boolean' | 'number' | 'list' | 'lines' | 'block';

export interface KeySpec {
  /** Dotted path inside the answer block: `network.gateway`. */
  readonly path: string;
  readonly type: KeyType;
  /** Written form of what is taken when the key is absent; null: it is asked for, or stays unset (see `absent`). */
  readonly default: string | null;
  /** What happens without the key. */
  readonly absent: string;
  /** null: every role uses it. */
  readonly role: Role | null;
  /** Accepted spellings of a value, each with what it stands for. */
  readonly values?: Readonly<Record<string, string>>;
  readonly description: string;
  readonly example: string;
}

/** `absent` of a key that the console asks for. */
export const ASKED = 'asked for';
