import type { Row } from './row.ts';

export const RESPONSES_INPUT: readonly Row[] = [
  {
    field: 'input[] (message: user)',
    body: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Bye.' }] }] },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'input[] (message: system, developer), opening',
    body: {
      input: [
        { role: 'developer', content: 'Be kind.' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: '→ system[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content',
      gemini: '→ systemInstruction.parts[].text',
      converse: '→ system[].text',
    },
  },
  {
    field: 'input[] (message: system, developer), later',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { role: 'system', content: 'Be kind.' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'input[] (message: assistant)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }] },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
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
    field: 'input[] (message: assistant), last',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }] },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text',
      gemini: 'refused: a conversation that ends with the assistant',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'input[].content[] (input_text)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'One.' },
            { type: 'input_text', text: 'Two.' },
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
    field: 'input[].content[] (refusal)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }] },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text, input[].content[].refusal',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'input[].content[] (input_image: data)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look.' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].image_url',
      responses: '→ input[].content[].image_url',
      gemini: '→ contents[].parts[].inlineData',
      converse: '→ messages[].content[].image',
    },
  },
  {
    field: 'input[].content[] (input_image: address)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look.' },
            { type: 'input_image', image_url: 'https://pictures.test/cat.png' },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].image_url',
      responses: '→ input[].content[].image_url',
      gemini: '→ contents[].parts[].fileData',
      converse: 'refused: images by URL or file id',
    },
  },
  {
    field: 'input[].content[] (input_image: file_id)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look.' },
            { type: 'input_image', file_id: 'file-1' },
          ],
        },
      ],
    },
    fates: {
      messages: 'refused: a file of another provider',
      chat: 'refused: images by file id',
      responses: '→ input[].content[].file_id',
      gemini: 'refused: a file of another provider',
      converse: 'refused: images by URL or file id',
    },
  },
  {
    field: 'input[].content[].detail',
    base: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }],
        },
      ],
    },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' }],
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
    field: 'input[].content[] (input_file: file_data)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look.' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source, messages[].content[].title',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].file',
      responses: '→ input[].content[].filename, input[].content[].file_data',
      gemini: '→ contents[].parts[].inlineData',
      converse: '→ messages[].content[].document',
    },
  },
  {
    field: 'input[].content[] (input_file: file_url)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look.' },
            { type: 'input_file', file_url: 'https://papers.test/a.pdf' },
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
    field: 'input[].content[] (input_file: file_id)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look.' },
            { type: 'input_file', file_id: 'file-1' },
          ],
        },
      ],
    },
    fates: {
      messages: 'refused: a file of another provider',
      chat: 'refused: documents by URL or by a file id of another provider',
      responses: '→ input[].content[].file_id',
      gemini: 'refused: a file of another provider',
      converse: 'refused: documents by URL or file id',
    },
  },
  {
    field: 'input[].content[].prompt_cache_breakpoint',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }] },
    body: {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hello.', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
          ],
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
    field: 'input[] (function_call, function_call_output)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }] },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rom"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'Sunny.' },
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
    field: 'input[].namespace',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rom"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'Sunny.' },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        {
          type: 'function_call',
          call_id: 'call_1',
          name: 'weather',
          arguments: '{"city":"Rom"}',
          namespace: 'mcp',
        },
        { type: 'function_call_output', call_id: 'call_1', output: 'Sunny.' },
      ],
    },
    fates: {
      messages: '→ messages[].content[].name',
      chat: '→ messages[].tool_calls[].function',
      responses: '→ input[].namespace',
      gemini: '→ contents[].parts[].functionCall, contents[].parts[].functionResponse',
      converse: '→ messages[].content[].toolUse',
    },
  },
  {
    field: 'input[].output[] (input_image)',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rom"}' },
        { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'Sunny.' }] },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rom"}' },
        {
          type: 'function_call_output',
          call_id: 'call_1',
          output: [
            { type: 'input_text', text: 'Sunny.' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
          ],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].content[].source',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].image_url',
      responses: '→ input[].output[].image_url',
      gemini: '→ contents[].parts[].functionResponse.parts[].inlineData',
      converse: '→ messages[].content[].toolResult.content[].image',
    },
  },
  {
    field: 'input[] (custom_tool_call and its output)',
    base: { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }] },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done.' },
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
    field: 'input[] (reasoning: encrypted)',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'ZW5j' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: '→ input[].summary[].text, input[].encrypted_content',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'thinking goes back to whoever encrypted it',
  },
  {
    field: 'input[] (reasoning: plain)',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
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
    field: 'input[] (web_search_call)',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: '→ input[].id, input[].status, input[].action',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'it records a search; what was found stands in the answer after it',
  },
  {
    field: 'input[] (computer_call)',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        {
          type: 'computer_call',
          id: 'cu_1',
          call_id: 'c1',
          status: 'completed',
          action: { type: 'wait' },
          pending_safety_checks: [],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: 'refused: an item of the type computer_call',
      chat: 'refused: an item of the type computer_call',
      responses: '→ input[].id, input[].call_id, input[].status',
      gemini: 'refused: an item of the type computer_call',
      converse: 'refused: an item of the type computer_call',
    },
  },
  {
    field: 'input[] (item_reference)',
    base: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    body: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        { type: 'item_reference', id: 'msg_1' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: 'refused: input.1: refers to an item this gateway has not stored; send the item itself',
      chat: 'refused: input.1: refers to an item this gateway has not stored; send the item itself',
      responses: 'refused: input.1: refers to an item this gateway has not stored; send the item itself',
      gemini: 'refused: input.1: refers to an item this gateway has not stored; send the item itself',
      converse: 'refused: input.1: refers to an item this gateway has not stored; send the item itself',
    },
  },
];
