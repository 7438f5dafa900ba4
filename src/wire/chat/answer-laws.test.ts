import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, type JsonValue, isJsonObject, parseJsonObject } from '#base';
import {
  type Block,
  Collector,
  type GenerationEvent,
  type GenerationResult,
  type ReasoningBlock,
  type ToolCallBlock,
  collect,
  createUsage,
  toEvents,
} from '#canonical';
import { anyResult } from '../../../test/support/arbitrary-results.ts';
import {
  createReplyContext,
  decodeBody,
  decodeChat,
  decodePayloads,
  openChat,
} from '../../../test/support/chat-exchange.ts';
import { chatInbound } from './inbound.ts';
import { isFailure } from '../contract.ts';

const STREAMED = { stream: true, stream_options: { include_usage: true } };

/** A result as Chat can represent it: reasoning, then text, images, then calls; one lifetime of cache writes. */
function toSayable(result: GenerationResult): GenerationResult {
  const reasoning = result.blocks.filter((block) => block.type === 'reasoning');
  const texts = result.blocks.filter((block) => block.type === 'text');
  const calls = result.blocks.filter((block) => block.type === 'tool-call');
  const text = texts.map((block) => block.text).join('');
  const images = result.blocks.filter((block) => block.type === 'media');
  const blocks: Block[] = [...joinReasoning(reasoning), ...images, ...distinct(calls)];
  if (text !== '') blocks.splice(blocks.length - calls.length - images.length, 0, { type: 'text', text });
  const usage = result.usage && {
    ...result.usage,
    inputCacheWrite5m: result.usage.inputCacheWrite5m + result.usage.inputCacheWrite1h,
    inputCacheWrite1h: 0,
  };
  return {
    id: result.id,
    model: 'client-model',
    blocks,
    finish: result.finish,
    ...(usage && { usage: createUsage(usage) }),
  };
}

/** Chat merges plain thinking; signed thinking stays in separate blocks. */
function joinReasoning(blocks: ReasoningBlock[]): ReasoningBlock[] {
  const joined: ReasoningBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.issuer) joined.push(block);
    else if (last && !last.issuer) last.text += block.text;
    else joined.push({ ...block });
  }
  return joined.filter((block) => block.issuer !== undefined || block.text !== '');
}

function distinct(calls: ToolCallBlock[]): ToolCallBlock[] {
  return calls.map((call, at) => ({ ...call, id: `${call.id}_${at}` }));
}

function summarize({ id, model, blocks, usage }: GenerationResult): unknown {
  return { id, model, blocks, usage };
}

test('a result encoded as JSON is decoded unchanged', () => {
  fc.assert(
    fc.property(anyResult, (any) => {
      const result = toSayable(any);
      const body = chatInbound.encodeResult(result, createReplyContext());
      assert.deepEqual(summarize(decodeBody(body)), summarize(result));
    }),
  );
});

test('a result encoded as a stream is decoded unchanged, and equals its JSON', () => {
  fc.assert(
    fc.property(anyResult, (any) => {
      const result = toSayable(any);
      const encoder = chatInbound.createStreamEncoder(createReplyContext(STREAMED));
      const frames = toEvents(result).flatMap((event) => encoder.push(event));
      const streamed = collect(decodePayloads(frames.map(({ data }) => data)));
      assert.deepEqual(summarize(streamed), summarize(result));
      const given = decodeBody(chatInbound.encodeResult(result, createReplyContext()));
      assert.deepEqual(streamed.finish.reason, given.finish.reason);
    }),
  );
});

test('JSON and stream of any result are equal', () => {
  const firstChoice = (choices: JsonValue | undefined): JsonObject => {
    const [choice] = Array.isArray(choices) ? choices : [];
    return isJsonObject(choice) ? choice : {};
  };
  fc.assert(
    fc.property(anyResult, (result) => {
      const encoder = chatInbound.createStreamEncoder(createReplyContext(STREAMED));
      const chunks = toEvents(result)
        .flatMap((event) => encoder.push(event))
        .map(({ data }) => parseJsonObject(data));
      let content = '';
      for (const chunk of chunks) {
        const { delta } = firstChoice(chunk?.['choices']);
        if (isJsonObject(delta) && typeof delta['content'] === 'string') content += delta['content'];
      }
      const { message } = firstChoice(chatInbound.encodeResult(result, createReplyContext())['choices']);
      assert.ok(isJsonObject(message));
      assert.equal(content, message['content'] ?? '');
    }),
  );
});

