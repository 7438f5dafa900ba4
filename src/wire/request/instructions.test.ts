import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, CanonicalRequest } from '#canonical';
import { encodeChat } from '../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { encodeConverse } from '../../../test/support/converse-exchange.ts';
import { openGemini } from '../../../test/support/gemini-exchange.ts';
import { createResponsesTarget, openResponses } from '../../../test/support/responses-upstream.ts';

const IMAGE: Block = { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AAAA' } };
const system: Block[] = [{ type: 'text', text: 'The logo:' }, IMAGE];
const user = { role: 'user', blocks: [{ type: 'text', text: 'Hello.' }] } as const;
const fields: Partial<CanonicalRequest> = { system, turns: [{ ...user, blocks: [...user.blocks] }] };
const refusal = /images or documents in instructions/;

test('an image in the instructions is refused where only texts are accepted, not dropped', () => {
  assert.throws(() => encodeChat(createForeignRequest(fields)), refusal);
  assert.throws(() => openGemini(fields), refusal);
  assert.throws(() => encodeConverse(fields), refusal);
  const later = [...(fields.turns ?? []), { role: 'system' as const, blocks: system }];
  assert.throws(() => encodeChat(createForeignRequest({ turns: later })), refusal);
});

test('an image in the instructions is part of a developer message for OpenAI’s Responses', () => {
  const { body } = openResponses(createForeignRequest(fields), createResponsesTarget());
  assert.equal(body['instructions'], undefined);
  const [{ role, content }] = body['input'] as [{ role: string; content: { type: string }[] }];
  assert.equal(role, 'developer');
  assert.deepEqual(
    content.map(({ type }) => type),
    ['input_text', 'input_image'],
  );
});
