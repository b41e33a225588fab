/** As much of DER as an X.509 certificate needs (X.690). */

type Bytes = Uint8Array;

function lengthOf(count: number): number[] {
  if (count < 0x80) return [count];
  const bytes: number[] = [];
  for (let rest = count; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

/** One value with its tag and length. */
export function node(tag: number, ...parts: readonly Bytes[]): Bytes {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.from([tag, ...lengthOf(content.length)]), content]);
}

export const sequence = (...parts: readonly Bytes[]): Bytes => node(0x30, ...parts);
export const set = (...parts: readonly Bytes[]): Bytes => node(0x31, ...parts);
export const octets = (content: Bytes): Bytes => node(0x04, content);
export const utf8 = (text: string): Bytes => node(0x0c, Buffer.from(text));
export const truth = (): Bytes => node(0x01, Uint8Array.of(0xff));
/** `[n]` around a whole value. */
export const explicit = (number: number, ...parts: readonly Bytes[]): Bytes => node(0xa0 | number, ...parts);
/** `[n]` in place of a value's own tag. */
export const implicit = (number: number, content: Bytes): Bytes => node(0x80 | number, content);

/** A whole number that is not negative, most significant byte first. */
export function integer(bytes: Bytes): Bytes {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const body = bytes.subarray(start);
  // A leading bit of one would make it negative.
  return (body[0] ?? 0) >= 0x80 ? node(0x02, Uint8Array.of(0), body) : node(0x02, body);
}

export const bits = (content: Bytes, unusedBits = 0): Bytes => node(0x03, Uint8Array.of(unusedBits), content);

/** `1.2.840…` */
export function oid(dotted: string): Bytes {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift(0x80 | (left % 128));
    return groups;
  });
  return node(0x06, Uint8Array.from(bytes));
}

/** RFC 5280 4.1.2.5: two digits of the year up to 2049, four from then on. */
export function time(date: Date): Bytes {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return date.getUTCFullYear() < 2050 ? node(0x17, Buffer.from(digits.slice(2))) : node(0x18, Buffer.from(digits));
}

/** As a file of keys and certificates has it. */
export function pem(label: string, der: Bytes): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