/** Malformed pieces of chunks. */
const junk: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constant(null),
  fc.string({ maxLength: 6 }),
  fc.integer({ min: -2, max: 3 }),
  fc.boolean(),
  fc.constant<JsonValue>([]),
  fc.constant<JsonValue>({}),
);
const or = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: junk });
const words = fc.constantFrom('', 'a', 'Hi ', '{"x"', ':1}', '{}', 'null', '"}');
const call = or(
  fc.record(
    {
      index: or(fc.integer({ min: 0, max: 2 })),
      id: or(fc.constantFrom('', 'a', 'b')),
      type: or(fc.constantFrom('function', 'custom')),
      function: or(
        fc.record({ name: or(fc.constantFrom('', 'f', 'g')), arguments: or(words) }, { requiredKeys: [] }),
      ),
      custom: or(fc.record({ name: or(words), input: or(words) }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  ),
);
const detail = or(
  fc.record(
    {
      type: or(words),
      text: or(words),
      signature: or(words),
      data: or(words),
      format: or(fc.constantFrom('messages', 'none', 'x')),
    },
    { requiredKeys: [] },
  ),
);
const delta = or(
  fc.record(
    {
      role: or(fc.constant('assistant')),
      content: or(
        fc.oneof(
          words,
          fc.array(
            or(fc.record({ type: or(words), text: or(words), thinking: or(words) }, { requiredKeys: [] })),
            { maxLength: 2 },
          ),
        ),
      ),
      refusal: or(words),
      reasoning_content: or(words),
      reasoning_details: or(fc.array(detail, { maxLength: 2 })),
      tool_calls: or(fc.array(call, { maxLength: 3 })),
      function_call: or(fc.record({ name: or(words), arguments: or(words) }, { requiredKeys: [] })),
      annotations: or(fc.array(junk, { maxLength: 2 })),
    },
    { requiredKeys: [] },
  ),
);
const chunk = or(
  fc.record(
    {
      id: or(words),
      model: or(words),
      choices: or(
        fc.array(
          or(
            fc.record(
              {
                delta,
                message: delta,
                finish_reason: or(fc.constantFrom('stop', 'tool_calls', null)),
                logprobs: or(fc.constant({ content: [] })),
              },
              { requiredKeys: [] },
            ),
          ),
          { maxLength: 2 },
        ),
      ),
      usage: or(fc.record({ prompt_tokens: junk, completion_tokens: junk }, { requiredKeys: [] })),
      error: fc
        .constantFrom(undefined, undefined, undefined, undefined, { message: 'x' })
        .map((value) => value ?? null),
    },
    { requiredKeys: [] },
  ),
);

/** Pushes events into a collector: throws where they do not follow the grammar. A lone error needs no start. */
function followGrammar(events: GenerationEvent[]): void {
  if (events[0]?.type === 'generation-error') {
    assert.equal(events.length, 1);
    return;
  }
  const collector = new Collector();
  for (const event of events) collector.push(event);
  assert.ok(collector.isComplete);
}

test('no chunk makes the decoder throw or violate the grammar of events', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 9, arbitrary: chunk }, fc.json({ maxDepth: 3 }), fc.constant('[DONE]')), {
        maxLength: 8,
      }),
      (payloads) => {
        followGrammar(decodePayloads(payloads));
      },
    ),
    { numRuns: 1500 },
  );
});

test('no body makes decodeResult throw, and its blocks are complete', () => {
  fc.assert(
    fc.property(chunk, (body) => {
      if (!isJsonObject(body)) return;
      const result = openChat(decodeChat({})).decodeResult(body);
      if (isFailure(result)) assert.notEqual(result.message, '');
      else for (const block of result.blocks) if (block.type === 'tool-call') assert.notEqual(block.id, '');
    }),
    { numRuns: 600 },
  );
});

test('nesting without end is a failure, not a fault', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  followGrammar(decodePayloads([deep]));
  const call = `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"a":${deep}}}}]}}]}`;
  followGrammar(decodePayloads([call]));
  followGrammar(decodePayloads([`{"error":${deep}}`]));
});
