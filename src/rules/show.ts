/** Quoting of values in messages. The one place that decides what of an answer may be printed. */
import type { Answers } from '#model/answers.ts';
import { isUserName } from './user-name.ts';

export type Show = (value: string) => string;

const MAX_SHOWN = 70;
/** Hiding every repetition of a short or common word would tell that the word is the secret; those are hidden where they stand only. */
const MIN_REPEATED_SECRET = 8;

/**
 * What stands before the last `@` of a URL, without the scheme; null when there is none.
 * A URL with credentials is often misspelled too, so neither the scheme nor a sound password is asked for.
 */
export function userInfoOf(url: string): string | null {
  const at = url.lastIndexOf('@');
  const info = at < 0 ? '' : url.slice(0, at).replace(/^\s*(?:[A-Za-z][A-Za-z0-9+.-]*:(?=\/))?\/*/, '');
  return info.trim() === '' ? null : info;
}

/** `user:password@`, in a value of whatever key. */
export const CREDENTIALS = /:[^@]*@/;

/** The parts of a URL that may be a password or a token: user-info, query, fragment. */
export function secretParts(url: string): readonly string[] {
  const info = userInfoOf(url);
  const query = /[?#](.+)$/s.exec(url)?.[1];
  return [...(info === null ? [] : [info, ...info.split(':')]), ...(query === undefined ? [] : [query, ...query.split(/[?#&;=]/)])];
}

/** Texts that must not appear in any output, as they stand in the answers. */
function secretsOf(answers: Answers): readonly string[] {
  const { admin_user: user, control_plane_url: url } = answers;
  const plain = [answers.admin_password, answers.admin_password_hash, answers.pairing_code].flatMap((s) => (s ? [s.reveal()] : []));
  const astray = user === undefined || isUserName(user.trim()) ? [] : [user];
  return [...plain, ...astray, ...(url === undefined ? [] : secretParts(url))];
}

const fold = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const LONGEST_CODE = 48;
const CODE_GAP = '[^0-9A-Za-z]{0,2}';

/** Finds a code of digits however it is grouped: `12345678`, `1234 5678`, `12-34-56-78`. null: the secret is no such code. */
function codePattern(secret: string): RegExp | null {
  const code = secret.replace(/[\s-]/g, '');
  const isCode = /^[0-9A-Za-z]{8,16}$/.test(code) && code.replace(/[^0-9]/g, '').length >= 6;
  return isCode ? new RegExp([...code].join(CODE_GAP), 'gi') : null;
}

/** In lower case, offsets kept: a few letters grow by it, and then the text stays as it is. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** Texts that are looked for wherever something of an answer is printed. */
export class Hidden {
  readonly #texts = new Set<string>();
  readonly #folded = new Set<string>();
  readonly #codes = new Map<string, RegExp>();

  #longest = LONGEST_CODE;

  /** Too short a text is not looked for: see MIN_REPEATED_SECRET. */
  add(secret: string): void {
    for (const part of [secret, secret.trim()]) if (part.length >= MIN_REPEATED_SECRET) this.#texts.add(part);
    if (fold(secret).length >= MIN_REPEATED_SECRET) this.#folded.add(fold(secret));
    this.#longest = Math.max(this.#longest, secret.length);
    const code = codePattern(secret);
    if (code) this.#codes.set(code.source, code);
  }

  /** Advice spells a value in another way, so letter case and signs do not count here. */
  isIn(text: string): boolean {
    const folded = fold(text);
    for (const secret of this.#folded) if (folded.includes(secret)) return true;
    for (const secret of this.#texts) if (text.includes(secret)) return true;
    for (const code of this.#codes.values()) if (text.search(code) >= 0) return true;
    return false;
  }

  /** Characters that the longest repetition can have. */
  get longest(): number {
    return this.#longest;
  }

  /** Start and end of every repetition in `text`; they may overlap. */
  rangesIn(text: string): readonly (readonly [start: number, end: number])[] {
    const found: [number, number][] = [];
    const lower = lowered(text);
    for (const secret of this.#texts) {
      const wanted = lowered(secret);
      for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) found.push([at, at + secret.length]);
    }
    for (const code of this.#codes.values()) for (const { index, 0: hit } of text.matchAll(code)) found.push([index, index + hit.length]);
    return found;
  }

  /** A code can be no word of a sentence, so it is blanked out where it is not quoted, too. */
  withoutCodes(text: string): string {
    let out = text;
    for (const code of this.#codes.values()) out = out.replace(code, '***');
    return out;
  }
}

/** Escapes what could move a cursor or hide text: controls, bidirectional marks, line separators. */
export const printable = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (ch) => `\\u${ch.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A quoting function that refuses to show any of `secrets`. */
export function showWithout(secrets: readonly string[]): Show {
  const hidden = new Hidden();
  for (const secret of secrets) hidden.add(secret);
  return (value) => {
    if (hidden.isIn(value) || CREDENTIALS.test(value)) return '"***"';
    const safe = printable(value);
    return `"${safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)}...` : safe}"`;
  };
}

/** How values of these answers are quoted: without any of their secrets, and fit for a screen. */
export const makeShow = (answers: Answers): Show => showWithout(secretsOf(answers));
