import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { SAID, decodeAs } from '../../../test/support/decode-as.ts';

type Case = readonly [format: ClientFormatId, fields: JsonObject, found: Record<string, string>];

const toFound = (list: readonly { name: string; path: string }[] = []) =>
  Object.fromEntries(list.map(({ name, path }) => [path, name]));
const ask = (...content: JsonObject[]) => ({ messages: [{ role: 'user', content }] });
const said = (type: string, part: JsonObject) => ({
  input: [{ role: 'user', content: [{ type, ...part }] }],
});
const parts = (...list: JsonObject[]) => ({ contents: [{ role: 'user', parts: list }] });
const file = (fileUri: string) => parts({ fileData: { fileUri } });

const MODELS: readonly Case[] = [
  ['messages', { fallbacks: [{ model: 'a' }, 'b'] }, { 'fallbacks.0.model': 'a', 'fallbacks.1': 'b' }],
  ['messages', { fallbacks: 'default' }, { fallbacks: 'default' }],
  [
    'messages',
    { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'a' }] },
    { 'tools.0.model': 'a' },
  ],
  [
    'messages',
    ask({
      type: 'tool_addition',
      tool: { type: 'tool_definition', definition: { type: 'advisor_20260301', model: 'a' } },
    }),
    { 'messages.0.content.0.tool.definition.model': 'a' },
  ],
  ['chat', { moderation: { model: 'a' } }, { 'moderation.model': 'a' }],
  ['responses', { moderation: { model: 'a' } }, { 'moderation.model': 'a' }],
  ['responses', { tools: [{ type: 'image_generation', model: 'a' }] }, { 'tools[0].model': 'a' }],
  ['responses', { tools: [{ type: 'image_generation' }] }, { 'tools[0].model': 'default' }],
  [
    'responses',
    { input: [{ type: 'additional_tools', tools: [{ type: 'image_generation', model: 'a' }] }] },
    { 'input[0].tools[0].model': 'a' },
  ],
  [
    'responses',
    {
      input: [
        { type: 'additional_tools', tools: [{ type: 'image_generation', model: 'a' }], note: { model: 'b' } },
        { role: 'user', content: [{ type: 'input_text', text: 'Hello.', note: { model: 'c' } }] },
      ],
    },
    { 'input[0].tools[0].model': 'a' },
  ],
  ['gemini', { tools: [{ mcpServers: [{ modelName: 'a' }] }] }, { 'tools[0].mcpServers[0].modelName': 'a' }],
];

for (const [format, fields, found] of MODELS)
  test(`a ${format} request lists the other models it names: ${JSON.stringify(fields)}`, () => {
    assert.deepEqual(toFound(decodeAs(format, fields).otherModels), found);
  });

