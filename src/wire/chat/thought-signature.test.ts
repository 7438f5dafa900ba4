import type { JsonObject } from '#base';
import type { Block, GenerationResult } from '#canonical';
import type { ReplyContext } from '../contract.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEvents } from '#canonical';
import { chatInbound } from './inbound.ts';
import { attachSignatures } from './thought-signature.ts';

const SIGNATURE = { type: 'reasoning', text: '', signature: 'c2lnbmVk', issuer: 'google' } as const;
const FIRST: Block = { type: 'tool-call', id: 'c1', name: 'read', input: { json: '{}' } };
const SECOND: Block = { type: 'tool-call', id: 'c2', name: 'read', input: { json: '{}' } };
const CONTEXT: ReplyContext = {
  request: { stream: true, streamUsage: false, choices: 1 },
  answerId: 'chatcmpl-1',
  model: 'm',
  createdSeconds: 0,
  inputEstimate: 1,
};

function createResult(blocks: Block[]): GenerationResult {
  return { id: 'x', model: 'm', blocks, finish: { reason: 'tool-calls' } };
}

interface Message extends JsonObject {
  tool_calls: JsonObject[];
}

function encodeWhole(blocks: Block[]): Message {
  const body = chatInbound.encodeResult(createResult(blocks), CONTEXT);
  return (body['choices'] as { message: Message }[])[0]!.message;
}

/** The message a client assembles from the deltas. */
function encodeStreamed(blocks: Block[]): Message {
  const encoder = chatInbound.createStreamEncoder(CONTEXT);
  const calls: JsonObject[] = [];
  const details: JsonObject[] = [];
  for (const { data } of toEvents(createResult(blocks)).flatMap((event) => encoder.push(event))) {
    if (data === '[DONE]') continue;
    const { delta } = (JSON.parse(data) as { choices: { delta: Partial<Message> }[] }).choices[0]!;
    for (const call of delta.tool_calls ?? []) {
      const { index, ...rest } = call as JsonObject & { index: number };
      calls[index] ??= rest;
    }
    details.push(...((delta['reasoning_details'] ?? []) as JsonObject[]));
  }
  return { role: 'assistant', content: null, tool_calls: calls, ...(details.length > 0 && { details }) };
}

for (const [how, encode] of [
  ['whole', encodeWhole],
  ['streamed', encodeStreamed],
] as const) {
  test(`[D-47] the signature of a call is sent beside it and returned with it, ${how}`, () => {
    const message = encode([SIGNATURE, FIRST, SECOND]);
    const [first, second] = message.tool_calls;
    assert.deepEqual(first?.['extra_content'], { google: { thought_signature: 'c2lnbmVk' } });
    assert.equal(second?.['extra_content'], undefined);
    const body = {
      model: 'm',
      messages: [
        { role: 'user', content: 'go' },
        { ...message, content: null },
      ],
    };
    const blocks = chatInbound.decodeRequest(body, {}).turns[1]?.blocks ?? [];
    assert.deepEqual(blocks[0], SIGNATURE);
    assert.deepEqual(
      blocks.map(({ type }) => type),
      ['reasoning', 'tool-call', 'tool-call'],
    );
  });
}

test('a signature without a following call is sent as reasoning', () => {
  const message = encodeStreamed([FIRST, SIGNATURE]);
  assert.deepEqual(message['details'], [
    { type: 'reasoning.text', text: '', signature: 'c2lnbmVk', format: 'sluice/google', index: 0 },
  ]);
});

test('a signature before a call is in the call, and one before anything else stays where it was', () => {
  const text: Block = { type: 'text', text: 'Hi' };
  const kept = { extra_content: { google: { thought_signature: SIGNATURE.signature } } };
  assert.deepEqual(attachSignatures([SIGNATURE, FIRST, text]), [{ ...FIRST, extra: { chat: kept } }, text]);
  assert.deepEqual(attachSignatures([SIGNATURE, text, FIRST]), [SIGNATURE, text, FIRST]);
});
