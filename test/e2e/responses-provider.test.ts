import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { shareGateway } from '../support/share-gateway.ts';
import type { Truth } from '../support/upstream-exchange.ts';
import { answer, errorAfter } from '../support/upstream-replies.ts';

/** A catalogue provider that serves this model only in Responses, and its other models in Chat. */
const MODEL = 'gpt-5.3-codex';

const gateway = shareGateway({
  config: ({ baseUrl }) => `providers:\n  - id: openai\n    baseUrl: ${baseUrl}\n    apiKey: upstream-key\n`,
});

const CALLS = [
  { id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
  { id: 'call_2', name: 'get_weather', input: { city: 'Oslo' } },
];
const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' } } };

function script(plan: Parameters<typeof answer>[0]): void {
  gateway.upstream.clear();
  gateway.upstream.script({ reply: answer(plan) });
}

/** The one request the provider received. */
function sent(): Truth {
  const [truth] = gateway.upstream.truths;
  assert.ok(truth);
  return truth;
}

const createAnthropic = () =>
  new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0, timeout: 10_000 });
const createOpenAi = () =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0, timeout: 10_000 });

test('a model served only in Responses is asked there, and its neighbours in Chat', async () => {
  script({ text: 'Hello.' });
  await createOpenAi().chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'a' }] });
  assert.match(sent().path, /\/responses$/);
  assert.equal(sent().body['store'], false);
  script({ text: 'Hello.' });
  await createOpenAi().chat.completions.create({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'a' }],
  });
  assert.match(sent().path, /\/chat\/completions$/);
});

test('a tool turn of a Messages client is replayed with its reasoning, its calls and their results', async () => {
  const client = createAnthropic();
  const tools = [{ name: 'get_weather', input_schema: SCHEMA }];
  script({ reasoning: 'Two cities.', text: 'I look.', toolCalls: CALLS });
  const question = { role: 'user' as const, content: 'Weather?' };
  const base = { model: MODEL, max_tokens: 2000, thinking: { type: 'adaptive' as const }, tools };
  const first = await client.messages.stream({ ...base, messages: [question] }).finalMessage();
  assert.deepEqual(
    first.content.map(({ type }) => type),
    ['thinking', 'text', 'tool_use', 'tool_use'],
  );
  assert.equal(first.stop_reason, 'tool_use');
  assert.deepEqual(sent().body['reasoning'], { summary: 'auto' });

  script({ text: 'Sunny.' });
  const results = CALLS.map(({ id }) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: 'sunny',
  }));
  const second = await client.messages.create({
    ...base,
    messages: [question, { role: 'assistant', content: first.content }, { role: 'user', content: results }],
  });
  assert.equal(second.stop_reason, 'end_turn');
  const input = sent().body['input'] as Record<string, unknown>[];
  assert.deepEqual(
    input.map(({ type }) => type),
    [
      'message',
      'reasoning',
      'message',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ],
  );
  assert.equal(input[1]?.['encrypted_content'], 'mock-encrypted');
});

test('a Chat client streams text, calls and usage', async () => {
  script({ text: 'I look.', toolCalls: CALLS, chunks: 3 });
  const stream = createOpenAi().chat.completions.stream({
    model: MODEL,
    messages: [{ role: 'user', content: 'Weather?' }],
    tools: [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA } }],
    stream_options: { include_usage: true },
  });
  const completion = await stream.finalChatCompletion();
  const [choice] = completion.choices;
  assert.equal(choice?.message.content, 'I look.');
  assert.deepEqual(
    choice.message.tool_calls?.map(
      (call): unknown => call.type === 'function' && JSON.parse(call.function.arguments),
    ),
    CALLS.map(({ input }) => input),
  );
  assert.equal(choice.finish_reason, 'tool_calls');
  assert.equal(completion.usage?.completion_tokens, sent().outputTokens);
});

test('a Responses client gets the provider’s events unchanged', async () => {
  const client = createOpenAi();
  script({ reasoning: 'Two cities.', toolCalls: CALLS, text: '' });
  const tools = [
    { type: 'function' as const, name: 'get_weather', parameters: SCHEMA, strict: false },
    { type: 'web_search' as const },
  ];
  const include = ['reasoning.encrypted_content' as const];
  const first = await client.responses
    .stream({ model: MODEL, input: 'Weather?', tools, include })
    .finalResponse();
  assert.deepEqual(sent().body['tools'], tools);
  const [reasoning] = first.output;
  assert.ok(reasoning?.type === 'reasoning');
  assert.equal(reasoning.encrypted_content, 'mock-encrypted');
  assert.match(reasoning.id, /^rs_mock/);

  script({ text: 'Sunny.' });
  const outputs = CALLS.map(({ id }) => ({
    type: 'function_call_output' as const,
    call_id: id,
    output: 'sunny',
  }));
  await client.responses.create({
    model: MODEL,
    tools,
    input: [
      { role: 'user', content: 'Weather?' },
      ...(first.output as OpenAI.Responses.ResponseInputItem[]),
      ...outputs,
    ],
  });
  const input = sent().body['input'] as Record<string, unknown>[];
  assert.deepEqual(input[1]?.['encrypted_content'], 'mock-encrypted');
  assert.equal(input[1]['id'], reasoning.id);
  assert.deepEqual(input.slice(-2), outputs);
});

test('an answer that breaks off is an error to every client', async () => {
  const failing = async (run: () => Promise<unknown>): Promise<void> => {
    gateway.upstream.clear();
    gateway.upstream.script({ reply: errorAfter(6) });
    await assert.rejects(run());
  };
  const messages = [{ role: 'user' as const, content: 'a' }];
  await failing(() =>
    createAnthropic().messages.stream({ model: MODEL, max_tokens: 50, messages }).finalMessage(),
  );
  await failing(() =>
    createOpenAi().chat.completions.stream({ model: MODEL, messages }).finalChatCompletion(),
  );
  await failing(() => createOpenAi().responses.stream({ model: MODEL, input: 'a' }).finalResponse());
});