const OBJECTS: readonly Case[] = [
  ['messages', { container: 'c1' }, { container: 'c1' }],
  [
    'messages',
    {
      container: {
        id: 'c1',
        skills: [
          { type: 'anthropic', skill_id: 'pdf' },
          { type: 'custom', skill_id: 's1' },
        ],
      },
    },
    { 'container.id': 'c1', 'container.skills[1].skill_id': 's1' },
  ],
  [
    'messages',
    ask(
      { type: 'image', source: { type: 'file', file_id: 'f1' } },
      { type: 'container_upload', file_id: 'f2' },
      { type: 'document', source: { type: 'url', url: 'gs://bucket/a.pdf' } },
    ),
    {
      'messages.0.content.0.source.file_id': 'f1',
      'messages.0.content.1.file_id': 'f2',
      'messages.0.content.2.source.url': 'gs://bucket/a.pdf',
    },
  ],
  [
    'messages',
    ask({
      type: 'tool_result',
      tool_use_id: 't1',
      content: [{ type: 'document', source: { type: 'file', file_id: 'f1' } }],
    }),
    { 'messages.0.content.0.content.0.source.file_id': 'f1' },
  ],
  [
    'messages',
    { thread: { type: 'continue', previous_message_id: 'msg_1' } },
    { 'thread.previous_message_id': 'msg_1' },
  ],
  ['chat', ask({ type: 'file', file: { file_id: 'f1' } }), { 'messages[0].content[0].file.file_id': 'f1' }],
  ['chat', { audio: { format: 'mp3', voice: { id: 'v1' } } }, { 'audio.voice.id': 'v1' }],
  [
    'chat',
    { messages: [...SAID, { role: 'assistant', audio: { id: 'audio_1' } }] },
    { 'messages[1].audio.id': 'audio_1' },
  ],
  ['responses', said('input_image', { file_id: 'f1' }), { 'input[0].content[0].file_id': 'f1' }],
  ['responses', said('input_file', { file_id: 'f1' }), { 'input[0].content[0].file_id': 'f1' }],
  [
    'responses',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs1', 'vs2'] }] },
    { 'tools[0].vector_store_ids[0]': 'vs1', 'tools[0].vector_store_ids[1]': 'vs2' },
  ],
  ['responses', { tools: [{ type: 'code_interpreter', container: 'c1' }] }, { 'tools[0].container': 'c1' }],
  [
    'responses',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['f1'] } }] },
    { 'tools[0].container.file_ids[0]': 'f1' },
  ],
  [
    'responses',
    {
      tools: [
        {
          type: 'shell',
          environment: { container_id: 'c1', skills: [{ type: 'skill_reference', skill_id: 's1' }] },
        },
      ],
    },
    {
      'tools[0].environment.container_id': 'c1',
      'tools[0].environment.skills[0].skill_id': 's1',
    },
  ],
  [
    'responses',
    { tools: [{ type: 'mcp', server_label: 'a', connector_id: 'connector_gmail' }] },
    { 'tools[0].connector_id': 'connector_gmail' },
  ],
  [
    'responses',
    { tools: [{ type: 'mcp', server_label: 'a', tunnel_id: 't1' }] },
    { 'tools[0].tunnel_id': 't1' },
  ],
  ['responses', { input: [{ type: 'image_generation_call', id: 'ig_1' }] }, { 'input[0].id': 'ig_1' }],
  [
    'responses',
    { prompt_cache_options: { comparison_response_id: 'r1' } },
    { 'prompt_cache_options.comparison_response_id': 'r1' },
  ],
  ['gemini', { cachedContent: 'cachedContents/1' }, { cachedContent: 'cachedContents/1' }],
  ['gemini', { cached_content: 'cachedContents/1' }, { cached_content: 'cachedContents/1' }],
  ['gemini', file('gs://b/a'), { 'contents[0].parts[0].fileData.fileUri': 'gs://b/a' }],
  ['gemini', file('files/abc'), { 'contents[0].parts[0].fileData.fileUri': 'files/abc' }],
  [
    'gemini',
    parts({ file_data: { file_uri: 'HTTPS://GenerativeLanguage.googleapis.com:443/v1beta/files/a' } }),
    {
      'contents[0].parts[0].file_data.file_uri':
        'HTTPS://GenerativeLanguage.googleapis.com:443/v1beta/files/a',
    },
  ],
  [
    'gemini',
    parts({
      functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: 'gs://b/a' } }] },
    }),
    { 'contents[0].parts[0].functionResponse.parts[0].fileData.fileUri': 'gs://b/a' },
  ],
  [
    'gemini',
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } }] },
    { 'tools[0].fileSearch.fileSearchStoreNames[0]': 'fileSearchStores/a' },
  ],
  [
    'gemini',
    { tools: [{ retrieval: { vertexAiSearch: { datastore: 'projects/a' } } }] },
    { 'tools[0].retrieval.vertexAiSearch.datastore': 'projects/a' },
  ],
];

