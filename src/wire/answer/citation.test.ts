import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, type SseMessage, parseJsonObject } from '#base';
import type { ClientFormatId, FormatId } from '#canonical';
import {
  CLIENTS,
  createTarget,
  decodeStream,
  encodeStream,
  openPassage,
} from '../../../test/support/exchanges.ts';
import { listSources, readCitation } from './citation.ts';
import { getInboundFormat, getOutboundFormat, isFailure } from '../index.ts';

const TREES = 'https://example.org/trees';
const TEXT = 'It stands in a park.[1]';

const chunk = (delta: JsonObject, finish: string | null, rest: JsonObject = {}): SseMessage => ({
  data: JSON.stringify({
    id: 'c',
    model: 'sonar',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...rest,
  }),
});
const SOURCES: JsonObject[] = [
  { citations: [TREES] },
  { citations: [TREES], search_results: [{ url: TREES, title: 'Trees', date: '2026-01-01' }] },
];
const message = (annotation: JsonObject): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: TEXT, annotations: [annotation] }],
});
const response = (annotation: JsonObject): JsonObject => ({
  id: 'resp_1',
  status: 'completed',
  output: [message(annotation)],
});

function readWhole(client: ClientFormatId, provider: FormatId, answer: JsonObject): JsonObject {
  const { exchange, inbound, context } = openPassage(client, createTarget(provider), provider);
  const result = exchange.decodeResult(answer);
  assert.ok(!isFailure(result));
  return inbound.encodeResult(result, context);
}

function readStream(client: ClientFormatId, provider: FormatId, messages: SseMessage[]): string[] {
  const { exchange, inbound, context } = openPassage(client, createTarget(provider), provider);
  return encodeStream(inbound, context, decodeStream(exchange, messages)).map(({ data }) => data);
}

/** How each client format reports a cited page. */
const EXPECTED: Record<ClientFormatId, (title: string) => RegExp> = {
  messages: (title) => new RegExp(`"type":"web_search_result_location".*"title":"${title}","url":"${TREES}"`),
  chat: (title) =>
    new RegExp(
      `"type":"url_citation","url_citation":.*"url":"${TREES}","title":"${title}","start_index":0,"end_index":23`,
    ),
  responses: (title) =>
    new RegExp(`"type":"url_citation","url":"${TREES}","title":"${title}","start_index":0,"end_index":23`),
  gemini: (title) =>
    new RegExp(
      `"groundingChunks":\\[\\{"web":\\{"uri":"${TREES}"${title === '' ? '' : `,"title":"${title}"`}\\}\\}\\]`,
    ),
};

