import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';

const said = (text: string): JsonObject => ({ type: 'text', text });
const ask = { role: 'user', content: 'Hello.' };
const one = (...b: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content: b }] });
const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } };
const result = (more: JsonObject): JsonObject => ({ type: 'tool_result', tool_use_id: 'toolu_1', ...more });
const round = (call: JsonObject, res: JsonObject): JsonObject => ({
  messages: [ask, { role: 'assistant', content: [call] }, { role: 'user', content: [res] }],
});
const reply = (...b: JsonObject[]): JsonObject => ({
  messages: [ask, { role: 'assistant', content: [...b, said('Hi.')] }, ask],
});
const instruct = (more: JsonObject): JsonObject => ({
  messages: [
    ask,
    { role: 'assistant', content: 'Hi.' },
    { role: 'system', content: 'Be kind.', ...more },
    ask,
  ],
});
const plain = round(use, result({ content: 'Sunny.' }));
const src = (source: JsonObject): JsonObject => ({ type: 'document', source });
const PDF = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
const CACHED = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const look = one(said('Look.'));
const look2 = (b: JsonObject): JsonObject => one(said('Look.'), b);

export const MESSAGES_MESSAGES: Samples = {
  'messages[].role (user)': [{ messages: [{ role: 'user', content: 'Bye.' }] }],
  'messages[].role (assistant)': [
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
    { messages: [ask] },
  ],
  'messages[].role (assistant), last': [
    { messages: [ask, { role: 'assistant', content: 'Once' }] },
    { messages: [ask] },
  ],
  'messages[].role (system)': [
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, { role: 'system', content: 'Be kind.' }, ask] },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].clear_at (system)': [instruct({ clear_at: 'end_of_turn' }), instruct({})],
  'messages[].output_config (system)': [instruct({ output_config: { effort: 'low' } }), instruct({})],
  'messages[].content[] (text)': [one(said('One.'), said('Two.')), one(said('One.'))],
  'messages[].content[].cache_control': [one({ ...said('Hello.'), ...CACHED }), one(said('Hello.'))],
  'messages[].content[].citations': [
    reply({ ...said('So.'), citations: [{ type: 'char_location', cited_text: 'x', document_index: 0 }] }),
    reply(said('So.')),
  ],
  'messages[].content[].citations (web search)': [
    reply({
      ...said('So.'),
      citations: [
        { type: 'web_search_result_location', url: 'https://a.test', title: 'A', encrypted_index: 'ZW5j' },
      ],
    }),
    reply(said('So.')),
  ],
  'messages[].content[] (image: base64)': [
    look2({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }),
    look,
  ],
  'messages[].content[] (image: url)': [
    look2({ type: 'image', source: { type: 'url', url: 'https://pictures.test/cat.png' } }),
    look,
  ],
  'messages[].content[] (image: file)': [
    look2({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
    look,
  ],
  'messages[].content[] (document: base64)': [look2(src(PDF)), look],
  'messages[].content[] (document: text)': [
    look2(src({ type: 'text', media_type: 'text/plain', data: 'Some words.' })),
    look,
  ],
  'messages[].content[] (document: content)': [
    look2(src({ type: 'content', content: [said('Some words.')] })),
    look,
  ],
  'messages[].content[] (document: url)': [
    look2(src({ type: 'url', url: 'https://papers.test/a.pdf' })),
    look,
  ],
  'messages[].content[] (document: file)': [look2(src({ type: 'file', file_id: 'file_1' })), look],
  'messages[].content[].title': [one({ ...src(PDF), title: 'A paper' }), one(src(PDF))],
  'messages[].content[].context': [one({ ...src(PDF), context: 'Given by Ann.' }), one(src(PDF))],
  'messages[].content[].citations (enabled)': [
    one({ ...src(PDF), citations: { enabled: true } }),
    one(src(PDF)),
  ],
  'messages[].content[] (search_result)': [
    look2({ type: 'search_result', source: 'https://a.test', title: 'A', content: [said('Found.')] }),
    look,
  ],
  'messages[].content[] (thinking), signed': [
    reply({ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }),
    reply(),
  ],
  'messages[].content[] (thinking), unsigned': [
    reply({ type: 'thinking', thinking: 'Hm.', signature: '' }),
    reply(),
  ],
  'messages[].content[] (redacted_thinking)': [reply({ type: 'redacted_thinking', data: 'ZW5j' }), reply()],
  'messages[].content[] (tool_use, tool_result)': [plain, { messages: [ask] }],
  'messages[].content[].caller': [
    round({ ...use, caller: { type: 'direct' } }, result({ content: 'Sunny.' })),
    plain,
  ],
  'messages[].content[].is_error': [round(use, result({ content: 'Sunny.', is_error: true })), plain],
  'messages[].content[].content[] (image)': [
    round(
      use,
      result({
        content: [
          said('Sunny.'),
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      }),
    ),
    round(use, result({ content: [said('Sunny.')] })),
  ],
  'messages[].content[].content[] (tool_reference)': [
    round(use, result({ content: [said('Sunny.'), { type: 'tool_reference', tool_name: 'weather' }] })),
    round(use, result({ content: [said('Sunny.')] })),
  ],
  'messages[].content[] (server_tool_use and its result)': [
    reply(
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    ),
    reply(),
  ],
  'messages[].content[] (compaction)': [reply({ type: 'compaction', content: 'short' }), reply()],
  'messages[].content[] (any other), of the user': [
    look2({ type: 'container_upload', file_id: 'file_1' }),
    look,
  ],
  'messages[].content[] (any other), of the assistant': [
    reply({ type: 'fallback', model: 'claude-opus-5' }),
    reply(),
  ],
};
