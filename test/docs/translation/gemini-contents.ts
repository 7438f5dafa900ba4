import type { Row } from './row.ts';

export const GEMINI_CONTENTS: readonly Row[] = [
  {
    field: 'contents[].role (user)',
    body: { contents: [{ role: 'user', parts: [{ text: 'Bye.' }] }] },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'contents[].role (model)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ text: 'Hi.' }] },
        { role: 'user', parts: [{ text: 'Hello.' }] },
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
    field: 'contents[].role (model), last',
    base: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ text: 'Once' }] },
      ],
    },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content',
      responses: 'refused: a conversation that ends with the assistant',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'contents[].parts[].text',
    base: { contents: [{ role: 'user', parts: [{ text: 'One.' }] }] },
    body: { contents: [{ role: 'user', parts: [{ text: 'One.' }, { text: 'Two.' }] }] },
    fates: {
      messages: '→ messages[].content[].text',
      chat: '→ messages[].content, messages[].content[].text',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].text',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'contents[].parts[].thought',
    base: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ text: 'Hi.' }] },
        { role: 'user', parts: [{ text: 'Hello.' }] },
      ],
    },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ text: 'Hm.', thought: true }, { text: 'Hi.' }] },
        { role: 'user', parts: [{ text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: '→ messages[].reasoning_content',
      responses: 'dropped',
      gemini: '→ contents[].parts[].text, contents[].parts[].thought',
      converse: 'dropped',
    },
    why: 'unsigned thinking is taken back by few',
  },
  {
    field: 'contents[].parts[].thoughtSignature, on a thought',
    base: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ text: 'Hi.' }] },
        { role: 'user', parts: [{ text: 'Hello.' }] },
      ],
    },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ text: 'Hm.', thought: true, thoughtSignature: 'c2ln' }, { text: 'Hi.' }] },
        { role: 'user', parts: [{ text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ contents[].parts[].text, contents[].parts[].thought, contents[].parts[].thoughtSignature',
      converse: 'dropped',
    },
    why: 'thinking goes back to whoever signed it',
  },
  {
    field: 'contents[].parts[].thoughtSignature, on a call',
    base: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { output: 'Sunny.' } } }],
        },
      ],
    },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        {
          role: 'model',
          parts: [
            { functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } }, thoughtSignature: 'c2ln' },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { output: 'Sunny.' } } }],
        },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ contents[].parts[].thoughtSignature',
      converse: 'dropped',
    },
    why: 'signatures go back to whoever made them',
  },
  {
    field: 'contents[].parts[].inlineData (image)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] },
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
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
    field: 'contents[].parts[].inlineData (document)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] },
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }],
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
    field: 'contents[].parts[].inlineData (text)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] },
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'text/plain', data: 'U29tZSB3b3Jkcy4=' } }],
        },
      ],
    },
    fates: {
      messages: '→ messages[].content[].source',
      chat: '→ messages[].content, messages[].content[].text',
      responses: '→ input[].content[].text',
      gemini: '→ contents[].parts[].inlineData',
      converse: '→ messages[].content[].text',
    },
  },
  {
    field: 'contents[].parts[].inlineData (audio)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] },
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }],
        },
      ],
    },
    fates: {
      messages: 'refused: audio input',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].input_audio',
      responses: '→ input[].content[].input_audio',
      gemini: '→ contents[].parts[].inlineData',
      converse: 'refused: audio',
    },
  },
  {
    field: 'contents[].parts[].inlineData (video)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] },
      ],
    },
    fates: {
      messages: 'refused: a document of the type video/mp4',
      chat: '→ messages[].content, messages[].content[].text, messages[].content[].file',
      responses: '→ input[].content[].filename, input[].content[].file_data',
      gemini: '→ contents[].parts[].inlineData',
      converse: 'refused: documents of the type video/mp4',
    },
  },
  {
    field: 'contents[].parts[].fileData (an address)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] },
    body: {
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Look.' },
            { fileData: { mimeType: 'image/png', fileUri: 'https://pictures.test/cat.png' } },
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
    field: 'contents[].parts[].fileData (a file of Google)',
    base: { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] },
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look.' }, { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/cat.png' } }],
        },
      ],
    },
    fates: {
      messages: 'refused: a file of another provider',
      chat: 'refused: images by file id',
      responses: 'refused: images by a file id of another provider',
      gemini: '→ contents[].parts[].fileData',
      converse: 'refused: images by URL or file id',
    },
  },
  {
    field: 'contents[].parts[].videoMetadata',
    base: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
        },
      ],
    },
    body: {
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Look.' },
            { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' }, videoMetadata: { fps: 1 } },
          ],
        },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ contents[].parts[].videoMetadata',
      converse: 'dropped',
    },
    why: 'only models of Google watch films',
  },
  {
    field: 'contents[].parts[].functionCall, functionResponse',
    base: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { output: 'Sunny.' } } }],
        },
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
    field: 'contents[].parts[].functionResponse.response (error)',
    base: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { output: 'Sunny.' } } }],
        },
      ],
    },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { error: 'Sunny.' } } }],
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
    field: 'contents[].parts[].functionResponse.parts[]',
    base: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { output: 'Sunny.' } } }],
        },
      ],
    },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } } }] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                id: 'c1',
                name: 'weather',
                response: { output: 'Sunny.' },
                parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
              },
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
    field: 'contents[].parts[].executableCode and its result',
    base: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        { role: 'model', parts: [{ text: 'Hi.' }] },
        { role: 'user', parts: [{ text: 'Hello.' }] },
      ],
    },
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        {
          role: 'model',
          parts: [
            { executableCode: { language: 'PYTHON', code: '1' } },
            { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
            { text: 'Hi.' },
          ],
        },
        { role: 'user', parts: [{ text: 'Hello.' }] },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ contents[].parts[].executableCode, contents[].parts[].codeExecutionResult',
      converse: 'dropped',
    },
    why: 'understood by its own format only; the words around it stay',
  },
];