for (const client of CLIENTS) {
  test(`the sources that Perplexity lists beside its answer are citations of a ${client} client`, () => {
    for (const sources of SOURCES) {
      const title = sources['search_results'] === undefined ? '' : 'Trees';
      const whole = readWhole(client, 'chat', {
        id: 'c',
        model: 'sonar',
        choices: [{ message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
        ...sources,
      });
      assert.match(JSON.stringify(whole), EXPECTED[client](title));
      const frames = readStream(client, 'chat', [
        chunk({ content: 'It stands ' }, null, sources),
        chunk({ content: 'in a park.[1]' }, 'stop', sources),
      ]);
      const given = frames.filter((data) => EXPECTED[client](title).test(data));
      // Responses repeats the annotation in the events that close the part, the item and the answer.
      assert.equal(given.length, client === 'responses' ? 4 : 1, frames.join('\n'));
    }
  });

  test(`a url citation of Responses reaches a ${client} client, complete where it lacks title and place`, () => {
    for (const annotation of [
      { type: 'url_citation', url: TREES, title: 'Trees', start_index: 0, end_index: 23 },
      { type: 'url_citation', url: TREES },
    ]) {
      const title = annotation.title ?? '';
      const given = JSON.stringify(readWhole(client, 'responses', response(annotation)));
      assert.match(given, EXPECTED[client](title));
      const added = { output_index: 0, item: { ...message(annotation), status: 'in_progress', content: [] } };
      const at = { output_index: 0, item_id: 'msg_1', content_index: 0 };
      const events: JsonObject[] = [
        { type: 'response.output_item.added', ...added },
        { type: 'response.output_text.delta', ...at, delta: TEXT },
        { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation },
        { type: 'response.output_item.done', output_index: 0, item: message(annotation) },
        { type: 'response.completed', response: response(annotation) },
      ];
      const messages = events.map((event) => ({
        event: event['type'] as string,
        data: JSON.stringify(event),
      }));
      const frames = readStream(client, 'responses', messages);
      const complete = frames.filter((data) => EXPECTED[client](title).test(data));
      assert.equal(complete.length, client === 'responses' ? 3 : 1, frames.join('\n'));
    }
  });
}

test('a citation of Chat without title and place is complete for a Chat client', () => {
  const annotation = { type: 'url_citation', url_citation: { url: TREES } };
  const answer = {
    choices: [{ message: { content: TEXT, annotations: [annotation] }, finish_reason: 'stop' }],
  };
  assert.match(JSON.stringify(readWhole('chat', 'chat', answer)), EXPECTED.chat(''));
  const frames = readStream('chat', 'chat', [chunk({ content: TEXT, annotations: [annotation] }, 'stop')]);
  assert.equal(frames.filter((data) => EXPECTED.chat('').test(data)).length, 1);
});

test('citations of another provider’s answer do not go back to Anthropic, which refuses them without its mark', () => {
  const own = {
    type: 'web_search_result_location',
    cited_text: '',
    encrypted_index: '',
    title: '',
    url: TREES,
  };
  const anthropics = { ...own, encrypted_index: 'RW5j' };
  const send = (citations: JsonObject[]) => {
    const request = getInboundFormat('messages').decodeRequest(
      {
        model: 'm',
        max_tokens: 10,
        messages: [
          { role: 'user', content: 'Where?' },
          { role: 'assistant', content: [{ type: 'text', text: TEXT, citations }] },
          { role: 'user', content: 'Sure?' },
        ],
      },
      {},
    );
    const { body } = getOutboundFormat('messages').openExchange(request, createTarget('messages'));
    return (parseJsonObject(JSON.stringify(body))?.['messages'] as { content: JsonObject[] }[])[1]
      ?.content[0];
  };
  assert.deepEqual(send([own]), { type: 'text', text: TEXT });
  assert.deepEqual(send([own, anthropics]), { type: 'text', text: TEXT, citations: [anthropics] });
});

test('a citation has a place only with both its ends, and a source only with an address', () => {
  const read = (value: JsonObject) => readCitation({ format: 'chat', value });
  const page = { url: TREES, title: 'Trees' };
  assert.deepEqual(read({ ...page, start_index: 1, end_index: 2 }), { ...page, place: { start: 1, end: 2 } });
  for (const half of [{}, { start_index: 1 }, { end_index: 2 }])
    assert.deepEqual(read({ ...page, ...half }), page);
  assert.deepEqual(read({ location: { web: page } }), page);
  assert.deepEqual(read({ url_citation: page, location: { web: { url: 'https://other' } } }), page);
  assert.deepEqual(read({ url: TREES }), { url: TREES, title: '' });
  assert.equal(read({ url: '' }), undefined);

  const sources = listSources({ citations: [TREES, '', null, 5], search_results: [] });
  const cited = (url: string, title = '') => ({
    format: 'chat',
    value: { type: 'url_citation', url_citation: { url, title } },
  });
  assert.deepEqual(sources, [cited(TREES)]);
  const listed = listSources({
    citations: ['https://a'],
    search_results: [page, { title: 'No address' }, { url: '' }],
  });
  assert.deepEqual(listed, [cited(TREES, 'Trees')]);
});
