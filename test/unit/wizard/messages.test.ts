import { describe, expect, it } from 'vitest';
import { sentenceOf } from '#installer/wizard/messages.ts';
import { QUESTION_SCREENS } from '#installer/wizard/questions.ts';
import type { Answers } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import { Secret } from '#model/secret.ts';
import { judge } from '#rules/judge.ts';
import { KEYS } from '#rules/keys.ts';
import { FIRST_NODE, Operator, SERVER } from './support.ts';

const items = (id: string) => {
  const { state } = new Operator(FIRST_NODE);
  const screen = QUESTION_SCREENS.find((candidate) => candidate.id === id);
  return screen?.body(state, screen.open(state)).items ?? [];
};

const said = (id: string, answers: Answers): string[] =>
  judge({ ...FIRST_NODE, ...answers }, SERVER, 'install').map((finding: Finding) => sentenceOf(finding, items(id)));

/** A label followed by the key that it stands for. */
const DOUBLED = new RegExp(`^[A-Z][a-z ]* (${KEYS.map((spec) => spec.path.replaceAll('.', '\\.')).join('|')})\\b (?!and )`);

describe('findings on a screen', () => {
  it('speak of the field by its label, in whole sentences', () => {
    expect(said('hostname', { hostname: 'a.b' }).join('\n')).toMatch(/^Host name is a domain name.*\. Write "a"\.$/m);
    const { hostname: _none, ...rest } = FIRST_NODE;
    expect(judge(rest, SERVER, 'install').map((finding) => sentenceOf(finding, items('hostname')))).toEqual(['Host name is needed.']);
  });

  it('ask for what a fixed address needs by the label of its field', () => {
    const { state } = new Operator({ ...FIRST_NODE, network: { mode: 'static', interface: 'eno1' } });
    const screen = QUESTION_SCREENS.find((candidate) => candidate.id === 'network');
    const fields = screen?.body(state, screen.open(state)).items ?? [];
    const texts = judge(state.answers, SERVER, 'install').map((finding) => sentenceOf(finding, fields));
    expect(texts).toEqual(['Address is needed.', 'Prefix length is needed.', 'Gateway is needed.']);
  });

  it('never name a key of the answer file as their subject', () => {
    const texts = [
      ...said('application', { role: 'appliance', control_plane_url: 'x', pairing_code: new Secret('1234567') }),
      ...said('account', { admin_user: 'root', admin_password: new Secret('short') }),
      ...said('ntp', { ntp_servers: ['a,b'] }),
      ...said('keyboard', { keymap: 'no such' }),
    ];
    expect(texts.length).toBeGreaterThan(4);
    texts.push(
      ...said('hostname', { hostname: 'BAD_host' }),
      ...said('hostname', { hostname: 'UPPER' }),
      ...said('hostname', { hostname: ' ' }),
      ...said('application', { role: 'appliance', control_plane_url: 'https://u:p@a/x?y', pairing_code: new Secret('12 ab') }),
      ...said('application', { role: 'appliance', control_plane_url: '{{ url }}', pairing_code: new Secret('') }),
      ...said('network', { network: { mode: 'static', ip: 'x', gateway: '1', dns: ['y'], mtu: '1', interface: 'nope' } }),
      ...said('k3s', { k3s: { pod_cidr: 'x', service_cidr: '10.0.0.0/8' } }),
      ...said('timezone', { timezone: 'Mars/Base' }),
      ...said('ssh', { ssh_authorized_keys: ['ssh-rsa no'] }),
      ...said('account', { admin_user: 'A b', admin_password_hash: new Secret('x') }),
    );
    for (const text of texts) expect(text).not.toMatch(DOUBLED);
    for (const text of texts) expect(text).toMatch(/^[A-Z"].*[.!?]$/s);
    for (const text of texts) expect(text.split(/[ :]/)[0]).not.toMatch(/^[a-z]|[._[]/);
    expect(texts).toContain('Host name: the value is empty and counts as absent.');
    expect(texts.filter((text) => /^\w*_\w*/.test(text))).toEqual([]);
    // Nor how a file would be written.
    expect(texts.filter((text) => /key out|in quotes|answer file/.test(text))).toEqual([]);
  });
});
