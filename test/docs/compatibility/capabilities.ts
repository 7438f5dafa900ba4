import type { JsonObject } from '#base';
import { type ClientFormatId, type GenerationResult, type ToolCallBlock, inputJsonOf } from '#canonical';
import type { Said } from './answers.ts';

/** Something a client asks for, and how it shows that it was asked for and given. */
export interface Capability {
  name: string;
  /** The row of the translation table whose sample asks for it; absent where the plainest request does. */
  samples?: Partial<Record<ClientFormatId, string>>;
  /** What must stand in the body that is sent. */
  asked?: RegExp;
  said: Said;
  /** What is wrong with the answer the client reads; nothing where all is well. */
  complain(result: GenerationResult): string | undefined;
}

const WORDS = 'Sunny in Rom.';
const JSON_WORDS = '{"city":"Rom"}';
const CALL = { id: 'call_1', name: 'weather', input: { city: 'Rom' } };
const CALLS = [CALL, { id: 'call_2', name: 'weather', input: { city: 'Oslo' } }];

function textOf({ blocks }: GenerationResult): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function callsOf({ blocks }: GenerationResult): ToolCallBlock[] {
  return blocks.filter((block) => block.type === 'tool-call');
}

function expectText(text: string): Capability['complain'] {
  return (result) => (textOf(result) === text ? undefined : `the text is ${JSON.stringify(textOf(result))}`);
}

function expectCalls(
  calls: readonly { id: string; name: string; input: JsonObject }[],
): Capability['complain'] {
  const expected = calls.map(({ id, name, input }) => `${id} ${name} ${JSON.stringify(input)}`).join(', ');
  return (result) => {
    const got = callsOf(result)
      .map((call) => `${call.id} ${call.name} ${inputJsonOf(call)}`)
      .join(', ');
    if (got !== expected) return `the calls are ${got}`;
    return result.finish.reason === 'tool-calls' ? undefined : `it ends with ${result.finish.reason}`;
  };
}

const TOOLS = {
  messages: 'tools[]',
  chat: 'tools[] (function)',
  responses: 'tools[] (function)',
  gemini: 'tools[].functionDeclarations[]',
};

export const CAPABILITIES: readonly Capability[] = [
  { name: 'text', asked: /Hello\./, said: { text: WORDS }, complain: expectText(WORDS) },
  {
    name: 'tools',
    samples: TOOLS,
    asked: /"weather".*"city"/,
    said: { text: '', toolCalls: [CALL] },
    complain: expectCalls([CALL]),
  },
  {
    name: 'parallel tools',
    samples: TOOLS,
    asked: /"weather".*"city"/,
    said: { text: '', toolCalls: CALLS },
    complain: expectCalls(CALLS),
  },
  {
    name: 'images',
    samples: {
      messages: 'messages[].content[] (image: base64)',
      chat: 'messages[].content[] (image_url: data)',
      responses: 'input[].content[] (input_image: data)',
      gemini: 'contents[].parts[].inlineData (image)',
    },
    asked: /iVBORw0KGgo=/,
    said: { text: WORDS },
    complain: expectText(WORDS),
  },
  {
    name: 'documents',
    samples: {
      messages: 'messages[].content[] (document: base64)',
      chat: 'messages[].content[] (file: file_data)',
      responses: 'input[].content[] (input_file: file_data)',
      gemini: 'contents[].parts[].inlineData (document)',
    },
    asked: /JVBERi0=/,
    said: { text: WORDS },
    complain: expectText(WORDS),
  },
  {
    name: 'reasoning',
    samples: {
      messages: 'thinking (enabled)',
      chat: 'reasoning_effort',
      responses: 'reasoning.effort',
      gemini: 'generationConfig.thinkingConfig.includeThoughts',
    },
    asked: /"(?:thinking|reasoning|reasoning_effort|thinkingConfig|output_config)":/,
    said: { reasoning: 'Hm.', text: WORDS },
    complain: ({ blocks }) =>
      blocks.some((block) => block.type === 'reasoning' && block.text === 'Hm.') ? undefined : 'no thinking',
  },
  {
    name: 'structured output',
    samples: {
      messages: 'output_config.format',
      chat: 'response_format (json_schema)',
      responses: 'text.format (json_schema)',
      gemini: 'generationConfig.responseSchema',
    },
    asked: /"(?:output_config|response_format|text|responseJsonSchema|responseSchema|outputConfig)":.*city/,
    said: { text: JSON_WORDS },
    complain: expectText(JSON_WORDS),
  },
  {
    name: 'caching',
    samples: {
      messages: 'messages[].content[].cache_control',
      chat: 'messages[].content[].cache_control',
      responses: 'input[].content[].prompt_cache_breakpoint',
    },
    asked: /"(?:cache_control|prompt_cache_breakpoint|cachePoint)":/,
    said: { text: WORDS, cached: 70 },
    complain: ({ usage }) => (usage?.inputCacheRead === 70 ? undefined : 'no cached tokens are reported'),
  },
];
