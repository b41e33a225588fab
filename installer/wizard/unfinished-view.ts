import type { Answers, Role } from '#model/answers.ts';
import type { SecretName } from '#model/plan.ts';

/** An installation that a power cut ended, as its disk tells of it. */
export interface UnfinishedView {
  /** Nodes of the disks that it lies on now. */
  readonly disks: readonly string[];
  readonly hostname: string;
  readonly role: Role;
  /** It was to keep /var, which is whole then. */
  readonly keepsData: boolean;
  /** RFC 3339 UTC of its last record. */
  readonly lastAt: string;
  /** Titles of what was done, in order. */
  readonly done: readonly string[];
  /** How many steps there are. */
  readonly total: number;
  readonly stoppedAt: string;
  /** Why it cannot go on; null when it can. */
  readonly refusal: string | null;
  /** What it was started with, without secrets and without the word to erase. */
  readonly answers: Answers;
  /** Secrets that what is left to do asks for. */
  readonly needs: readonly SecretName[];
}
