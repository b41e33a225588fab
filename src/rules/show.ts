/** Quoting of values in messages. The one place that decides what of an answer may be printed. */
import type { Answers } from '#model/answers.ts';

export type Show = (value: string) => string;

const MAX_SHOWN = 70;
/** Hiding every repetition of a short or common word would tell that the word is the secret; those are hidden where they stand only. */
export const MIN_REPEATED_SECRET = 8;

/** The user-info part of a URL, without the `@`; null when there is none. */
export function userInfoOf(url: string): string | null {
  const found = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)@/.exec(url.trim());
  return found?.[1] ?? null;
}

/** Every text that must not appear in any output, as it stands in the answers. */
export function secretsOf(answers: Answers): readonly string[] {
  const plain = [answers.admin_password, answers.admin_password_hash, answers.pairing_code].flatMap((s) => (s ? [s.reveal()] : []));
  const code = answers.pairing_code?.reveal().replace(/[\s-]/g, '');
  const info = answers.control_plane_url === undefined ? null : userInfoOf(answers.control_plane_url);
  const parts = info === null ? [] : [info, ...info.split(':')];
  return [...plain, ...(code ? [code] : []), ...parts].flatMap((s) => [s, s.trim()]).filter((s) => s.length >= MIN_REPEATED_SECRET);
}

/** Escapes what could move a cursor or hide text: controls, bidirectional marks, line separators. */
export const printable = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (ch) => `\\u${ch.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A quoting function that refuses to show any of `secrets`. */
export function showWithout(secrets: readonly string[]): Show {
  return (value) => {
    if (secrets.some((secret) => value.includes(secret))) return '"***"';
    const safe = printable(value);
    return `"${safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)}...` : safe}"`;
  };
}

export const makeShow = (answers: Answers): Show => showWithout(secretsOf(answers));
