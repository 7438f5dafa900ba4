import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import { type GenerationResult, type TextBlock, toEvents } from '#canonical';
import { createTarget, encodeStream, openPassage } from '../../../../test/support/exchanges.ts';

const PAGE = { url: 'https://a', title: 'A' };

function answer(...blocks: TextBlock[]): GenerationResult {
  return { id: 'x', model: 'm', blocks, finish: { reason: 'stop' } };
}

/** The citations a Chat client receives, complete and streamed. */
function listCitations(result: GenerationResult): [whole: unknown[], streamed: unknown[]] {
  const { inbound, context } = openPassage('chat', createTarget('chat'), 'chat');
  const given = (holder: unknown): unknown[] => {
    const choices = (holder as JsonObject)['choices'];
    const choice = Array.isArray(choices) && isJsonObject(choices[0]) ? choices[0] : {};
    const message = choice['message'] ?? choice['delta'];
    return isJsonObject(message) && Array.isArray(message['annotations']) ? message['annotations'] : [];
  };
  const frames = encodeStream(inbound, context, toEvents(result));
  return [
    given(inbound.encodeResult(result, context)),
    frames.flatMap(({ data }) => given(parseJsonObject(data) ?? {})),
  ];
}

function cite(start: number, end: number): JsonObject {
  return { type: 'url_citation', url_citation: { ...PAGE, start_index: start, end_index: end } };
}

test('a citation of Responses is placed at its offset within its text, after the preceding texts', () => {
  const value = { type: 'url_citation', ...PAGE, start_index: 6, end_index: 11 };
  const [whole, streamed] = listCitations(
    answer(
      { type: 'text', text: 'Intro. ' },
      { type: 'text', text: 'Hello [src] bye', annotations: [{ format: 'responses', value }] },
    ),
  );
  assert.deepEqual(whole, [cite(13, 18)]);
  assert.deepEqual(streamed, whole);
});

test('a citation without an offset covers its whole text', () => {
  const [whole, streamed] = listCitations(
    answer(
      { type: 'text', text: 'Intro. ' },
      { type: 'text', text: 'Hello', annotations: [{ format: 'messages', value: PAGE }] },
    ),
  );
  assert.deepEqual(whole, [cite(7, 12)]);
  assert.deepEqual(streamed, whole);
});

test('a citation that came from Chat keeps its place in the whole message, and gets a title and a place if it has none', () => {
  const citations = (cited: JsonObject): unknown => {
    const value = { type: 'url_citation', url_citation: cited };
    const [whole] = listCitations(
      answer(
        { type: 'text', text: 'Intro. ' },
        { type: 'text', text: 'Hello', annotations: [{ format: 'chat', value }] },
      ),
    );
    return whole;
  };
  const place = { start_index: 2, end_index: 4 };
  assert.deepEqual(citations({ ...PAGE, ...place }), [cite(2, 4)]);
  const { url } = PAGE;
  const untitled = { type: 'url_citation', url_citation: { url, title: '', ...place } };
  assert.deepEqual(citations({ url, ...place }), [untitled]);
  assert.deepEqual(citations({ ...PAGE, start_index: 2 }), [cite(7, 12)]);
  assert.deepEqual(citations({ ...PAGE, end_index: 4 }), [cite(7, 12)]);
});
