/** Findings in the words of a screen. */

import { isAbout } from '#installer/wizard/judging.ts';
import type { Item } from '#installer/wizard/types.ts';
import type { Finding } from '#model/finding.ts';
import { OPEN_SENTENCE } from '#rules/case.ts';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Where the operator stands: the most specific item that a finding speaks of. */
function labelOf(finding: Finding, items: readonly Item[]): string {
  const item =
    items.find((candidate) => candidate.path === finding.path) ??
    items.find((candidate) => candidate.path !== null && isAbout(finding, candidate.path));
  // An answer that no screen asks for, or asks for elsewhere: its key in words.
  return item?.label ?? finding.path.replace(/[._]/g, ' ');
}

/** A label takes the place of the key; before a sentence that has a subject of its own it stands alone. */
function withSubject(finding: Finding, label: string): string {
  const { path, message } = finding;
  const rest = path !== '' && message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
  if (label === '' || !/^[a-z]/.test(rest)) return rest;
  return rest !== message || OPEN_SENTENCE.test(rest) ? `${label} ${rest}` : `${label}: ${rest}`;
}

/** Advice on how to write a file; who types into a field has no key to take out, and no quotes to set. */
const OF_A_FILE = /\bkey out\b|\bin (?:single )?quotes\b|\banswer file\b/;

/**
 * One or two whole sentences. Rules leave out their subject (`must be true`), since a linter prints the key before it;
 * here the label of the field takes that place.
 */
export function sentenceOf(finding: Finding, items: readonly Item[]): string {
  const label = labelOf(finding, items);
  if (finding.rule === 'answer.missing' || finding.rule === 'network.missing') return `${capital(label)} is needed.`;
  const message = withSubject(finding, label);
  const fix = finding.fix === undefined || OF_A_FILE.test(finding.fix) ? '' : ` ${ended(capital(finding.fix))}`;
  return ended(capital(message)) + fix;
}
