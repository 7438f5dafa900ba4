/** A picture of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export type Format = 'messages' | 'chat' | 'responses' | 'gemini';

/** What a conversation says; each text is of a caller or a provider. */
export interface Said {
  system: string;
  question: string;
  thinking: string;
  answer: string;
  tool: string;
  description: string;
  /** JSON. */
  input: string;
  result: string;
}

interface Body {
  path: string;
  request: Record<string, unknown>;
}

/** A request with everything that a format can say: a system prompt, a picture, thinking, a call and its result. */
export const BODIES: Readonly<Record<Format, (said: Said, model: string) => Body>> = {
  messages: (said, model) => ({
    path: '/v1/messages',
    request: {
      model,
      max_tokens: 64,
      temperature: 0.5,
      system: [{ type: 'text', text: said.system }],
      tools: [{ name: said.tool, description: said.description, input_schema: { type: 'object' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: said.question },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: said.answer },
            { type: 'tool_use', id: 'call_1', name: said.tool, input: JSON.parse(said.input) as object },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call_1', content: said.result, is_error: true }],
        },
      ],
    },
  }),
  chat: (said, model) => ({
    path: '/v1/chat/completions',
    request: {
      model,
      max_tokens: 64,
      temperature: 0.5,
      tools: [
        {
          type: 'function',
          function: { name: said.tool, description: said.description, parameters: { type: 'object' } },
        },
      ],
      messages: [
        { role: 'system', content: said.system },
        {
          role: 'user',
          content: [
            { type: 'text', text: said.question },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
        {
          role: 'assistant',
          content: said.answer,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: said.tool, arguments: said.input } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: said.result },
      ],
    },
  }),
  responses: (said, model) => ({
    path: '/v1/responses',
    request: {
      model,
      max_output_tokens: 64,
      temperature: 0.5,
      store: false,
      instructions: said.system,
      tools: [
        { type: 'function', name: said.tool, description: said.description, parameters: { type: 'object' } },
      ],
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: said.question },
            { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' },
          ],
        },
        { role: 'assistant', content: said.answer },
        { type: 'function_call', call_id: 'call_1', name: said.tool, arguments: said.input },
        { type: 'function_call_output', call_id: 'call_1', output: said.result },
      ],
    },
  }),
  gemini: (said, model) => ({
    path: `/v1beta/models/${model}:generateContent`,
    request: {
      systemInstruction: { parts: [{ text: said.system }] },
      generationConfig: {
        maxOutputTokens: 64,
        temperature: 0.5,
        thinkingConfig: { includeThoughts: true },
      },
      tools: [
        {
          functionDeclarations: [
            { name: said.tool, description: said.description, parameters: { type: 'object' } },
          ],
        },
      ],
      contents: [
        {
          role: 'user',
          parts: [{ text: said.question }, { inlineData: { mimeType: 'image/png', data: PIXEL } }],
        },
        {
          role: 'model',
          parts: [
            { text: said.answer },
            { functionCall: { name: said.tool, args: JSON.parse(said.input) as object } },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { name: said.tool, response: { result: said.result } } }],
        },
      ],
    },
  }),
};

export const FORMATS = Object.keys(BODIES) as Format[];

/** The body of an answer that says the same. */
export function composeAnswer(format: Format, said: Said): Record<string, unknown> {
  const { thinking, answer, tool, input } = said;
  const called = { name: tool, arguments: input };
  if (format === 'messages')
    return {
      content: [
        { type: 'thinking', thinking, signature: 'x' },
        { type: 'text', text: answer },
        { type: 'tool_use', id: 'call_2', name: tool, input: JSON.parse(input) as object },
        { type: answer, odd: answer },
      ],
    };
  if (format === 'chat')
    return {
      choices: [
        {
          message: {
            content: answer,
            reasoning_content: thinking,
            tool_calls: [{ id: 'call_2', type: 'function', function: called }],
            images: [{ type: 'image_url', image_url: { url: answer } }],
          },
        },
      ],
    };
  if (format === 'responses')
    return {
      error: { message: answer },
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: thinking }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] },
        { type: 'function_call', call_id: 'call_2', ...called },
      ],
    };
  return {
    candidates: [
      {
        content: {
          parts: [
            { text: thinking, thought: true },
            { text: answer },
            { functionCall: { name: tool, args: JSON.parse(input) as object } },
          ],
        },
      },
    ],
  };
}
