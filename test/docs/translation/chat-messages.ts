import type { Row } from './row.ts';

export const CHAT_MESSAGES: readonly Row[] = [
  {
    field: 'messages[].role (system, developer), opening',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ system[].text',
      chat: '→ messages[].content',
      responses: '→ instructions',
      gemini: '→ systemInstruction.parts[].text',
      converse: '→ system[].text',
    },
  },
  {
    field: 'messages[].role (system), later',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].role (user)',
    body: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Bye.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].role (assistant)',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].role (assistant), last',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Once' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: 'refused: a conversation that ends with the assistant',
      gemini: 'refused: a conversation that ends with the assistant',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].tool_calls[], role (tool)',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rom"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].id, messages[].content[].name, messages[].content[].input',
      chat: '→ messages[].content, messages[].reasoning_content, messages[].tool_calls[].id',
      responses: '→ input[].call_id, input[].name, input[].arguments',
      gemini:
        '→ contents[].parts[].functionCall, contents[].parts[].thoughtSignature, contents[].parts[].functionResponse',
      converse:
        '→ messages[].content[].toolUse, messages[].content[].toolResult, messages[].content[].toolResult.content[].text',
    },
  },
  {
    field: 'messages[].function_call, role (function)',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } },
        { role: 'function', name: 'weather', content: 'Sunny.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].id, messages[].content[].name, messages[].content[].input',
      chat: '→ messages[].content, messages[].reasoning_content, messages[].tool_calls[].id',
      responses: '→ input[].call_id, input[].name, input[].arguments',
      gemini:
        '→ contents[].parts[].functionCall, contents[].parts[].thoughtSignature, contents[].parts[].functionResponse',
      converse:
        '→ messages[].content[].toolUse, messages[].content[].toolResult, messages[].content[].toolResult.content[].text',
    },
  },
  {
    field: 'messages[].tool_calls[] (custom)',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'patch', input: '*** Begin' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Done.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].id, messages[].content[].name, messages[].content[].input',
      chat: '→ messages[].content, messages[].reasoning_content, messages[].tool_calls[].id',
      responses: '→ input[].call_id, input[].name, input[].input',
      gemini:
        '→ contents[].parts[].functionCall, contents[].parts[].thoughtSignature, contents[].parts[].functionResponse',
      converse:
        '→ messages[].content[].toolUse, messages[].content[].toolResult, messages[].content[].toolResult.content[].text',
    },
  },
  {
    field: 'messages[].name',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: { messages: [{ role: 'user', name: 'ann', content: 'Hello.' }] },
    fates: {
      messages: 'dropped',
      chat: '→ messages[].name',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'a name within the conversation; the format has no field for it',
  },
  {
    field: 'messages[].refusal',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', refusal: 'I will not.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content, messages[].refusal',
      responses: '→ input[].content[].text, input[].content[].refusal',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].audio',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.', audio: { id: 'audio_1' } },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: '→ messages[].audio',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'an answer in sound that only its provider has kept',
  },
  {
    field: 'messages[].reasoning_content',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: '→ messages[].reasoning_content',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'unsigned thinking is taken back by few',
  },
  {
    field: 'messages[].reasoning_details[]',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: 'Hi.',
          reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.' }],
        },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: '→ messages[].reasoning_details[].summary',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'thinking in the words of another provider',
  },
  {
    field: 'messages[].content[] (text)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'One.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'One.' },
            { type: 'text', text: 'Two.' },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content[].text',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].content[] (refusal)',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content, messages[].content[].refusal',
      responses: '→ input[].content[].text, input[].content[].refusal',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].content[] (image_url: data)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content[].image_url',
      responses: '→ input[].content[].detail, input[].content[].image_url',
      gemini: '→ contents[].parts[].inlineData',
      converse: '→ messages[].content[].image',
    },
  },
  {
    field: 'messages[].content[] (image_url: address)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image_url', image_url: { url: 'https://pictures.test/cat.png' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content[].image_url',
      responses: '→ input[].content[].detail, input[].content[].image_url',
      gemini: '→ contents[].parts[].fileData',
      converse: 'refused: images by URL or file id',
    },
  },
  {
    field: 'messages[].content[].image_url.detail',
    base: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
        },
      ],
    },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
          ],
        },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: '→ messages[].content[].image_url',
      responses: '→ input[].content[].detail',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'pictures are looked at in one way',
  },
  {
    field: 'messages[].content[] (input_audio)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hear.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hear.' },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          ],
        },
      ],
    },
    fates: {
      messages: 'refused: audio input',
      chat: '→ messages[].content[].input_audio',
      responses: '→ input[].content[].input_audio',
      gemini: '→ contents[].parts[].inlineData',
      converse: 'refused: audio',
    },
  },
  {
    field: 'messages[].content[] (file: file_data)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read.' },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source, messages[].content[].title',
      chat: '→ messages[].content[].file',
      responses: '→ input[].content[].filename, input[].content[].file_data',
      gemini: '→ contents[].parts[].inlineData',
      converse: '→ messages[].content[].document',
    },
  },
  {
    field: 'messages[].content[] (file: file_id)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read.' },
            { type: 'file', file: { file_id: 'file-1' } },
          ],
        },
      ],
    },
    fates: {
      messages: 'refused: a file of another provider',
      chat: '→ messages[].content[].file',
      responses: '→ input[].content[].file_id',
      gemini: 'refused: a file of another provider',
      converse: 'refused: documents by URL or file id',
    },
  },
  {
    field: 'messages[].content[].cache_control',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Hello.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].cache_control',
      chat: '→ messages[].content[].cache_control',
      responses: '→ input[].content[].prompt_cache_breakpoint',
      gemini: 'dropped',
      converse: '→ messages[].content[].cachePoint',
    },
    why: 'caches by itself, without marks',
  },
  {
    field: 'messages[].content[].prompt_cache_breakpoint',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hello.', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].cache_control',
      chat: '→ messages[].content[].cache_control',
      responses: '→ input[].content[].prompt_cache_breakpoint',
      gemini: 'dropped',
      converse: '→ messages[].content[].cachePoint',
    },
    why: 'caches by itself, without marks',
  },
  {
    field: 'messages[].cache_control',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [{ role: 'user', content: 'Hello.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    },
    fates: {
      messages: '→ messages[].content[].cache_control',
      chat: '→ messages[].cache_control',
      responses: '→ input[].content[].prompt_cache_breakpoint',
      gemini: 'dropped',
      converse: '→ messages[].content[].cachePoint',
    },
    why: 'caches by itself, without marks',
  },
  {
    field: 'messages[].prompt_cache_breakpoint',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
      ],
    },
    fates: {
      messages: '→ messages[].content[].cache_control',
      chat: '→ messages[].content[].text, messages[].content[].cache_control',
      responses: '→ input[].content[].prompt_cache_breakpoint',
      gemini: 'dropped',
      converse: '→ messages[].content[].cachePoint',
    },
    why: 'caches by itself, without marks',
  },
  {
    field: 'messages[].tool_calls[].extra_content',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rom"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Rom"}' },
              extra_content: { google: { thought_signature: 'c2ln' } },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: '→ messages[].tool_calls[].extra_content',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'an echo for the Chat endpoint it came from; signatures travel in `reasoning_details`',
  },
];
