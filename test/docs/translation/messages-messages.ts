import type { Row } from './row.ts';

export const MESSAGES_MESSAGES: readonly Row[] = [
  {
    field: 'messages[].role (user)',
    body: { messages: [{ role: 'user', content: 'Bye.' }] },
    fates: {
      messages: '→ messages[].content',
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
      messages: '→ messages[].content',
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
      messages: '→ messages[].content',
      chat: '→ messages[].content',
      responses: 'refused: a conversation that ends with the assistant',
      gemini: 'refused: a conversation that ends with the assistant',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].role (system)',
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
      messages: '→ messages[].content',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
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
      chat: '→ messages[].content, messages[].content[].text',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
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
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].cache_control',
      responses: '→ input[].content[].prompt_cache_breakpoint',
      gemini: 'dropped',
      converse: '→ messages[].content[].cachePoint',
    },
    why: 'caches by itself, without marks',
  },
  {
    field: 'messages[].content[].citations',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'So.' },
            { type: 'text', text: 'Hi.' },
          ],
        },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            {
              type: 'text',
              text: 'So.',
              citations: [{ type: 'char_location', cited_text: 'x', document_index: 0 }],
            },
            { type: 'text', text: 'Hi.' },
          ],
        },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages:
        '→ messages[].content[].citations[].cited_text, messages[].content[].citations[].document_index',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'citations of an earlier answer in Anthropic’s words; its text stays',
  },
  {
    field: 'messages[].content[] (image: base64)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].image_url',
      responses: '→ input[].content[].detail, input[].content[].image_url',
      gemini: '→ contents[].parts[].inlineData',
      converse: '→ messages[].content[].image',
    },
  },
  {
    field: 'messages[].content[] (image: url)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image', source: { type: 'url', url: 'https://pictures.test/cat.png' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].image_url',
      responses: '→ input[].content[].detail, input[].content[].image_url',
      gemini: '→ contents[].parts[].fileData',
      converse: 'refused: images by URL or file id',
    },
  },
  {
    field: 'messages[].content[] (image: file)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image', source: { type: 'file', file_id: 'file_1' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: 'refused: images by file id',
      responses: 'refused: images by a file id of another provider',
      gemini: 'refused: a file of another provider',
      converse: 'refused: images by URL or file id',
    },
  },
  {
    field: 'messages[].content[] (document: base64)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].file',
      responses: '→ input[].content[].filename, input[].content[].file_data',
      gemini: '→ contents[].parts[].inlineData',
      converse: '→ messages[].content[].document',
    },
  },
  {
    field: 'messages[].content[] (document: text)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Some words.' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content, messages[].content[].text',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].content[] (document: content)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            {
              type: 'document',
              source: { type: 'content', content: [{ type: 'text', text: 'Some words.' }] },
            },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source, messages[].content[].source.content[].text',
      chat: '→ messages[].content, messages[].content[].text',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].content[] (document: url)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'document', source: { type: 'url', url: 'https://papers.test/a.pdf' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: 'refused: documents by URL or by a file id of another provider',
      responses: '→ input[].content[].file_url',
      gemini: '→ contents[].parts[].fileData',
      converse: 'refused: documents by URL or file id',
    },
  },
  {
    field: 'messages[].content[] (document: file)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: 'refused: documents by URL or by a file id of another provider',
      responses: 'refused: documents by a file id of another provider',
      gemini: 'refused: a file of another provider',
      converse: 'refused: documents by URL or file id',
    },
  },
  {
    field: 'messages[].content[].title',
    base: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
    },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              title: 'A paper',
            },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].title',
      chat: '→ messages[].content[].file',
      responses: '→ input[].content[].filename',
      gemini: 'dropped',
      converse: '→ messages[].content[].document',
    },
    why: 'the format has no field for it',
  },
  {
    field: 'messages[].content[].context',
    base: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
    },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              context: 'Given by Ann.',
            },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].context',
      chat: '→ messages[].content[].text',
      responses: 'dropped',
      gemini: 'dropped',
      converse: '→ messages[].content[].text',
    },
    why: 'the format has no field for it',
  },
  {
    field: 'messages[].content[].citations (enabled)',
    base: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
    },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              citations: { enabled: true },
            },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].citations',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'no other format cites documents',
  },
  {
    field: 'messages[].content[] (search_result)',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            {
              type: 'search_result',
              source: 'https://a.test',
              title: 'A',
              content: [{ type: 'text', text: 'Found.' }],
            },
          ],
        },
      ],
    },
    fates: {
      messages:
        '→ messages[].content[].source, messages[].content[].title, messages[].content[].content[].text',
      chat: '→ messages[].content, messages[].content[].text',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'messages[].content[] (thinking), signed',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
            { type: 'text', text: 'Hi.' },
          ],
        },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].thinking, messages[].content[].signature',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: '→ messages[].content[].reasoningContent',
    },
    why: 'thinking goes back to whoever signed it',
  },
  {
    field: 'messages[].content[] (thinking), unsigned',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: '' },
            { type: 'text', text: 'Hi.' },
          ],
        },
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
    field: 'messages[].content[] (redacted_thinking)',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            { type: 'redacted_thinking', data: 'ZW5j' },
            { type: 'text', text: 'Hi.' },
          ],
        },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].data',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: '→ messages[].content[].reasoningContent',
    },
    why: 'thinking goes back to whoever encrypted it',
  },
  {
    field: 'messages[].content[] (tool_use, tool_result)',
    base: { messages: [{ role: 'user', content: 'Hello.' }] },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }] },
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
    field: 'messages[].content[].caller',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }] },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'weather',
              input: { city: 'Rom' },
              caller: { type: 'direct' },
            },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }] },
      ],
    },
    fates: {
      messages: '→ messages[].content[].caller',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'who called a tool matters to Anthropic only',
  },
  {
    field: 'messages[].content[].is_error',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }] },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.', is_error: true }],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].is_error',
      chat: '→ messages[].content',
      responses: '→ input[].output',
      gemini: '→ contents[].parts[].functionResponse',
      converse: '→ messages[].content[].toolResult',
    },
  },
  {
    field: 'messages[].content[].content[] (image)',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sunny.' }] },
          ],
        },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'Sunny.' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
              ],
            },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].content[].source',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].image_url',
      responses: '→ input[].output[].text, input[].output[].detail, input[].output[].image_url',
      gemini: '→ contents[].parts[].functionResponse.parts[].inlineData',
      converse: '→ messages[].content[].toolResult.content[].image',
    },
  },
  {
    field: 'messages[].content[].content[] (tool_reference)',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sunny.' }] },
          ],
        },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rom' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'Sunny.' },
                { type: 'tool_reference', tool_name: 'weather' },
              ],
            },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].content[].tool_name',
      chat: '→ messages[].content',
      responses: '→ input[].output',
      gemini: '→ contents[].parts[].functionResponse',
      converse: '→ messages[].content[].toolResult.content[].text',
    },
  },
  {
    field: 'messages[].content[] (server_tool_use and its result)',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
            { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            { type: 'text', text: 'Hi.' },
          ],
        },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].id, messages[].content[].name, messages[].content[].input',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'understood by its own format only; the words around it stay',
  },
  {
    field: 'messages[].content[] (any other), of the user',
    base: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }] },
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'container_upload', file_id: 'file_1' },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].file_id',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'understood by its own format only; the words around it stay',
  },
  {
    field: 'messages[].content[] (any other), of the assistant',
    base: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        { role: 'user', content: 'Hello.' },
      ],
    },
    body: {
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: [
            { type: 'compaction', content: 'short' },
            { type: 'text', text: 'Hi.' },
          ],
        },
        { role: 'user', content: 'Hello.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].content',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'understood by its own format only; the words around it stay',
  },
];
