import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    a: { type: 'string', enum: ['x', 'y'] },
    b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  },
  required: ['a'],
};
const IMAGE = 'iVBORw0KGgo=';
const PICTURE = `data:image/png;base64,${IMAGE}`;

/** A request of each format with most of what it can hold; the model is added by who sends it. */
export const GENERATIONS: Record<ClientFormatId, JsonObject> = {
  chat: {
    max_tokens: 50,
    temperature: 0.5,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: PICTURE } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'F.', parameters: SCHEMA } }],
    tool_choice: 'auto',
    stop: ['a'],
    response_format: { type: 'json_schema', json_schema: { name: 'r', schema: SCHEMA, strict: true } },
    metadata: { a: 'b' },
    user: 'u',
    reasoning_effort: 'low',
    stream_options: { include_usage: true },
  },
  messages: {
    max_tokens: 2000,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'y' }, title: 't' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 'x' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'done' }] }],
      },
    ],
    tools: [{ name: 'f', description: 'F.', input_schema: SCHEMA }],
    tool_choice: { type: 'auto' },
    stop_sequences: ['a'],
    metadata: { user_id: 'u' },
    thinking: { type: 'enabled', budget_tokens: 1024 },
  },
  responses: {
    max_output_tokens: 50,
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: PICTURE, detail: 'auto' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'e',
      },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":"x"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'done' },
    ],
    tools: [{ type: 'function', name: 'f', description: 'F.', parameters: SCHEMA, strict: false }],
    tool_choice: 'auto',
    text: { format: { type: 'json_schema', name: 'r', schema: SCHEMA } },
    metadata: { a: 'b' },
    include: [],
    reasoning: { effort: 'low' },
    store: false,
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: IMAGE } }] },
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: { a: 'x' } } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { r: 'done' } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'f', description: 'F.', parametersJsonSchema: SCHEMA }] }],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    generationConfig: {
      maxOutputTokens: 50,
      stopSequences: ['a'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      thinkingConfig: { thinkingBudget: 100 },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  },
};

/** What goes into some of them: references to files and to what was said before. */
export const REFERENCES: Record<ClientFormatId, JsonObject> = {
  chat: {
    messages: [
      { role: 'user', content: [{ type: 'file', file: { file_id: 'file_1' } }] },
      { role: 'assistant', audio: { id: 'audio_1' } },
    ],
  },
  messages: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          { type: 'container_upload', file_id: 'file_1' },
        ],
      },
    ],
    container: 'container_1',
  },
  responses: {
    previous_response_id: 'resp_1',
    input: [
      { type: 'item_reference', id: 'msg_1' },
      { role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] },
    ],
  },
  gemini: {
    cachedContent: 'cachedContents/1',
    contents: [
      { role: 'user', parts: [{ fileData: { fileUri: 'https://x.y/files/1', mimeType: 'text/plain' } }] },
    ],
  },
};

/** What else takes a JSON body with a model, and what can be sent to each. */
export const MEDIA: Record<string, JsonObject> = {
  '/v1/embeddings': { input: ['x', 'y'], encoding_format: 'base64', dimensions: 8 },
  '/v1/moderations': { input: [{ type: 'text', text: 'x' }] },
  '/v1/rerank': { query: 'x', documents: ['x', { text: 'y' }], top_n: 1 },
  '/v1/images/generations': { prompt: 'x', n: 1, size: '1024x1024', quality: 'high' },
  '/v1/audio/speech': { input: 'x', voice: 'a', response_format: 'mp3', speed: 1 },
  '/v1/videos': { prompt: 'x', seconds: '4', size: '1280x720' },
};

export const SESSION_TOKEN: JsonObject = { user: 'x', limit: '1', models: ['fuzz-*'], ttl_seconds: 600 };
