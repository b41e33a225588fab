import { describe, expect, test } from 'vitest';
import type { PanelReply } from '../../../src/model/pull.ts';
import { judgeReply, revocationOf } from '../../../src/supervisor/identity/replies.ts';
import { isPanelsYes } from '../../../src/supervisor/identity/rotation.ts';

const reply = (status: number, body = '', headers: Record<string, string> = { 'content-type': 'application/json' }): PanelReply => ({
  kind: 'reply',
  status,
  headers,
  body,
});

describe('a grant', () => {
  test.each([
    ['whole', '{"device_id": "d-1", "kind": "lb", "pin_key": "k"}', { kind: 'granted', deviceId: 'd-1', pinKey: 'k' }],
    ['with the least', '{"device_id": "d-1"}', { kind: 'granted', deviceId: 'd-1', pinKey: null }],
    ['with more than we know', '{"device_id": "d-1", "colour": "red"}', { kind: 'granted', deviceId: 'd-1' }],
    ['of another kind', '{"device_id": "d-1", "kind": "gw"}', { kind: 'not_yet', code: 'ENR-KIND', pace: 'cap' }],
    ['without an id', '{"kind": "lb"}', { kind: 'not_yet', code: 'ENR-BODY' }],
    ['with an empty id', '{"device_id": ""}', { kind: 'not_yet', code: 'ENR-BODY' }],
    ['with an id that moves a cursor', '{"device_id": "d\\u001b[2J"}', { kind: 'not_yet', code: 'ENR-BODY' }],
    ['with an id of a novel', `{"device_id": "${'d'.repeat(129)}"}`, { kind: 'not_yet', code: 'ENR-BODY' }],
    ['that is a list', '[]', { kind: 'not_yet', code: 'ENR-BODY' }],
    ['that is null', 'null', { kind: 'not_yet', code: 'ENR-BODY' }],
  ])('%s', (_name, body, outcome) => {
    expect(judgeReply(reply(200, body), 'token', 'lb', 0)).toMatchObject(outcome);
    expect(judgeReply(reply(201, body), 'code', 'lb', 0)).toMatchObject(outcome);
  });
});

test('the header of a revocation counts with 403 only, and only as a word', () => {
  const refused = (status: number, word: string) => revocationOf(reply(status, '', { 'x-spatium-revocation': word }));
  expect([refused(403, 'revoked'), refused(403, ' Unknown '), refused(404, 'revoked'), refused(403, ''), refused(403, 'a\u001bb')]).toEqual(
    ['revoked', 'unknown', null, null, null],
  );
});

test.each<[string, PanelReply, boolean]>([
  ['304', reply(304), true],
  ['204', reply(204), true],
  ['200 with JSON', reply(200, '{}'), true],
  ['200 with half of it', reply(200, '{"a"'), false],
  ['200 with a page', reply(200, '<html>', { 'content-type': 'text/html' }), false],
  ['200 with JSON called text', reply(200, '{}', { 'content-type': 'text/plain' }), false],
  ['302', reply(302), false],
  ['403', reply(403, '{}'), false],
  ['no reply', { kind: 'failed', fault: 'cut', message: '' }, false],
])('%s is a yes of the panel: %#', (_name, answer, isYes) => {
  expect(isPanelsYes(answer)).toBe(isYes);
});
