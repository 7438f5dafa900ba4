import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI, { APIUserAbortError, AuthenticationError, NotFoundError } from 'openai';
import { configureFormats } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { until } from '../support/until.ts';
import { answer, cutAfter, raw } from '../support/upstream-replies.ts';

const TOOLS = [
  {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];
const CALLS = [
  { id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
  { id: 'call_2', name: 'get_weather', input: { city: 'Oslo' } },
];

const gateway = shareGateway({ config: configureFormats });

test('the SDK’s parse and its stream give a refusal, as they do at OpenAI', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const request = {
    model: 'chat-model',
    messages: [{ role: 'user' as const, content: 'hello' }],
    response_format: { type: 'json_schema' as const, json_schema: { name: 'steps', schema, strict: true } },
  };
  const refusal = 'I cannot help with that.';
  const head = (type: string) => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`;
  const message = { role: 'assistant', content: null, refusal };
  const completion = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
  const chunks = [
    { choices: [{ index: 0, delta: message, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ];
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  gateway.upstream.clear();
  gateway.upstream.script({ reply: raw(head('application/json') + JSON.stringify(completion)) });
  const whole = await client.chat.completions.parse(request);
  assert.equal(whole.choices[0]?.message.refusal, refusal);
  gateway.upstream.script({ reply: raw(`${head('text/event-stream')}${events}data: [DONE]\n\n`) });
  const streamed = await client.chat.completions.stream(request).finalChatCompletion();
  assert.equal(streamed.choices[0]?.message.refusal, refusal);
});

for (const model of ['chat-model', 'messages-model', 'responses-model', 'gemini-model']) {
  describe(`openai 7 through ${model}`, () => {
    const createClient = (apiKey = gateway.apiKey) =>
      new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
    const hello = { model, messages: [{ role: 'user' as const, content: 'hello' }] };

    test('a JSON completion has text, finish reason, usage, cost and metadata', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer({ text: 'Hello there.', chunks: 3 }) });
      const completion = await createClient().chat.completions.create(hello);
      assert.equal(completion.choices[0]?.message.content, 'Hello there.');
      assert.equal(completion.choices[0].finish_reason, 'stop');
      assert.equal(completion.model, model);
      assert.equal(completion.usage?.completion_tokens, gateway.upstream.truths[0]?.outputTokens);
      const { usage, metadata } = completion as unknown as {
        usage: { cost: number };
        metadata: { used_model: string };
      };
      assert.ok(usage.cost > 0);
      assert.equal(metadata.used_model, model);
    });

    test('a stream with include_usage ends in a usage chunk', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer({ text: 'Hello streaming world.', chunks: 5 }) });
      const stream = await createClient().chat.completions.create({
        ...hello,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      let tokens: number | undefined;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        tokens = chunk.usage?.completion_tokens ?? tokens;
      }
      assert.equal(text, 'Hello streaming world.');
      assert.equal(tokens, gateway.upstream.truths[0]?.outputTokens);
    });

    test('parallel tool calls arrive whole in the SDK’s own accumulator', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer({ text: '', toolCalls: CALLS }) });
      const completion = await createClient()
        .chat.completions.stream({ ...hello, tools: TOOLS })
        .finalChatCompletion();
      const calls = completion.choices[0]?.message.tool_calls ?? [];
      assert.deepEqual(
        calls.map((call): unknown => call.type === 'function' && JSON.parse(call.function.arguments)),
        [{ city: 'Paris' }, { city: 'Oslo' }],
      );
      assert.equal(completion.choices[0]?.finish_reason, 'tool_calls');
    });

    test('a request with the deprecated functions gets one function_call, streamed and not', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer({ text: '', toolCalls: CALLS }) });
      const [tool] = TOOLS;
      assert.ok(tool);
      const request = { ...hello, functions: [tool.function] };
      const whole = await createClient().chat.completions.create(request);
      const streamed = await createClient().chat.completions.stream(request).finalChatCompletion();
      for (const { choices } of [whole, streamed]) {
        assert.equal(choices[0]?.finish_reason, 'function_call');
        const message = choices[0].message as unknown as Record<string, unknown>;
        assert.deepEqual(message['function_call'], { name: 'get_weather', arguments: '{"city":"Paris"}' });
        assert.equal(message['tool_calls'], undefined);
      }
      const both = await createClient().chat.completions.create({ ...request, tools: TOOLS });
      assert.equal(both.choices[0]?.message.tool_calls?.length, 2);
    });

    test('thinking arrives as reasoning_content', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer({ text: 'Four.', reasoning: 'two and two' }) });
      const completion = await createClient().chat.completions.create(hello);
      const message = completion.choices[0]?.message as unknown as {
        reasoning_content: string;
        content: string;
      };
      assert.equal(message.reasoning_content, 'two and two');
      assert.equal(message.content, 'Four.');
    });

    test('a cut stream is an error to the SDK, never a completion', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: cutAfter(3, { text: 'a b c d e f g h', chunks: 8 }) });
      const stream = await createClient().chat.completions.create({ ...hello, stream: true });
      await assert.rejects(async () => {
        for await (const chunk of stream) assert.notEqual(chunk.choices[0]?.finish_reason, 'stop');
      });
    });

    test('a wrong key is a 401, an unknown model a 404', async () => {
      await assert.rejects(createClient('slc_wrong').chat.completions.create(hello), AuthenticationError);
      await assert.rejects(
        createClient().chat.completions.create({ ...hello, model: 'nothing' }),
        NotFoundError,
      );
    });

    test('an abort closes the connection to the provider', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer({ text: 'word '.repeat(200), chunks: 200 }, 20) });
      const stream = await createClient().chat.completions.create({ ...hello, stream: true });
      await assert.rejects(async () => {
        for await (const chunk of stream) {
          if (chunk.choices[0]?.delta.content) stream.controller.abort();
        }
        throw new APIUserAbortError();
      });
      const [truth] = gateway.upstream.truths;
      assert.ok(truth);
      await until('the connection is closed', () => truth.aborted);
    });

    test('the SDK lists models and reads every page', async () => {
      const ids = [];
      for await (const entry of createClient().models.list()) ids.push(entry.id);
      assert.ok(ids.includes(model));
      assert.ok(ids.length > 100);
    });
  });
}
