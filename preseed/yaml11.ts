/**
 * What a YAML 1.1 reader makes of a plain scalar. The rules are those of PyYAML's safe loader, which cloud-init uses;
 * a test compares ten thousand scalars with PyYAML itself.
 */

export type Kind11 = 'boolean' | 'null' | 'integer' | 'octal number' | 'base-60 number' | 'number' | 'date' | 'timestamp' | 'error';

export interface Reading11 {
  readonly kind: Kind11;
  /** As Python prints the value; empty for `error`. */
  readonly text: string;
}

const BOOL = /^(?:(yes|Yes|YES|true|True|TRUE|on|On|ON)|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const INT = /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const TIMESTAMP =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?(?:[ \t]*(Z|([-+])([0-9]{1,2})(?::([0-9]{2}))?))?$/;

const ERROR: Reading11 = { kind: 'error', text: '' };

function readInt(text: string): Reading11 {
  const sign = text.startsWith('-') ? -1n : 1n;
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  const integer = (kind: Kind11, value: bigint): Reading11 => ({ kind, text: (sign * value).toString() });
  if (digits === '0') return integer('integer', 0n);
  if (/^0[bx]/.test(digits)) return digits.length > 2 ? integer('integer', BigInt(digits)) : ERROR;
  if (digits.startsWith('0')) return integer('octal number', BigInt(`0o${digits.slice(1)}`));
  if (digits.includes(':'))
    return integer(
      'base-60 number',
      digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n),
    );
  return integer('integer', BigInt(digits));
}

/** `repr` of a Python float: an exponent from 1e16 up and below 1e-4, and always a point or an exponent. */
function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    const sign = exponent < 0 ? '-' : '+';
    return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent >= 0) return Number.isInteger(value) ? `${BigInt(value)}.0` : String(value);
  // JavaScript writes exponents below 1e-6 only, so what is left prints the same in both.
  return String(value);
}

function readFloat(text: string): Reading11 {
  const plain = text.replaceAll('_', '').toLowerCase();
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[-+]/, '');
  const number = (kind: Kind11, value: number): Reading11 => ({ kind, text: pythonFloat(sign * value) });
  if (digits === '.inf') return number('number', Number.POSITIVE_INFINITY);
  if (digits === '.nan') return { kind: 'number', text: 'nan' };
  if (digits.includes(':')) {
    // Summed from the right, as PyYAML does: floats are not associative.
    const parts = digits.split(':').reverse().map(Number);
    let base = 1;
    let sum = 0;
    for (const part of parts) {
      sum += part * base;
      base *= 60;
    }
    return number('base-60 number', sum);
  }
  return number('number', Number(digits));
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && isLeap ? 29 : DAYS[month - 1];
  return year >= 1 && days !== undefined && day >= 1 && day <= days;
}

const two = (value: number): string => String(value).padStart(2, '0');
const dateText = (year: number, month: number, day: number): string => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;

function readTimestamp(found: RegExpExecArray): Reading11 {
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return ERROR;
  const micros = found[7] ? Number(found[7].slice(0, 6).padEnd(6, '0')) : 0;
  const zone = zoneText(found);
  if (zone === null) return ERROR;
  const fraction = micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
  return { kind: 'timestamp', text: `${dateText(year, month, day)} ${two(hour)}:${two(minute)}:${two(second)}${fraction}${zone}` };
}

/** `+01:00`, or empty without a zone; null for an offset that Python refuses (24 hours and more). */
function zoneText(found: RegExpExecArray): string | null {
  if (!found[8]) return '';
  if (!found[9]) return '+00:00';
  const minutes = Number(found[10]) * 60 + Number(found[11] ?? 0);
  if (minutes >= 24 * 60) return null;
  return `${minutes === 0 ? '+' : found[9]}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** null: a text, the same as written. */
export function read11(text: string): Reading11 | null {
  const bool = BOOL.exec(text);
  if (bool) return { kind: 'boolean', text: bool[1] ? 'True' : 'False' };
  // PyYAML asks in this order; the first pattern that fits decides.
  if (FLOAT.test(text)) return readFloat(text);
  if (INT.test(text)) return readInt(text);
  if (text === '<<' || text === '=') return ERROR;
  if (NULL.test(text)) return { kind: 'null', text: 'None' };
  const date = DATE.exec(text);
  if (date) {
    const [year, month, day] = date.slice(1).map(Number) as [number, number, number];
    return isDay(year, month, day) ? { kind: 'date', text: dateText(year, month, day) } : ERROR;
  }
  const timestamp = TIMESTAMP.exec(text);
  return timestamp ? readTimestamp(timestamp) : null;
}

/** True when a reader that turns the value back into text gets what was written: plain decimal numbers. */
export const isHarmless = (reading: Reading11, text: string): boolean => reading.kind === 'integer' && reading.text === text;
