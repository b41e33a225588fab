/** Host names: one RFC 1123 label that Kubernetes takes as a node name. */
import type { Case, Fault, Reading } from './case.ts';
import type { Show } from './show.ts';

const MAX_LABEL = 63;

/** Advice to write a name, only where that name would stand without a word said about it. */
function advice(name: string, show: Show): { readonly fix: string } | Record<never, never> {
  const plain = name
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return /^[a-z0-9-]{1,63}$/.test(plain) && readHostname(plain, show).faults.length === 0 ? { fix: `write ${show(plain)}` } : {};
}

function dotted(name: string, show: Show): Fault {
  const label = name.split('.').find((part) => part !== '') ?? '';
  if (/^[0-9.]+$/.test(name))
    return { rule: 'hostname.dot', message: 'looks like an address or a number with dots; a host name is one label without dots' };
  return {
    rule: 'hostname.dot',
    message: 'is a domain name; the host name is its first label only, without a dot',
    ...advice(label, show),
  };
}

function characterFault(name: string, show: Show): Fault {
  const message = 'may hold only the letters a-z, digits and hyphens (RFC 1123)';
  if (/[“”„‟‘’‚‛«»]/.test(name))
    return { rule: 'hostname.characters', message: `${message}; curly quotes are part of the text`, fix: 'use straight quotes, or none' };
  if (/[^\x00-\x7f]/.test(name))
    return { rule: 'hostname.characters', message: `${message}, ASCII only`, fix: 'write the name in ASCII, or in its xn-- form' };
  const bad = [...new Set(name.replace(/[A-Za-z0-9-]/g, ''))].map((ch) => (ch === ' ' ? 'a blank' : ch === '_' ? 'an underscore' : ch));
  return {
    rule: 'hostname.characters',
    message: `${message}; it holds ${bad.length === 1 && bad[0] !== undefined && bad[0].length > 1 ? bad[0] : 'other characters'}`,
    ...advice(name, show),
  };
}

/** The name as it will be set (lower case), and what is wrong or odd about it. */
export function readHostname(text: string, show: Show): Reading<string> {
  const faults: Fault[] = [];
  const name = text.toLowerCase();
  if (text.includes('.')) faults.push(dotted(text, show));
  else {
    if (/[^A-Za-z0-9-]/.test(text)) faults.push(characterFault(text, show));
    if (/^-|-$/.test(text)) faults.push({ rule: 'hostname.hyphen', message: 'may not start or end with a hyphen', ...advice(text, show) });
    if (text.length > MAX_LABEL)
      faults.push({ rule: 'hostname.long', message: `has ${text.length} characters; at most ${MAX_LABEL} are allowed` });
    if (name === 'localhost')
      faults.push({
        rule: 'hostname.localhost',
        message: 'localhost is reserved for the loopback address',
        fix: 'give the machine a name of its own',
      });
  }
  if (faults.length > 0) return { value: null, faults };
  if (text !== name) faults.push({ rule: 'hostname.upper', message: `is lower-cased to ${show(name)}`, ...advice(name, show) });
  if (/^[0-9]+$/.test(name))
    faults.push({
      rule: 'hostname.digits',
      message: 'is all digits; tools that read it as a number or as an address part have failed on such names',
      fix: 'put a letter in front',
    });
  return { value: name, faults };
}

/** One label that DNS and Kubernetes take as a node's name: `hostname.*`. */
export function judgeHostname(c: Case): void {
  const text = c.answers.hostname;
  if (text === undefined) return;
  for (const fault of readHostname(text, c.show).faults) c.report('hostname', fault);
}
