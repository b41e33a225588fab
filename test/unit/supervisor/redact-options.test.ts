import { expect, it } from 'vitest';
import { redactor } from '#supervisor/actions/redact.ts';

it.each([
  ['sudo: root : COMMAND=/usr/bin/k3s server --token hunter22x --debug', 'server --token [redacted] --debug'],
  ["curl --proxy-password 'two words' https://x", 'curl --proxy-password [redacted] https://x'],
])('the word after an option that holds a secret is taken out: %s', (text, wanted) => {
  expect(redactor([])(text)).toContain(wanted);
});

it('an option that follows stays readable', () => {
  expect(redactor([])('tool --token --verbose now')).toBe('tool --token --verbose now');
});
