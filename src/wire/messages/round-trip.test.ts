import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#base';
import { type Block, type GenerationResult, collect, createUsage, toEvents } from '#canonical';
import {
  createMessagesBody,
  createMessagesContext,
  encodeFor,
  encodeStream,
  readMessage,
  readMessages,
} from '../../../test/support/messages-exchange.ts';
import { messagesInbound } from './index.ts';
import { createAnyText } from '../../../test/support/any-text.ts';

const RUNS = { numRuns: 100 };

const name = fc.string({ minLength: 1, maxLength: 12 }).filter((key) => key !== '__proto__');
const object = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }).map(viaJson);
const nonEmpty = createAnyText({ minLength: 1 });
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);

const textBlock: fc.Arbitrary<Block> = fc.record(
  {
    type: fc.constant('text' as const),
    text: nonEmpty,
    annotations: fc.array(fc.record({ format: fc.constant('messages' as const), value: object }), {
      minLength: 1,
    }),
  },
  { requiredKeys: ['type', 'text'] },
);
const reasoningBlock: fc.Arbitrary<Block> = fc.record(
  {
    type: fc.constant('reasoning' as const),
    text: fc.string(),
    signature: nonEmpty,
    issuer: fc.constant('messages' as const),
  },
  { requiredKeys: ['type', 'text', 'issuer'] },
);
const redactedBlock: fc.Arbitrary<Block> = nonEmpty.map((redacted) => ({
  type: 'reasoning',
  text: '',
  redacted,
  issuer: 'anthropic',
}));
const callBlock = fc.record({ callId: id, tool: name, input: object }).map(({ callId, tool, input }) => ({
  type: 'tool-call' as const,
  id: callId,
  name: tool,
  input: { json: JSON.stringify(input) },
}));
const imageBlock: fc.Arbitrary<Block> = nonEmpty.map((bytes) => ({
  type: 'media',
  kind: 'image',
  mediaType: 'image/png',
  source: { base64: Buffer.from(bytes).toString('base64') },
}));
const nativeBlock: fc.Arbitrary<Block> = fc
  .record({
    type: fc.constantFrom('server_tool_use', 'web_search_tool_result', 'fallback'),
    input: object,
    id,
  })
  .map((value) => ({ type: 'native', format: 'messages', value: viaJson(value) }));

const result: fc.Arbitrary<GenerationResult> = fc
  .record({
    id: id.map((text) => `msg_${text}`),
    blocks: fc.array(fc.oneof(textBlock, reasoningBlock, redactedBlock, callBlock, imageBlock, nativeBlock), {
      maxLength: 6,
    }),
    raw: fc.constantFrom('end_turn', 'max_tokens', 'refusal', 'pause_turn', 'compaction'),
    counts: fc.array(fc.nat(100_000), { minLength: 6, maxLength: 6 }),
    leftovers: fc.record({ container: object, stop_details: fc.constant(null) }, { requiredKeys: [] }),
  })
  .map(({ id: answerId, blocks, raw, counts, leftovers }) =>
    readMessage({
      ...encode({
        id: answerId,
        model: 'x',
        blocks: withUniqueIds(blocks),
        finish: { reason: 'unknown' },
        usage: createUsage({
          inputUncached: counts[0] ?? 0,
          inputCacheRead: counts[1] ?? 0,
          inputCacheWrite5m: counts[2] ?? 0,
          inputCacheWrite1h: counts[3] ?? 0,
          outputText: counts[4] ?? 0,
          outputReasoning: counts[5] ?? 0,
        }),
      }),
      ...leftovers,
      stop_reason: blocks.some((block) => block.type === 'tool-call') ? 'tool_use' : raw,
    }),
  );

/** The value after a trip through JSON. */
function viaJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function prefixed(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [`x_${key}`, value]));
}

function withUniqueIds(blocks: Block[]): Block[] {
  return blocks.map((block, at) =>
    block.type === 'tool-call' ? { ...block, id: `${block.id}-${at}` } : block,
  );
}

function encode(answer: GenerationResult): JsonObject {
  return messagesInbound.encodeResult(answer, createMessagesContext());
}

test('an answer read, written and read again is the same', () => {
  fc.assert(
    fc.property(result, (answer) => {
      assert.deepEqual(readMessage(encode(answer)), answer);
      assert.deepEqual(collect(toEvents(answer)), answer);
    }),
    RUNS,
  );
});

test('a streamed answer reads as the same answer sent at once', () => {
  fc.assert(
    fc.property(result, (answer) => {
      assert.deepEqual(collect(readMessages(encodeStream(toEvents(answer)))), answer);
    }),
    RUNS,
  );
});

const marked = fc.record(
  {
    type: fc.constant('text'),
    text: nonEmpty,
    cache_control: fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }),
    citations: fc.constant(null),
  },
  { requiredKeys: ['type', 'text'] },
);
const requestBlock = fc.oneof(
  marked,
  fc.record({
    type: fc.constant('thinking'),
    thinking: fc.string(),
    signature: fc.stringMatching(/^[a-z]{1,9}$/),
  }),
  fc.record({ type: fc.constant('tool_use'), id, name, input: object, caller: object }),
  fc.record({
    type: fc.constant('tool_result'),
    tool_use_id: id,
    content: fc.oneof(fc.string(), fc.array(marked)),
    is_error: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom('server_tool_use', 'future_block'), id, rest: fc.jsonValue() }),
);
const message = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: fc.oneof(fc.string(), fc.array(requestBlock)),
});
const requestBody = fc
  .record(
    {
      messages: fc.array(message, { minLength: 1, maxLength: 8 }),
      system: fc.oneof(fc.string(), fc.array(marked)),
      tools: fc.array(
        fc.record(
          { name, input_schema: object, cache_control: fc.constant({ type: 'ephemeral' }) },
          { requiredKeys: ['name', 'input_schema'] },
        ),
      ),
      thinking: fc.constantFrom(
        { type: 'adaptive' },
        { type: 'enabled', budget_tokens: 5, display: 'updates' },
      ),
      output_config: fc.record({ effort: fc.string(), later: fc.jsonValue() }),
      context_management: object,
      container: fc.oneof(fc.string(), object),
      metadata: object,
      max_tokens: fc.nat(),
      temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
      stream: fc.boolean(),
    },
    { requiredKeys: ['messages'] },
  )
  .map((members) => createMessagesBody(viaJson(members)));

test('a Messages request leaves for a Messages upstream field for field', () => {
  fc.assert(
    fc.property(
      requestBody,
      fc.dictionary(
        name.map((key) => `x_${key}`),
        fc.jsonValue(),
      ),
      (body, unknown) => {
        const request = messagesInbound.decodeRequest({ ...prefixed(unknown), ...body }, {});
        assert.deepEqual(encodeFor(request), { ...body, model: 'claude-x-20260101' });
      },
    ),
    RUNS,
  );
});

test('[D-75] as many cache marks leave as came', () => {
  const count = (value: JsonValue | undefined) => JSON.stringify(value).split('"cache_control":{').length;
  fc.assert(
    fc.property(requestBody, (body) => {
      assert.equal(count(encodeFor(messagesInbound.decodeRequest(body, {}))), count(body));
    }),
    RUNS,
  );
});
