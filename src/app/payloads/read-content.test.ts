import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContent } from './read-content.ts';

const JSON_TYPE = 'application/json';
const toBytes = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));
const parse = (text: string | undefined): unknown => JSON.parse(text ?? 'null');
const asked = (endpoint: string, stream = false) => ({ endpoint, requestedModel: 'm', stream });

const MESSAGES = {
  model: 'm',
  max_tokens: 9,
  system: [{ type: 'text', text: 'be brief' }],
  messages: [
    { role: 'user', content: 'what is here?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'list', input: { path: '/' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'a.txt' }] },
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      ],
    },
  ],
};
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'a file' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 2 },
};

test('prompts, tool calls, their results and answers are messages of the GenAI conventions', () => {
  const bodies = { request: toBytes(MESSAGES), answer: toBytes(MESSAGE), contentType: JSON_TYPE };
  const content = readContent(asked('/v1/messages'), bodies);
  assert.deepEqual(parse(content?.systemInstructions), [{ type: 'text', content: 'be brief' }]);
  const media = [
    { type: 'blob', modality: 'image', mime_type: 'image/png' },
    { type: 'uri', modality: 'image', uri: 'https://example.com/a.png' },
  ];
  assert.deepEqual(parse(content?.inputMessages), [
    { role: 'user', parts: [{ type: 'text', content: 'what is here?' }] },
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_1', name: 'list', arguments: '{"path":"/"}' }],
    },
    {
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'call_1', response: [{ type: 'text', content: 'a.txt' }] }],
    },
    { role: 'user', parts: media },
  ]);
  assert.deepEqual(parse(content?.outputMessages), [
    { role: 'assistant', parts: [{ type: 'text', content: 'a file' }], finish_reason: 'stop' },
  ]);
  assert.equal(content?.isCut, false);
});

test('a long conversation keeps its last messages, and a long text its beginning', () => {
  const turns = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} ${'x'.repeat(10_000)}`,
  }));
  const bodies = { request: toBytes({ model: 'm', messages: turns }), contentType: JSON_TYPE };
  const content = readContent(asked('/v1/chat/completions'), bodies);
  const input = parse(content?.inputMessages) as { role: string; parts: { content: string }[] }[];
  assert.ok((content?.inputMessages?.length ?? Infinity) < 33_000);
  assert.ok(input.length >= 5 && input.length < 10, String(input.length));
  assert.match(input.at(-1)?.parts[0]?.content ?? '', /^39 x{4000,}…$/);
  assert.equal(content?.isCut, true);
});

test('a stream is read to its end, and one that was cut is left out', () => {
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const begun = chunk({ role: 'assistant', content: 'one ' }, null) + chunk({ content: 'two' }, null);
  const read = (text: string) =>
    readContent(asked('/v1/chat/completions', true), {
      answer: Buffer.from(text),
      contentType: 'text/event-stream; charset=utf-8',
    })?.outputMessages;
  assert.deepEqual(parse(read(`${begun}${chunk({}, 'length')}data: [DONE]\n\n`)), [
    { role: 'assistant', parts: [{ type: 'text', content: 'one two' }], finish_reason: 'length' },
  ]);
  assert.equal(read(begun), undefined);
});

test('what is not text generation or not readable has no content', () => {
  const bodies = { request: toBytes({ model: 'm', input: 'x' }), contentType: JSON_TYPE };
  assert.equal(readContent(asked('/v1/embeddings'), bodies), undefined);
  for (const text of ['{', '[]', '{"model":"m"}'])
    assert.deepEqual(
      readContent(asked('/v1/messages'), {
        request: Buffer.from(text),
        answer: Buffer.from(text),
        contentType: JSON_TYPE,
      }),
      { isCut: false },
    );
});
