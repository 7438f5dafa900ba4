import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import AnthropicNew, { APIUserAbortError as AbortNew, NotFoundError as NotFoundNew } from '@anthropic-ai/sdk';
import AnthropicOld, {
  APIUserAbortError as AbortOld,
  NotFoundError as NotFoundOld,
} from 'anthropic-sdk-0-137';
import { configureFormats } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { answer, overloaded } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const WEATHER = {
  name: 'get_weather',
  description: 'Weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
};
const CALLS = [
  { id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } },
  { id: 'toolu_2', name: 'get_weather', input: { city: 'Oslo' } },
];

const gateway = shareGateway({ config: configureFormats });

const SDKS = [
  { name: '@anthropic-ai/sdk 1.x', Client: AnthropicNew, Abort: AbortNew, NotFound: NotFoundNew },
  {
    name: '@anthropic-ai/sdk 0.137',
    Client: AnthropicOld as unknown as typeof AnthropicNew,
    Abort: AbortOld as unknown as typeof AbortNew,
    NotFound: NotFoundOld as unknown as typeof NotFoundNew,
  },
];

for (const { name, Client, Abort, NotFound } of SDKS) {
  for (const model of ['chat-model', 'messages-model', 'responses-model', 'gemini-model']) {
    describe(`${name} through ${model}`, () => {
      const createClient = () => new Client({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0 });
      const hello = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'hello' }] };

      test('a JSON answer has text, stop reason and usage', async () => {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: 'Hello there.', chunks: 3 }) });
        const message = await createClient().messages.create(hello);
        assert.deepEqual(
          message.content.map((block) => block.type === 'text' && block.text),
          ['Hello there.'],
        );
        assert.equal(message.stop_reason, 'end_turn');
        assert.equal(message.model, model);
        assert.ok(message.usage.input_tokens > 0);
        assert.equal(message.usage.output_tokens, gateway.upstream.truths[0]?.outputTokens);
      });

      test('a stream ends in the same message', async () => {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: 'Hello streaming world.', chunks: 5 }) });
        const stream = createClient().messages.stream(hello);
        let text = '';
        stream.on('text', (delta) => (text += delta));
        const message = await stream.finalMessage();
        assert.equal(text, 'Hello streaming world.');
        assert.equal(message.stop_reason, 'end_turn');
        assert.equal(message.usage.output_tokens, gateway.upstream.truths[0]?.outputTokens);
      });

      test('parallel tool calls arrive whole, streamed and not, and their results go back in order', async () => {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: 'Looking.', toolCalls: CALLS }) });
        const client = createClient();
        const asked = { ...hello, tools: [WEATHER] };
        const whole = await client.messages.create(asked);
        const streamed = await client.messages.stream(asked).finalMessage();
        for (const message of [whole, streamed]) {
          const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
          assert.deepEqual(
            calls.map((call) => call.input),
            [{ city: 'Paris' }, { city: 'Oslo' }],
          );
          assert.deepEqual(
            calls.map((call) => call.name),
            ['get_weather', 'get_weather'],
          );
          assert.equal(message.stop_reason, 'tool_use');
        }
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: 'Warm and cold.' }) });
        const results = whole.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'fine' }]
            : [],
        );
        const next = await client.messages.create({
          ...asked,
          messages: [
            ...hello.messages,
            { role: 'assistant', content: whole.content },
            { role: 'user', content: results },
          ],
        });
        assert.equal(next.stop_reason, 'end_turn');
        const sent = JSON.stringify(gateway.upstream.truths[0]?.body);
        assert.ok(
          sent.indexOf('toolu_1') < sent.indexOf('toolu_2'),
          'both results reach the provider in order',
        );
      });

      test('thinking arrives as a thinking block before the text', async () => {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: 'Four.', reasoning: 'two and two' }) });
        const message = await createClient()
          .messages.stream({ ...hello, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } })
          .finalMessage();
        assert.deepEqual(
          message.content.map((block) => block.type),
          ['thinking', 'text'],
        );
        const [thinking] = message.content;
        assert.equal(thinking?.type === 'thinking' && thinking.thinking, 'two and two');
      });

      test('an unknown model is a 404 with the SDK’s error type', async () => {
        await assert.rejects(createClient().messages.create({ ...hello, model: 'no-such-model' }), NotFound);
      });

      test('an overloaded provider is a 529 overloaded_error', async () => {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: overloaded() });
        await assert.rejects(
          createClient().messages.create(hello),
          (error: { status?: number; message: string }) => {
            assert.equal(error.status, 529);
            assert.match(error.message, /overloaded_error/);
            return true;
          },
        );
      });

      test('an abort closes the connection to the provider', async () => {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: 'word '.repeat(200), chunks: 200 }, 20) });
        const stream = createClient().messages.stream(hello);
        stream.on('text', () => stream.abort());
        await assert.rejects(stream.finalMessage(), Abort);
        const [truth] = gateway.upstream.truths;
        assert.ok(truth);
        await until('the connection is closed', () => truth.aborted);
        assert.equal(truth.completed, false);
      });

      test('count_tokens counts system and tools too', async () => {
        const client = createClient();
        const short = await client.messages.countTokens({ model, messages: hello.messages });
        const long = await client.messages.countTokens({
          model,
          system: 'You are a meticulous assistant that answers in one word.',
          tools: [WEATHER],
          messages: hello.messages,
        });
        assert.ok(short.input_tokens > 0);
        assert.ok(long.input_tokens > short.input_tokens + 15);
      });
    });
  }
}
