/** Keeps the raw outputs of a capture small enough to mail. */

const MAX_RAW_CHARS = 1024 * 1024;

/** The text, cut with a note when it is longer than `maxChars`. */
export const boundedText = (text: string, maxChars = MAX_RAW_CHARS): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n[cut: ${text.length - maxChars} more characters]\n`;
