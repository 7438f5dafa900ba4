import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { GatewayError } from '#errors';
import { createChatTarget, decodeChat } from '../../../test/support/chat-exchange.ts';
import { createChatRefusal } from './refuse-elsewhere.ts';

const refuseElsewhere = createChatRefusal(new Set(['text']));

/** The field for which a format other than Chat refuses the request. */
function refusedFor(fields: JsonObject): string | undefined {
  try {
    refuseElsewhere(decodeChat(fields), createChatTarget(), 'messages');
    return undefined;
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError && thrown.code === 'unsupported_feature');
    assert.ok(thrown.message.includes(thrown.facts.param ?? '?'));
    return thrown.facts.param;
  }
}

test('what an answer of another format would lack is refused by name', () => {
  assert.equal(refusedFor({ logprobs: true }), 'logprobs');
  assert.equal(refusedFor({ top_logprobs: 2 }), 'top_logprobs');
  assert.equal(refusedFor({ logit_bias: { 1: -100 } }), 'logit_bias');
  assert.equal(refusedFor({ modalities: ['text', 'audio'] }), 'modalities');
  assert.equal(refusedFor({ audio: { voice: 'alloy', format: 'mp3' } }), 'audio');
  assert.equal(refusedFor({ moderation: {} }), 'moderation');
  assert.equal(refusedFor({ web_search_options: {} }), 'web_search_options');
});

test('what asks for nothing is no reason to refuse', () => {
  const nothing = { logprobs: false, top_logprobs: 0, modalities: ['text'], audio: null, verbosity: 'low' };
  assert.equal(refusedFor(nothing), undefined);
});
