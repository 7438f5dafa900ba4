import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactObject } from '#base';
import { type GenerationResult, collect } from '#canonical';
import { createTarget, openPassage } from '../../test/support/exchanges.ts';
import { isFailure } from './contract.ts';
import { getInboundFormat, getOutboundFormat } from './formats.ts';

const ARGUMENTS = '{"id":9007199254740993}';

const HISTORY = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Look it up.' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: ARGUMENTS } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'found' },
  ],
};

for (const provider of ['messages', 'gemini', 'converse'] as const) {
  test(`arguments that come as text reach ${provider} with every digit`, () => {
    const request = getInboundFormat('chat').decodeRequest(HISTORY, {});
    const { body } = getOutboundFormat(provider).openExchange(request, createTarget(provider));
    assert.ok(JSON.stringify(body).includes(ARGUMENTS));
  });
}

const ANSWER: GenerationResult = {
  id: 'x',
  model: 'm',
  blocks: [{ type: 'tool-call', id: 'call_1', name: 'weather', input: { json: ARGUMENTS } }],
  finish: { reason: 'tool-calls' },
};

for (const client of ['messages', 'gemini'] as const) {
  test(`arguments of a whole answer have every digit for and from ${client}`, () => {
    const { inbound, context, exchange } = openPassage(client, createTarget(client), client);
    const text = JSON.stringify(inbound.encodeResult(ANSWER, context));
    assert.ok(text.includes(ARGUMENTS));
    const result = exchange.decodeResult(parseExactObject(text) ?? {});
    assert.ok(!isFailure(result));
    assert.deepEqual(
      result.blocks.map((block) => block.type === 'tool-call' && block.input),
      [{ json: ARGUMENTS }],
    );
  });
}

test('arguments that Gemini streams as an object have every digit', () => {
  const { exchange } = openPassage('chat', createTarget('gemini'), 'gemini');
  const call = `{"functionCall":{"name":"weather","args":${ARGUMENTS}}}`;
  const chunk = `{"candidates":[{"content":{"parts":[${call}]},"finishReason":"STOP"}]}`;
  const decoder = exchange.createStreamDecoder();
  const { blocks } = collect([...decoder.push({ event: '', data: chunk }), ...decoder.close()]);
  assert.deepEqual(
    blocks.map((block) => block.type === 'tool-call' && block.input),
    [{ json: ARGUMENTS }],
  );
});
