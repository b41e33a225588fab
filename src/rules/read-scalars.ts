/** Readers of booleans and whole numbers from the text that was written. */
import type { Reading } from './case.ts';

const YES = new Set(['true', 'yes', 'on']);
const NO = new Set(['false', 'no', 'off']);

/** `true` and `false`, and with a warning the other words that YAML readers take for them. */
export function readBoolean(text: string): Reading<boolean> {
  const word = text.trim().toLowerCase();
  const value = YES.has(word) ? true : NO.has(word) ? false : null;
  if (value === null) {
    return {
      value: null,
      faults: [
        { rule: 'boolean.invalid', message: 'must be true or false; 0, 1 and other words are not booleans', fix: 'write true or false' },
      ],
    };
  }
  if (/^(true|True|TRUE|false|False|FALSE)$/.test(text.trim())) return { value, faults: [] };
  const fix = `write ${value}`;
  return { value, faults: [{ rule: 'boolean.word', message: `is taken as the boolean ${value}`, fix }] };
}

/** The number somebody most likely meant; null when there is no telling. */
function meantNumber(text: string): number | null {
  const t = text.replace(/^\+/, '').replace(/(?<=[0-9])_(?=[0-9])/g, '');
  if (/^0x[0-9a-f]{1,8}$/i.test(t)) return Number.parseInt(t.slice(2), 16);
  if (/^[0-9]{1,9}$/.test(t)) return Number(t);
  if (/^[0-9]{1,9}\.0*$/.test(t)) return Number.parseInt(t, 10);
  const afterSlash = /^[0-9A-Fa-f.:]*\/([0-9]{1,3})$/.exec(t)?.[1];
  if (afterSlash !== undefined) return Number(afterSlash);
  return null;
}

/** The prefix length of a netmask such as 255.255.255.0; null when it is none. */
export function prefixOfNetmask(text: string): number | null {
  const parts = text.split('.');
  if (parts.length !== 4 || parts.some((p) => !/^[0-9]{1,3}$/.test(p) || Number(p) > 255)) return null;
  const bits = parts.map((p) => Number(p).toString(2).padStart(8, '0')).join('');
  return /^1+0*$/.test(bits) ? bits.replace(/0/g, '').length : null;
}

/** Plain decimal digits within `min` and `max`, both included. Blanks around are dropped. */
export function readNumber(text: string, min: number, max: number): Reading<number> {
  const t = text.trim();
  if (!/^(0|[1-9][0-9]*)$/.test(t)) {
    const guess = meantNumber(t) ?? prefixOfNetmask(t);
    const meant = guess !== null && guess >= min && guess <= max ? guess : null;
    const octal = /^0[0-7]+$/.test(t) ? ` (a YAML 1.1 reader takes it for the octal number ${Number.parseInt(t, 8)})` : '';
    return {
      value: null,
      faults: [
        {
          rule: 'number.invalid',
          message: `must be a whole number in plain decimal digits, without sign, leading zero, point or underscore${octal}`,
          ...(meant === null ? {} : { fix: `write ${meant}` }),
        },
      ],
    };
  }
  const value = Number(t);
  if (value < min || value > max) return { value: null, faults: [{ rule: 'number.range', message: `must be between ${min} and ${max}` }] };
  return { value, faults: [] };
}
