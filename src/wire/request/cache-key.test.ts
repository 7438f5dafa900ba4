import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAT_DIALECT, type Target } from '#canonical';
import { getInboundFormat, getOutboundFormat } from '../formats.ts';

const BODY = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello.' }] };

function keyOf(headers: Record<string, string | string[]>, promptCacheKey: boolean): unknown {
  const target: Target = {
    providerId: 'p',
    externalId: 'u',
    dialect: { ...CHAT_DIALECT, promptCacheKey },
    reasoning: false,
  };
  const request = getInboundFormat('messages').decodeRequest(BODY, headers);
  return getOutboundFormat('chat').openExchange(request, target).body['prompt_cache_key'];
}

test('[D-78] the cache key of a session is the same for all its turns, and never invented', () => {
  const headers = { 'x-claude-code-session-id': '5a0c1d9e-7d52-4c39-9d2b-3f0e9a5c1b7f' };
  assert.equal(keyOf(headers, true), headers['x-claude-code-session-id']);
  assert.equal(keyOf(headers, true), keyOf(headers, true));
  assert.equal(keyOf({}, true), undefined);
  assert.equal(keyOf({ 'x-claude-code-session-id': 'no header\n' }, true), undefined);
});

test('the field is not sent to an upstream that does not support it', () => {
  assert.equal(keyOf({ 'x-claude-code-session-id': 'a' }, false), undefined);
});

test('a session id of up to 64 characters is the key itself; of a longer one it is the hash', () => {
  const of = (length: number) => keyOf({ 'x-claude-code-session-id': 'a'.repeat(length) }, true);
  assert.equal(of(64), 'a'.repeat(64));
  assert.match(JSON.stringify(of(65)), /^"session_\w{32}"$/);
  assert.notEqual(of(65), of(66));
});
