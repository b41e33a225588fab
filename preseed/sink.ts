/** What reading a file gathers: answers, where each stands, faults, and what must stay hidden. */
import { Room } from '#model/finding.ts';
import { RULES, type RuleId } from '#rules/catalogue.ts';
import { Hidden } from '#rules/show.ts';
import type { FileFault, Lines } from './text.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Place {
  readonly key: Span;
  readonly value: Span;
}

export interface PathFault extends FileFault {
  readonly path: string;
}

export class Sink {
  readonly faults: PathFault[] = [];
  readonly places = new Map<string, Place>();
  /** Parts of the file that may be printed: names of keys, and values of known keys that are no secrets. */
  readonly visible: Span[] = [];
  /** Names of keys among them, which are never masked: a masked name would tell what the secret is. */
  readonly keys: Span[] = [];
  /** Texts that must not appear in any message, nor in another value. */
  readonly secrets = new Hidden();
  /** Paths whose value could not be taken over at all. */
  readonly broken = new Set<string>();
  /** Blocks in which a key stands twice, so that what is missing from them is not certain. */
  readonly doubled = new Set<string>();
  readonly lines: Lines;
  readonly #room = new Room();

  constructor(lines: Lines) {
    this.lines = lines;
  }

  report(path: string, rule: RuleId, message: string, at: Span, fix?: string): void {
    if (!this.#room.takes(RULES[rule].severity)) return;
    this.faults.push({ rule, message, path, offset: at.start, end: at.end, ...(fix === undefined ? {} : { fix }) });
  }

  showKey(span: Span): void {
    this.visible.push(span);
    this.keys.push(span);
  }

  hide(text: string): void {
    this.secrets.add(text);
  }
}