for (const [format, fields, found] of OBJECTS)
  test(`a ${format} request lists the account objects it names: ${JSON.stringify(fields)}`, () => {
    const expected = Object.fromEntries(
      Object.entries(found).map(([path, name]) => [
        format === 'messages' ? path.replaceAll(/\[(\d+)\]/g, '.$1') : path,
        name,
      ]),
    );
    assert.deepEqual(toFound(decodeAs(format, fields).accountObjects), expected);
  });

const NOTHING: readonly (readonly [format: ClientFormatId, fields: JsonObject])[] = [
  ['messages', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }],
  ['messages', ask({ type: 'image', source: { type: 'url', url: 'https://a.test/x.png' } })],
  ['messages', { tools: [{ name: 'f', input_schema: { properties: { file_id: {}, model: {} } } }] }],
  [
    'messages',
    {
      messages: [
        ...SAID,
        {
          role: 'assistant',
          content: [
            { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } },
            { type: 'tool_use', id: 't1', name: 'f', input: { file_id: 'x', model: 'y' } },
          ],
        },
      ],
    },
  ],
  ['chat', { messages: [...SAID, { role: 'assistant', content: 'model: x' }], audio: { voice: 'alloy' } }],
  ['responses', { metadata: { file_id: 'mine' } }],
  [
    'responses',
    {
      tools: [{ type: 'mcp', server_label: 'a', connector_id: 'connector_gmail', authorization: 'token' }],
    },
  ],
  ['responses', { input: [{ type: 'image_generation_call', id: 'ig_1', result: 'iVBORw0KGgo=' }] }],
  ['responses', { tools: [{ type: 'function', name: 'image_generation', parameters: {}, strict: false }] }],
  ['responses', { metadata: { type: 'image_generation' } }],
  ['responses', { text: { format: { type: 'text', note: 'image_generation' } } }],
  ['gemini', file('https://youtu.be/abc')],
  ['gemini', file('https://storage.googleapis.com/public/scones.jpg')],
];

for (const [format, fields] of NOTHING)
  test(`a ${format} request refers to nothing by what is public or its own: ${JSON.stringify(fields)}`, () => {
    const { otherModels, accountObjects, unknownTools } = decodeAs(format, fields);
    assert.deepEqual([otherModels, accountObjects, unknownTools], [undefined, undefined, undefined]);
  });

const TOOLS: readonly Case[] = [
  ['messages', { tools: [{ type: 'oracle_20290101', name: 'o' }] }, { 'tools.0': 'oracle_20290101' }],
  [
    'messages',
    ask({ type: 'tool_addition', tool: { type: 'tool_definition', definition: { type: 'oracle' } } }),
    { 'messages.0.content.0.tool.definition': 'oracle' },
  ],
  ['responses', { tools: [{ type: 'oracle' }] }, { 'tools[0]': 'oracle' }],
  [
    'responses',
    { input: [{ type: 'tool_search_output', tools: [{ type: 'oracle' }] }] },
    { 'input[0].tools[0]': 'oracle' },
  ],
  ['gemini', { tools: [{ googleSearch: {} }, { oracle: {} }] }, { 'tools[1].oracle': 'oracle' }],
];

for (const [format, fields, found] of TOOLS)
  test(`a ${format} request lists its unknown tools: ${JSON.stringify(fields)}`, () => {
    assert.deepEqual(toFound(decodeAs(format, fields).unknownTools), found);
  });

test('a request that names thousands of files, or dozens of models, is refused at the first too many', () => {
  const many = Array.from({ length: 1_001 }, (_, at) => `f${at}`);
  assert.throws(() => decodeAs('responses', { tools: [{ type: 'file_search', vector_store_ids: many }] }), {
    code: 'invalid_request',
    param: 'tools[0].vector_store_ids[1000]',
  });
  assert.throws(() => decodeAs('messages', { fallbacks: many }), {
    code: 'invalid_request',
    param: 'fallbacks.16',
  });
});
