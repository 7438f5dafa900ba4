import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { LLMock } from '@copilotkit/aimock';
import { GoogleGenAI, type Part } from '@google/genai';
import OpenAI from 'openai';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';

/** What a client of any format received. */
interface Received {
  text: string;
  calls: { name: string; input: unknown }[];
}

const WEATHER = {
  name: 'get_weather',
  description: 'the weather of a city',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const PROTOCOLS = ['chat', 'messages', 'responses', 'gemini', 'converse', 'azure'] as const;

let mock: LLMock;
let gateway: InProcessGateway;

before(async () => {
  mock = new LLMock({ port: 0 });
  mock.onMessage('say hello', { content: 'Hello from the other side.' });
  mock.onMessage('what weather', {
    toolCalls: [{ id: 'call_paris', name: 'get_weather', arguments: '{"city":"Paris"}' }],
  });
  mock.onToolResult('call_paris', { content: 'It rains in Paris.' });
  mock.onMessage('be wrong', {
    error: { message: 'this is not acceptable', type: 'invalid_request_error' },
    status: 400,
  });
  await mock.start();
  gateway = await openInProcess({ config: createConfig(mock.url) });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await mock.stop();
});

function createConfig(url: string): string {
  const provider = (id: string, lines: string[]): string[] => [
    `  - id: aimock-${id}`,
    ...lines.map((line) => `    ${line}`),
    '    apiKey: mock-key',
    '    models:',
    `      - id: ${id}-model`,
    '        contextLength: 200000',
    '        maxOutput: 32000',
    '        price: { input: "3", output: "15" }',
  ];
  return [
    'providers:',
    ...provider('chat', ['format: chat', `baseUrl: ${url}/v1`]),
    ...provider('messages', ['format: messages', `baseUrl: ${url}/v1`]),
    ...provider('responses', ['format: responses', `baseUrl: ${url}/v1`]),
    ...provider('gemini', ['format: gemini', `baseUrl: ${url}/v1beta`]),
    ...provider('converse', ['format: converse', 'cloud: bedrock', `baseUrl: ${url}`]),
    ...provider('azure', [
      'format: chat',
      'cloud: azure',
      `baseUrl: ${url}`,
      'azure: { apiVersion: 2024-10-21 }',
    ]),
    '',
  ].join('\n');
}

/** A client of each kind, with one question, streamed or not. */
const CLIENTS: Record<string, (model: string, prompt: string, stream: boolean) => Promise<Received>> = {
  'openai, Chat': askChat,
  'openai, Responses': askResponses,
  '@anthropic-ai/sdk': askMessages,
  '@google/genai': askGemini,
};

async function askChat(model: string, prompt: string, stream: boolean): Promise<Received> {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
  const { name, description, schema: parameters } = WEATHER;
  const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    model,
    messages: [{ role: 'user', content: prompt }],
    tools: [{ type: 'function', function: { name, description, parameters } }],
  };
  const completion = stream
    ? await client.chat.completions.stream({ ...body, stream: true }).finalChatCompletion()
    : await client.chat.completions.create(body);
  const message = completion.choices[0]?.message;
  const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
  return {
    text: message?.content ?? '',
    calls: calls.map(({ function: called }) => ({
      name: called.name,
      input: JSON.parse(called.arguments) as unknown,
    })),
  };
}

async function askResponses(model: string, prompt: string, stream: boolean): Promise<Received> {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
  const { name, description, schema: parameters } = WEATHER;
  const tools = [{ type: 'function' as const, name, description, parameters, strict: false }];
  const body = { model, input: prompt, store: false, tools };
  const response = stream
    ? await client.responses.stream(body).finalResponse()
    : await client.responses.create(body);
  return {
    text: response.output_text,
    calls: response.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
  };
}

async function askMessages(model: string, prompt: string, stream: boolean): Promise<Received> {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0 });
  const { name, description, schema } = WEATHER;
  const body = {
    model,
    max_tokens: 500,
    messages: [{ role: 'user' as const, content: prompt }],
    tools: [{ name, description, input_schema: { ...schema, type: 'object' as const } }],
  };
  const message = stream
    ? await client.messages.stream(body).finalMessage()
    : await client.messages.create(body);
  return {
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: message.content
      .filter((block) => block.type === 'tool_use')
      .map((block) => ({ name: block.name, input: block.input })),
  };
}

async function askGemini(model: string, prompt: string, stream: boolean): Promise<Received> {
  const client = new GoogleGenAI({ apiKey: gateway.apiKey, httpOptions: { baseUrl: gateway.url } });
  const { name, description, schema: parametersJsonSchema } = WEATHER;
  const config = { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema }] }] };
  const parts: Part[] = [];
  if (stream) {
    for await (const chunk of await client.models.generateContentStream({ model, contents: prompt, config }))
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
  } else {
    const answer = await client.models.generateContent({ model, contents: prompt, config });
    parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
  }
  return {
    text: parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join(''),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall ? [{ name: functionCall.name ?? '', input: functionCall.args }] : [],
    ),
  };
}

for (const protocol of PROTOCOLS) {
  describe(`an upstream written by others speaks ${protocol}`, () => {
    const model = `${protocol}-model`;
    for (const [client, ask] of Object.entries(CLIENTS)) {
      for (const stream of [false, true]) {
        const how = stream ? 'streamed' : 'whole';
        test(`${client} gets its text and its tool call, ${how}`, async () => {
          const hello = await ask(model, 'say hello', stream);
          assert.deepEqual(hello, { text: 'Hello from the other side.', calls: [] });
          const weather = await ask(model, 'what weather', stream);
          assert.deepEqual(weather.calls, [{ name: 'get_weather', input: { city: 'Paris' } }]);
        });
      }
      test(`${client} gets the upstream’s refusal message`, async () => {
        await assert.rejects(
          ask(model, 'be wrong', false),
          (error: Error & { status?: number }) =>
            error.status === 400 && error.message.includes('this is not acceptable'),
        );
      });
    }
  });
}
