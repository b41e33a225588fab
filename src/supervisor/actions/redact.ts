/** Takes secrets out of texts: those that are known, wherever they stand, and what looks like one. */

const MASK = '[redacted]';
/** Shorter ones would black out half of every text. */
const SHORTEST = 6;

/** Names of fields and variables that hold one; a closing quote belongs to JSON. */
const NAMES =
  '(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|private[_-]?key|client[_-]key[_-]data|pairing[_-]?code|credential|psk|pre[_-]?shared[_-]?key)[a-z0-9_-]*["\']?';

/** Each keeps what stands before the secret, so that the reader sees what was there. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, MASK],
  [/\b(?:K10[0-9a-f]{20,}::)\S+/g, MASK],
  [/\$(?:1|5|6|7|y|gy|2[aby])\$[./A-Za-z0-9$=,-]{8,}/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, MASK],
  [/\b(authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+)[^\s"',]+/gi, `$1${MASK}`],
  [/\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}/gi, `$1${MASK}`],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, `$1${MASK}@`],
  [new RegExp(`(${NAMES}\\s*[:=]\\s*)"(?:[^"\\\\\\n]|\\\\.)*"`, 'gi'), `$1"${MASK}"`],
  // The word after an option of a command line, as logs of sudo and of services have it.
  [new RegExp(`(\\s--?(?:[a-z0-9]+-)*${NAMES}\\s+)(?:"[^"\\n]*"|'[^'\\n]*'|[^\\s-]\\S*)`, 'gi'), `$1${MASK}`],
  [new RegExp(`(${NAMES}\\s*[:=]\\s*)(?:'[^'\\n]*'|[^\\s,;}\\]"]+)`, 'gi'), `$1${MASK}`],
];

/**
 * @param known values that are secrets on this box, whatever they look like; lines and parts between blanks count too
 */
export function redactor(known: readonly string[]): (text: string) => string {
  const parts = known.flatMap((value) => [value.trim(), ...value.split(/\s+/)]);
  // The longest first: one may hold another.
  const values = [...new Set(parts)].filter((v) => v.length >= SHORTEST).sort((a, b) => b.length - a.length);
  const spellings = values.flatMap((v) => [...new Set([v, JSON.stringify(v).slice(1, -1), encodeURIComponent(v)])]);
  return (text) => {
    let out = text;
    for (const value of spellings) out = out.replaceAll(value, MASK);
    for (const [shape, mask] of SHAPES) out = out.replace(shape, mask);
    return out;
  };
}
