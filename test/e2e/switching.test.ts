import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '#base';
import { configureFormats } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { answer, sequence } from '../support/upstream-replies.ts';

/** How a client of one format continues a conversation. */
interface Speaker {
  path(model: string): string;
  body(model: string, history: JsonObject[]): JsonObject;
  ask: JsonObject;
  /** What the client appends to its history: the answer as received, and the result of its call. */
  append(reply: JsonObject): JsonObject[];
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const NAME = 'get_weather';

const SPEAKERS: Record<string, Speaker> = {
  messages: {
    path: () => '/v1/messages',
    body: (model, messages) => ({
      model,
      max_tokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages,
      tools: [{ name: NAME, input_schema: SCHEMA }],
    }),
    ask: { role: 'user', content: 'weather?' },
    append: (reply) => {
      const content = reply['content'] as (JsonObject & { type: string; id: string })[];
      const call = content.find(({ type }) => type === 'tool_use')!;
      const result = { type: 'tool_result', tool_use_id: call.id, content: 'rain' };
      return [
        { role: 'assistant', content },
        { role: 'user', content: [result] },
      ];
    },
  },
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, messages) => ({
      model,
      messages,
      tools: [{ type: 'function', function: { name: NAME, parameters: SCHEMA } }],
    }),
    ask: { role: 'user', content: 'weather?' },
    append: (reply) => {
      const message = (reply['choices'] as { message: JsonObject }[])[0]!.message;
      const [call] = message['tool_calls'] as { id: string }[];
      return [message, { role: 'tool', tool_call_id: call!.id, content: 'rain' }];
    },
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, input) => ({
      model,
      input,
      store: false,
      reasoning: { effort: 'high' },
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: NAME, parameters: SCHEMA, strict: false }],
    }),
    ask: { role: 'user', content: 'weather?' },
    append: (reply) => {
      const output = reply['output'] as (JsonObject & { type: string; call_id: string })[];
      const call = output.find(({ type }) => type === 'function_call')!;
      return [...output, { type: 'function_call_output', call_id: call.call_id, output: 'rain' }];
    },
  },
  gemini: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_model, contents) => ({
      contents,
      tools: [{ functionDeclarations: [{ name: NAME, parametersJsonSchema: SCHEMA }] }],
    }),
    ask: { role: 'user', parts: [{ text: 'weather?' }] },
    append: (reply) => {
      const { content } = (reply['candidates'] as { content: { parts: JsonObject[] } }[])[0]!;
      const { functionCall } = content.parts.find((part) => 'functionCall' in part) as {
        functionCall: { id?: string; name: string };
      };
      const { id, name } = functionCall;
      const functionResponse = { ...(id !== undefined && { id }), name, response: { output: 'rain' } };
      return [content, { role: 'user', parts: [{ functionResponse }] }];
    },
  },
};

/** The signatures of each kind of provider's thinking, as the mock provider creates them. */
const SECRETS: Record<string, string> = {
  'messages-model': 'mock-signature',
  'responses-model': 'mock-encrypted',
  'gemini-model': Buffer.from('mock-thought-signature').toString('base64'),
};

const gateway = shareGateway({ config: configureFormats });

async function say(speaker: Speaker, model: string, history: JsonObject[]): Promise<JsonObject> {
  const response = await gateway.post(speaker.path(model), speaker.body(model, history));
  const reply = (await response.json()) as JsonObject;
  assert.equal(response.status, 200, JSON.stringify(reply));
  return reply;
}

const lastSent = (): string => gateway.upstream.truths.at(-1)?.rawBody ?? '';

for (const [format, speaker] of Object.entries(SPEAKERS)) {
  for (const [model, secret] of Object.entries(SECRETS)) {
    describe(`a ${format} client that talks with ${model}`, () => {
      test('[D-41] [D-45] [D-47] returns a model’s secrets to it unchanged, and to no other', async () => {
        gateway.upstream.clear();
        const toolCalls = [{ id: 'call_1', name: NAME, input: { city: 'Oslo' } }];
        const thinks = answer({ text: 'Let me look.', reasoning: 'hm', toolCalls });
        gateway.upstream.script({ reply: sequence(thinks, answer({ text: 'It rains.' })) });
        const history = [speaker.ask];
        history.push(...speaker.append(await say(speaker, model, history)));
        for (const other of ['chat-model', ...Object.keys(SECRETS)].filter((name) => name !== model)) {
          await say(speaker, other, history);
          assert.ok(!lastSent().includes(secret), `${other} was sent the secret of ${model}`);
          assert.ok(!lastSent().includes('sluice'), `${other} was sent a sealed secret`);
          assert.ok(lastSent().includes('rain') && lastSent().includes('Oslo'), 'and the whole history');
        }
        await say(speaker, model, history);
        assert.ok(lastSent().includes(secret), `${model} was not sent its own secret: ${lastSent()}`);
      });
    });
  }
}
