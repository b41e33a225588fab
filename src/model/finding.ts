/** What a rule says about an answer. Positions are added by whoever read the text. */

export type Severity = 'error' | 'warning';

/** 1-based place in a text file. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Finding {
  readonly severity: Severity;
  /** Stable id, `subject.fault`, for example `hostname.dot`. Never reused for another meaning. */
  readonly rule: string;
  /** Dotted path of the key in the answer file, list index in brackets: `network.gateway`, `ssh_authorized_keys[2]`. Empty: the file. */
  readonly path: string;
  /** One sentence naming what is wrong. Never holds a secret. */
  readonly message: string;
  /** What to write or do instead. Never holds a secret. */
  readonly fix?: string;
  /** Path of an answer that is in the file, when `path` is one that is not; only the place of the finding comes from it. */
  readonly near?: string;
  /** True when the finding only says that this machine could not check (never counts under `--strict`). */
  readonly unchecked?: boolean;
}

/** A finding with its place in a file. `line` and `column` are 1-based; 1:1 when the file has no better place. */
export interface PlacedFinding extends Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Column one past the last character of the offending text on `line`. */
  readonly endColumn?: number;
}

/** Of each severity. What a file with more faults has to say beyond these is noise, and costs its reader. */
export const MAX_FINDINGS = 500;

/** Counts findings by severity. Takes one more than is shown, so that a reader can tell that some were left out. */
export class Room {
  readonly #taken: Record<Severity, number> = { error: 0, warning: 0 };

  takes(severity: Severity): boolean {
    return ++this.#taken[severity] <= MAX_FINDINGS + 1;
  }
}

/** A warning never stops anything by itself. */
export const isError = (f: Finding): boolean => f.severity === 'error';

/** True when at least one of them is an error. */
export const hasErrors = (findings: readonly Finding[]): boolean => findings.some(isError);
