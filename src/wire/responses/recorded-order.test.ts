import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import { type Block, RESPONSES_DIALECT, toEvents } from '#canonical';
import { NO_RECORDINGS, RECORDINGS, hasRecordings } from '../../../test/support/recordings.ts';
import { decodeResponses, encodeFrames, readFrames } from '../../../test/support/responses-exchange.ts';
import { responsesOutbound } from './index.ts';

const skip = hasRecordings ? false : NO_RECORDINGS;

/** The complete streams of a recording: each from its `response.created` to its last event. */
function readStreams(name: string): JsonObject[][] {
  const text = readFileSync(`${RECORDINGS}/openai-responses/${name}.chunks.txt`, 'utf8');
  const streams: JsonObject[][] = [];
  for (const line of text.split('\n')) {
    const event = parseJsonObject(line);
    if (!event) continue;
    if (event['type'] === 'response.created') streams.push([]);
    streams.at(-1)?.push(event);
  }
  return streams.filter((stream) => stream.at(-1)?.['type'] === 'response.completed');
}

/** OpenAI's item as a neutral block. */
function toBlock(item: JsonObject): Block {
  const extra = { extra: { responses: { id: item['id'] } } };
  if (item['type'] === 'function_call') {
    const { call_id: id, name, arguments: json } = item as Record<string, string>;
    return { type: 'tool-call', id: id ?? '', name: name ?? '', input: { json: json ?? '' }, ...extra };
  }
  const [part] = (item['content'] ?? item['summary']) as { text: string }[];
  if (item['type'] === 'message') return { type: 'text', text: part?.text ?? '', ...extra };
  const signature = item['encrypted_content'] as string;
  return { type: 'reasoning', text: part?.text ?? '', signature, issuer: 'openai', ...extra };
}

/** Events without texts and numbers; consecutive deltas as one. */
function outlineOf(events: JsonObject[]): unknown[] {
  const outline = events.map(
    ({ type, item, part, output_index: output, content_index: content, ...rest }) => [
      type,
      output,
      content,
      rest['summary_index'],
      isJsonObject(item)
        ? Object.keys(item)
            .filter((key) => key !== 'encrypted_content')
            .sort()
        : undefined,
      isJsonObject(part) ? Object.keys(part).sort() : undefined,
    ],
  );
  return outline.filter((step, at) => JSON.stringify(step) !== JSON.stringify(outline[at - 1]));
}

test('the order of events, and the members of items and parts, are those OpenAI streams', { skip }, () => {
  const streams = readStreams('openai-reasoning-encrypted-content.1');
  assert.ok(streams.length > 2);
  for (const stream of streams) {
    const output = (stream.at(-1)?.['response'] as JsonObject)['output'] as JsonObject[];
    const result = { id: 'x', model: 'm', blocks: output.map(toBlock), finish: { reason: 'stop' } } as const;
    const frames = readFrames(encodeFrames(toEvents({ ...result, blocks: [...result.blocks] })));
    assert.deepEqual(outlineOf(frames), outlineOf(stream));
    assert.deepEqual((frames.at(-1)?.['response'] as JsonObject)['output'], output);
  }
});

const TARGET = { providerId: 'p', externalId: 'm', dialect: RESPONSES_DIALECT, reasoning: true };

for (const name of ['openai-reasoning-encrypted-content.1', 'openai-custom-tool.1', 'openai-phase.1']) {
  test(`a client gets the items that OpenAI sent: ${name}`, { skip }, () => {
    for (const stream of readStreams(name)) {
      const decoder = responsesOutbound.openExchange(decodeResponses(), TARGET).createStreamDecoder();
      const events = stream.flatMap((event) => decoder.push({ data: JSON.stringify(event) }));
      const frames = readFrames(encodeFrames(events));
      const given = (items: JsonObject[]) =>
        items.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
      assert.deepEqual(given(frames), given(stream));
    }
  });
}
