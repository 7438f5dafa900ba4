import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type LanguageModel, type ToolSet, generateText, jsonSchema, streamText, tool } from 'ai';
import { configureFormats } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { answer } from '../support/upstream-replies.ts';

const gateway = shareGateway({ config: configureFormats });

const CLIENTS: { name: string; open: (model: string) => LanguageModel }[] = [
  {
    name: '@ai-sdk/anthropic',
    open: (model) => createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey })(model),
  },
  {
    name: '@ai-sdk/openai (Responses)',
    open: (model) => createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey })(model),
  },
  {
    name: '@ai-sdk/openai-compatible',
    open: (model) =>
      createOpenAICompatible({
        name: 'sluice',
        baseURL: `${gateway.url}/v1`,
        apiKey: gateway.apiKey,
        includeUsage: true,
      })(model),
  },
];

const tools = {
  weather: tool({
    description: 'Weather of a city',
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  }),
} as ToolSet;

for (const { name, open } of CLIENTS) {
  for (const model of ['chat-model', 'messages-model', 'responses-model', 'gemini-model']) {
    describe(`${name} through ${model}`, () => {
      test('generateText reads text and usage', async () => {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: 'Hello there.', chunks: 3 }) });
        const result = await generateText({ model: open(model), prompt: 'hello', maxRetries: 0 });
        assert.equal(result.text, 'Hello there.');
        assert.equal(result.finishReason, 'stop');
        assert.equal(result.usage.outputTokens, gateway.upstream.truths[0]?.outputTokens);
      });

      test('streamText validates every chunk, reasoning and tool calls included', async () => {
        gateway.upstream.clear();
        const toolCalls = [
          { id: 'call_1', name: 'weather', input: { city: 'Paris' } },
          { id: 'call_2', name: 'weather', input: { city: 'Oslo' } },
        ];
        gateway.upstream.script({
          reply: answer({ text: 'Looking.', reasoning: 'which cities', toolCalls }),
        });
        const errors: unknown[] = [];
        const result = streamText({
          model: open(model),
          prompt: 'weather?',
          tools,
          maxRetries: 0,
          onError: ({ error }) => void errors.push(error),
        });
        await result.consumeStream();
        assert.deepEqual(errors, []);
        assert.equal(await result.text, 'Looking.');
        assert.equal((await result.finalStep).reasoningText, 'which cities');
        assert.deepEqual(
          (await result.toolCalls).map((call): unknown => call.input),
          [{ city: 'Paris' }, { city: 'Oslo' }],
        );
        assert.equal(await result.finishReason, 'tool-calls');
      });
    });
  }
}
