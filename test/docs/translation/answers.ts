import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { FormatId } from '#canonical';

/** Stands in the one place of a sample whose way is looked for. */
export const MARK = 'TUFSSw==';
const URL = `https://example.org/${MARK}`;
const ARGUMENTS = JSON.stringify({ city: MARK });

const chat = (message: JsonObject, rest: JsonObject = {}): JsonObject => ({
  id: 'c',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Text.', ...message }, finish_reason: 'stop' },
  ],
  ...rest,
});
const messages = (...content: JsonObject[]): JsonObject => ({
  id: 'msg_1',
  content,
  stop_reason: 'end_turn',
});
const responses = (item: JsonObject): JsonObject => ({ id: 'resp_1', status: 'completed', output: [item] });
const said = (part: JsonObject): JsonObject =>
  responses({ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] });
const gemini = (part: JsonObject, rest: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { parts: [part] }, finishReason: 'STOP', ...rest }],
});
const converse = (part: JsonObject): JsonObject => ({
  output: { message: { role: 'assistant', content: [part] } },
  stopReason: 'end_turn',
});

/** One answer for everything an answer may hold. */
export const ANSWERS: Record<FormatId, Record<string, JsonObject>> = {
  messages: {
    'content[].text': messages({ type: 'text', text: MARK }),
    'content[].thinking': messages({ type: 'thinking', thinking: MARK, signature: 's' }),
    'content[].input (tool_use)': messages({
      type: 'tool_use',
      id: 't',
      name: 'weather',
      input: { city: MARK },
    }),
    'content[].citations[] (web_search_result_location)': messages({
      type: 'text',
      text: 'Text.',
      citations: [
        { type: 'web_search_result_location', url: URL, title: 'T', cited_text: 'c', encrypted_index: 'e' },
      ],
    }),
    'content[] (server_tool_use)': messages({
      type: 'server_tool_use',
      id: 's',
      name: 'web_search',
      input: { query: MARK },
    }),
    container: { ...messages({ type: 'text', text: 'Text.' }), container: { id: MARK } },
  },
  chat: {
    'choices[].message.content': chat({ content: MARK }),
    'choices[].message.reasoning_content': chat({ reasoning_content: MARK }),
    'choices[].message.refusal': chat({ content: null, refusal: MARK }),
    'choices[].message.tool_calls[]': chat({
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: ARGUMENTS } }],
    }),
    'choices[].message.annotations[] (url_citation)': chat({
      annotations: [
        { type: 'url_citation', url_citation: { url: URL, title: 'T', start_index: 0, end_index: 5 } },
      ],
    }),
    'citations[] (Perplexity)': chat({}, { citations: [URL] }),
    'search_results[] (Perplexity)': chat({}, { search_results: [{ url: URL, title: 'T' }] }),
    'choices[].message.images[]': chat({
      images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${MARK}` } }],
    }),
    'choices[].logprobs': {
      choices: [
        {
          message: { content: 'Text.' },
          logprobs: { content: [{ token: MARK, logprob: -1 }] },
          finish_reason: 'stop',
        },
      ],
    },
  },
  responses: {
    'output[].content[].text': said({ type: 'output_text', text: MARK, annotations: [] }),
    'output[].content[].refusal': said({ type: 'refusal', refusal: MARK }),
    'output[].content[].annotations[] (url_citation)': said({
      type: 'output_text',
      text: 'Text.',
      annotations: [{ type: 'url_citation', url: URL, title: 'T', start_index: 0, end_index: 5 }],
    }),
    'output[].summary[]': responses({
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: MARK }],
    }),
    'output[].arguments': responses({
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'weather',
      arguments: ARGUMENTS,
    }),
    'output[].result (image_generation_call)': responses({
      id: 'ig_1',
      type: 'image_generation_call',
      status: 'completed',
      result: MARK,
    }),
    'output[] (code_interpreter_call)': responses({
      id: 'ci_1',
      type: 'code_interpreter_call',
      status: 'completed',
      code: MARK,
    }),
  },
  gemini: {
    'candidates[].content.parts[].text': gemini({ text: MARK }),
    'candidates[].content.parts[].text (thought)': gemini({ text: MARK, thought: true }),
    'candidates[].content.parts[].functionCall': gemini({
      functionCall: { name: 'weather', args: { city: MARK } },
    }),
    'candidates[].groundingMetadata.groundingChunks[]': gemini(
      { text: 'Text.' },
      { groundingMetadata: { groundingChunks: [{ web: { uri: URL, title: 'T' } }] } },
    ),
    'candidates[].content.parts[].inlineData': gemini({ inlineData: { mimeType: 'image/png', data: MARK } }),
    'candidates[].content.parts[].executableCode': gemini({
      executableCode: { language: 'PYTHON', code: MARK },
    }),
  },
  converse: {
    'output.message.content[].text': converse({ text: MARK }),
    'output.message.content[].reasoningContent': converse({
      reasoningContent: { reasoningText: { text: MARK, signature: 's' } },
    }),
    'output.message.content[].toolUse': converse({
      toolUse: { toolUseId: 't', name: 'weather', input: { city: MARK } },
    }),
  },
};

/** The path of the mark in a value, without array indices. */
export function findMark(value: JsonValue, path = ''): string[] {
  if (typeof value === 'string') return value.includes(MARK) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item) => findMark(item, `${path}[]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    findMark(item as JsonValue, path === '' ? name : `${path}.${name}`),
  );
}
