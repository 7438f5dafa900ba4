import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAME_NAMES } from '../../tools/tool-names.ts';
import type { AnswerContext } from './item-reader.ts';
import { decodeEncrypted } from '../issued-reasoning.ts';
import { createRelay } from './item-relay.ts';

const CONTEXT: AnswerContext = {
  model: 'm',
  issuer: 'xai',
  isEncrypted: true,
  toolNames: new Set(),
  names: SAME_NAMES,
  relays: true,
};

function relay(item: object, context = CONTEXT): unknown {
  const type = 'response.output_item.done';
  return createRelay({ type, item: { type: 'reasoning', ...item } }, type, context).value['item'];
}

test('encrypted reasoning of another provider than OpenAI is marked with its issuer', () => {
  const marked = relay({ id: 'rs_1', summary: [], encrypted_content: 'secret' }) as {
    encrypted_content: string;
  };
  assert.deepEqual(decodeEncrypted(marked.encrypted_content), { issuer: 'xai', redacted: 'secret' });
  const summary = [{ type: 'summary_text', text: 'A thought.' }];
  const signed = relay({ summary, encrypted_content: 'secret' }) as { encrypted_content: string };
  assert.deepEqual(decodeEncrypted(signed.encrypted_content), { issuer: 'xai', signature: 'secret' });
});

test('reasoning of OpenAI, and what has nothing encrypted, is relayed as it came', () => {
  const ofOpenAi = { type: 'reasoning', encrypted_content: 'secret' };
  assert.deepEqual(relay(ofOpenAi, { ...CONTEXT, issuer: 'openai' }), ofOpenAi);
  const empty = { type: 'reasoning', encrypted_content: '', summary: [] };
  assert.deepEqual(relay(empty), empty);
});
