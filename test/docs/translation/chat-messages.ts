import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';

const user = (...parts: JsonObject[]): JsonObject => ({ role: 'user', content: parts });
const said = (text: string): JsonObject => ({ type: 'text', text });
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rom"}' } };
const ask = { role: 'user', content: 'Hello.' };
const sys = { role: 'system', content: 'Be brief.' };
const asked: JsonObject[] = [
  ask,
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
];
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const CACHED = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };

export const CHAT_MESSAGES: Samples = {
  'messages[].role (system, developer), opening': [
    { messages: [{ role: 'developer', content: 'Be kind.' }, ask] },
    { messages: [ask] },
  ],
  'messages[].role (system), later': [
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, { role: 'system', content: 'Be kind.' }, ask] },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].role (user)': [{ messages: [sys, { role: 'user', content: 'Bye.' }] }],
  'messages[].role (assistant)': [
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
    { messages: [ask] },
  ],
  'messages[].role (assistant), last': [
    { messages: [ask, { role: 'assistant', content: 'Once' }] },
    { messages: [ask] },
  ],
  'messages[].tool_calls[], role (tool)': [{ messages: asked }, { messages: [ask] }],
  'messages[].function_call, role (function)': [
    {
      messages: [
        ask,
        { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } },
        { role: 'function', name: 'weather', content: 'Sunny.' },
      ],
    },
    { messages: [ask] },
  ],
  'messages[].tool_calls[] (custom)': [
    {
      messages: [
        ask,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'patch', input: '*** Begin' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Done.' },
      ],
    },
    { messages: [ask] },
  ],
  'messages[].name': [{ messages: [{ role: 'user', name: 'ann', content: 'Hello.' }] }, { messages: [ask] }],
  'messages[].refusal': [
    { messages: [ask, { role: 'assistant', refusal: 'I will not.' }, ask] },
    { messages: [ask] },
  ],
  'messages[].images[]': [
    {
      messages: [
        ask,
        { role: 'assistant', content: 'Hi.', images: [{ type: 'image_url', image_url: { url: PNG } }] },
        ask,
      ],
    },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].audio': [
    { messages: [ask, { role: 'assistant', content: 'Hi.', audio: { id: 'audio_1' } }, ask] },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].reasoning_content': [
    { messages: [ask, { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.' }, ask] },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].reasoning': [
    { messages: [ask, { role: 'assistant', content: 'Hi.', reasoning: 'Hm.' }, ask] },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].reasoning_details[] (signed by Anthropic)': [
    {
      messages: [
        ask,
        {
          role: 'assistant',
          content: 'Hi.',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format: 'sluice/anthropic', index: 0 },
            { type: 'reasoning.encrypted', data: 'c2Vj', format: 'sluice/anthropic', index: 1 },
          ],
        },
        ask,
      ],
    },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].reasoning_details[]': [
    {
      messages: [
        ask,
        {
          role: 'assistant',
          content: 'Hi.',
          reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.' }],
        },
        ask,
      ],
    },
    { messages: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'messages[].content[] (text)': [
    { messages: [user(said('One.'), said('Two.'))] },
    { messages: [user(said('One.'))] },
  ],
  'messages[].content[] (refusal)': [
    { messages: [ask, { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] }, ask] },
    { messages: [ask] },
  ],
  'messages[].content[] (image_url: data)': [
    { messages: [user(said('Look.'), { type: 'image_url', image_url: { url: PNG } })] },
    { messages: [user(said('Look.'))] },
  ],
  'messages[].content[] (image_url: address)': [
    {
      messages: [
        user(said('Look.'), { type: 'image_url', image_url: { url: 'https://pictures.test/cat.png' } }),
      ],
    },
    { messages: [user(said('Look.'))] },
  ],
  'messages[].content[].image_url.detail': [
    { messages: [user({ type: 'image_url', image_url: { url: PNG, detail: 'low' } })] },
    { messages: [user({ type: 'image_url', image_url: { url: PNG } })] },
  ],
  'messages[].content[] (input_audio)': [
    {
      messages: [
        user(said('Hear.'), { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
      ],
    },
    { messages: [user(said('Hear.'))] },
  ],
  'messages[].content[] (file: file_data)': [
    {
      messages: [
        user(said('Read.'), {
          type: 'file',
          file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
        }),
      ],
    },
    { messages: [user(said('Read.'))] },
  ],
  'messages[].content[] (file: file_id)': [
    { messages: [user(said('Read.'), { type: 'file', file: { file_id: 'file-1' } })] },
    { messages: [user(said('Read.'))] },
  ],
  'messages[].content[].cache_control': [
    { messages: [user({ ...said('Hello.'), ...CACHED })] },
    { messages: [user(said('Hello.'))] },
  ],
  'messages[].content[].prompt_cache_breakpoint': [
    { messages: [user({ ...said('Hello.'), ...BREAKPOINT })] },
    { messages: [user(said('Hello.'))] },
  ],
  'messages[].cache_control': [{ messages: [{ ...ask, ...CACHED }] }, { messages: [ask] }],
  'messages[].prompt_cache_breakpoint': [{ messages: [{ ...ask, ...BREAKPOINT }] }, { messages: [ask] }],
  'messages[].tool_calls[].extra_content': [
    {
      messages: [
        ask,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'c2ln' } } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
      ],
    },
    { messages: asked },
  ],
};
