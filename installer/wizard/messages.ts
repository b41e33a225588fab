/** Findings in the words of a screen. */

import { isAbout } from '#installer/wizard/judging.ts';
import type { Item } from '#installer/wizard/types.ts';
import type { Finding } from '#model/finding.ts';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Where the operator stands: the most specific item that a finding speaks of. */
function labelOf(finding: Finding, items: readonly Item[]): string {
  const item =
    items.find((candidate) => candidate.path === finding.path) ??
    items.find((candidate) => candidate.path !== null && isAbout(finding, candidate.path));
  return item?.label ?? finding.path;
}

/**
 * One or two whole sentences. Rules leave out their subject (`must be true`), since a linter prints the key before it;
 * here the label of the field takes that place.
 */
export function sentenceOf(finding: Finding, items: readonly Item[]): string {
  const label = labelOf(finding, items);
  if (finding.rule === 'answer.missing') return `${label} is needed.`;
  // Some rules name the key themselves; an operator knows the field by its label only.
  const rest =
    finding.path !== '' && finding.message.startsWith(`${finding.path} `)
      ? finding.message.slice(finding.path.length + 1)
      : finding.message;
  const message = /^[a-z]/.test(rest) && label !== '' ? `${label} ${rest}` : rest;
  const fix = finding.fix === undefined ? '' : ` ${ended(capital(finding.fix))}`;
  return ended(capital(message)) + fix;
}
