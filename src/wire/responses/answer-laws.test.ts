import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { type JsonObject, isJsonObject } from '#base';
import { type Block, type GenerationEvent, type GenerationResult, collect, toEvents } from '#canonical';
import { anyResult } from '../../../test/support/arbitrary-results.ts';
import {
  createResponsesContext,
  encodeFrames,
  readFrames,
} from '../../../test/support/responses-exchange.ts';
import { responsesInbound } from './inbound.ts';

const nativeItem: Block = {
  type: 'native',
  format: 'responses',
  value: { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
};
const image: Block = { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AAAA' } };
const customCall: Block = {
  type: 'tool-call',
  id: 'call_custom',
  name: 'apply_patch',
  input: { json: '*** Begin Patch' },
  custom: true,
};
const citation: Block = {
  type: 'text',
  text: 'cited',
  annotations: [
    {
      format: 'responses',
      value: { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 2 },
    },
    { format: 'messages', value: { type: 'web_search_result_location', url: 'https://b', title: 'B' } },
  ],
};
const refusal: Block = { type: 'text', text: 'No.', refusal: true };

/** Any result, including blocks that only Responses can represent. */
const result: fc.Arbitrary<GenerationResult> = fc
  .tuple(anyResult, fc.subarray([nativeItem, image, customCall, citation, refusal]), fc.nat(6))
  .map(([any, more, at]) => ({ ...any, blocks: any.blocks.toSpliced(at, 0, ...structuredClone(more)) }));

function lastResponseOf(frames: JsonObject[]): JsonObject {
  const response = frames.at(-1)?.['response'];
  assert.ok(isJsonObject(response));
  return response;
}

test('the response a stream ends in is the one its JSON answer is', () => {
  fc.assert(
    fc.property(result, (any) => {
      const events = toEvents(any);
      const context = createResponsesContext();
      const frames = readFrames(encodeFrames(events, context));
      const whole = responsesInbound.encodeResult(collect(events), context);
      assert.deepEqual(lastResponseOf(frames), JSON.parse(JSON.stringify(whole)));
    }),
    { numRuns: 500 },
  );
});

test('events are numbered without a gap, and each item opens, grows and ends in turn', () => {
  fc.assert(
    fc.property(result, (any) => {
      const frames = readFrames(encodeFrames(toEvents(any)));
      frames.forEach((frame, at) => assert.equal(frame['sequence_number'], at));
      const items = frames.filter(({ type }) => (type as string).startsWith('response.output_item.'));
      items.forEach(({ type, output_index: index }, at) => {
        assert.equal(type, at % 2 === 0 ? 'response.output_item.added' : 'response.output_item.done');
        assert.equal(index, Math.floor(at / 2));
      });
      const done = items.filter((_, at) => at % 2 === 1).map(({ item }) => item);
      assert.deepEqual(lastResponseOf(frames)['output'], done);
    }),
    { numRuns: 300 },
  );
});

test('the official SDK accepts every stream and collects the JSON answer', async () => {
  await fc.assert(
    fc.asyncProperty(result, async (any) => {
      const context = createResponsesContext();
      const frames = encodeFrames(toEvents(any), context);
      const lines = frames.map(({ data }) => `${data}\n`).join('');
      const stream = ResponseStream.fromReadableStream(new Blob([lines]).stream());
      const collected = await stream.finalResponse();
      const whole = responsesInbound.encodeResult(any, context);
      const output = JSON.parse(JSON.stringify(whole['output'])) as JsonObject[];
      assert.deepEqual(
        collected.output.map(({ id, type }) => [id, type]),
        output.map(({ id, type }) => [id, type]),
      );
      assert.equal(collected.status, whole['status']);
      assert.equal(collected.output_text, textOf(output));
    }),
    { numRuns: 150 },
  );
});

function textOf(output: JsonObject[]): string {
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content as JsonObject[]) : []));
  return parts.map(({ type, text }) => (type === 'output_text' ? (text as string) : '')).join('');
}

test('[D-58] an error at any point is sent as an error and a failed response, and nothing follows', () => {
  fc.assert(
    fc.property(result, fc.nat(), (any, pick) => {
      const events = toEvents(any);
      const failure = { kind: 'broken', message: 'cut' } as const;
      const cut: GenerationEvent[] = [
        ...events.slice(0, pick % events.length),
        { type: 'generation-error', failure },
        { type: 'generation-end', finish: { reason: 'stop' } },
      ];
      const frames = readFrames(encodeFrames(cut));
      assert.deepEqual(
        frames.slice(-2).map(({ type }) => type),
        ['error', 'response.failed'],
      );
      assert.deepEqual(lastResponseOf(frames)['error'], { code: 'server_error', message: 'cut' });
    }),
  );
});
