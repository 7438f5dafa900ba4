import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerationResult } from '#canonical';
import { createReplyContext } from '../../../../test/support/chat-exchange.ts';
import { encodeChoices } from './encode-result.ts';

const answer = (text: string): GenerationResult => ({
  id: `upstream-${text}`,
  model: 'upstream-model',
  blocks: [{ type: 'text', text }],
  finish: { reason: 'stop' },
});

test('a single generation keeps the provider’s id; several in one answer get a generated one', () => {
  const idOf = (...results: GenerationResult[]) =>
    encodeChoices(results, undefined, createReplyContext())['id'];
  assert.equal(idOf(answer('a')), 'upstream-a');
  assert.equal(idOf(answer('a'), answer('b')), 'chatcmpl-answer');
  assert.equal(idOf(answer('a'), answer('b'), answer('c')), 'chatcmpl-answer');
});
