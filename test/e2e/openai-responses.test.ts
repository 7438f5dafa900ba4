import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI, { APIError, BadRequestError } from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { configureFormats } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { answer, cutAfter } from '../support/upstream-replies.ts';

const WEATHER = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};
const PATCH = {
  type: 'custom' as const,
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: "*** Begin Patch"' },
};
const CALLS = [
  { id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
  { id: 'call_2', name: 'get_weather', input: { city: 'Oslo' } },
];
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';

const gateway = shareGateway({ config: configureFormats });

const createClient = () =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
const sentBody = (at = 0) => gateway.upstream.truths[at]?.body ?? {};

for (const model of ['chat-model', 'messages-model']) {
  describe(`openai 7, Responses through ${model}`, () => {
    const script = (plan: Parameters<typeof answer>[0]) => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer(plan) });
    };

    test('a JSON response has text, status, usage and cost', async () => {
      script({ text: 'Hello there.', chunks: 3 });
      const response = await createClient().responses.create({
        model,
        instructions: 'Be kind.',
        input: 'hello',
      });
      assert.equal(response.output_text, 'Hello there.');
      assert.equal(response.status, 'completed');
      assert.equal(response.model, model);
      assert.equal(response.instructions, 'Be kind.');
      assert.equal(response.usage?.output_tokens, gateway.upstream.truths[0]?.outputTokens);
      assert.ok((response.usage as unknown as { cost: number }).cost > 0);
    });

    test('a stream collected by the SDK equals the JSON response', async () => {
      script({ text: 'Hello streaming world.', chunks: 5, reasoning: 'hm' });
      let deltas = '';
      const stream = createClient().responses.stream({ model, input: 'hello' });
      stream.on('response.output_text.delta', ({ delta }) => (deltas += delta));
      const final = await stream.finalResponse();
      assert.equal(deltas, 'Hello streaming world.');
      assert.equal(final.output_text, deltas);
      assert.deepEqual(
        final.output.map(({ type }) => type),
        ['reasoning', 'message'],
      );
      assert.equal(final.usage?.output_tokens, gateway.upstream.truths[0]?.outputTokens);
    });

    test('parallel calls arrive whole, and their results go back to the provider', async () => {
      script({ text: 'I look.', toolCalls: CALLS });
      const client = createClient();
      const first = await client.responses
        .stream({ model, input: 'Weather?', tools: [WEATHER] })
        .finalResponse();
      const calls = first.output.filter((item) => item.type === 'function_call');
      assert.deepEqual(
        calls.map((call): unknown => [call.call_id, JSON.parse(call.arguments)]),
        [
          ['call_1', { city: 'Paris' }],
          ['call_2', { city: 'Oslo' }],
        ],
      );
      script({ text: 'Sun and rain.' });
      const results = ['sun', 'rain'].map((output, at): ResponseInputItem => {
        return { type: 'function_call_output', call_id: calls[at]?.call_id ?? '', output };
      });
      const second = await client.responses.create({
        model,
        tools: [WEATHER],
        store: false,
        input: [{ role: 'user', content: 'Weather?' }, ...(first.output as ResponseInputItem[]), ...results],
      });
      assert.equal(second.output_text, 'Sun and rain.');
      const sent = JSON.stringify(sentBody()['messages']);
      for (const reported of ['call_1', 'call_2', 'sun', 'rain', 'I look.'])
        assert.ok(sent.includes(reported), reported);
    });

    test('a tool of free text is lowered to a function, and its call lifted again', async () => {
      const input = '*** Begin Patch';
      script({ text: '', toolCalls: [{ id: 'call_p', name: 'apply_patch', input: { input } }] });
      const final = await createClient()
        .responses.stream({ model, input: 'Edit.', tools: [PATCH] })
        .finalResponse();
      const [call] = final.output;
      assert.ok(call?.type === 'custom_tool_call');
      assert.deepEqual([call.name, call.call_id, call.input], ['apply_patch', 'call_p', input]);
      assert.match(JSON.stringify(sentBody()['tools']), /lark grammar/);
    });

    test('images reach the provider, in messages and in tool results', async () => {
      script({ text: 'A pixel.' });
      const image = {
        type: 'input_image' as const,
        image_url: `data:image/png;base64,${PIXEL}`,
        detail: 'auto' as const,
      };
      await createClient().responses.create({
        model,
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Look.' }, image] },
          { type: 'function_call', call_id: 'call_v', name: 'view_image', arguments: '{}' },
          { type: 'function_call_output', call_id: 'call_v', output: [image] },
        ],
      });
      assert.equal(JSON.stringify(sentBody()['messages']).split(PIXEL).length - 1, 2);
    });

    test('a cut stream is an error to the SDK, never a response', async () => {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: cutAfter(3, { text: 'a b c d e f g h', chunks: 8 }) });
      await assert.rejects(
        createClient().responses.stream({ model, input: 'hello' }).finalResponse(),
        APIError,
      );
    });

    test('a malformed request names the path', async () => {
      const input = [{ role: 'user', content: [{ type: 'image' }] }] as unknown as ResponseInputItem[];
      await assert.rejects(createClient().responses.create({ model, input }), (error) => {
        assert.ok(error instanceof BadRequestError);
        assert.equal(error.param, 'input[0].content[0].type');
        return true;
      });
    });
  });
}

test('signed thinking is returned to its provider byte for byte, and to no other', async () => {
  const client = createClient();
  gateway.upstream.clear();
  gateway.upstream.script({ reply: answer({ text: 'Four.', reasoning: 'two and two' }) });
  const first = await client.responses.create({ model: 'messages-model', input: 'Sum?', store: false });
  const [reasoning] = first.output;
  assert.ok(reasoning?.type === 'reasoning');
  assert.equal(reasoning.summary[0]?.text, 'two and two');
  assert.match(reasoning.encrypted_content ?? '', /mock-signature/);
  const history: ResponseInputItem[] = [
    { role: 'user', content: 'Sum?' },
    ...(first.output as ResponseInputItem[]),
    { role: 'user', content: 'Sure?' },
  ];
  for (const model of ['messages-model', 'chat-model']) {
    gateway.upstream.clear();
    await client.responses.create({ model, input: history, store: false });
    const sent = JSON.stringify(sentBody()['messages']);
    assert.equal(sent.includes('"signature":"mock-signature"'), model === 'messages-model');
    assert.ok(!sent.includes('sluice.'));
  }
});

test('what Codex sends is understood', async () => {
  gateway.upstream.clear();
  gateway.upstream.script({ reply: answer({ text: 'Done.' }) });
  const shell = { ...WEATHER, name: 'shell', description: 'Runs a command.' };
  const body = {
    model: 'messages-model',
    instructions: 'You are a coding agent.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '<permissions>' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] },
    ],
    tools: [
      shell,
      PATCH,
      { type: 'web_search', external_web_access: false },
      { type: 'namespace', name: 'mcp__fs__', description: 'Files.', tools: [{ ...WEATHER, name: 'read' }] },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '0199-thread',
    text: { verbosity: 'low' },
    client_metadata: { 'x-codex-installation-id': '1' },
  };
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.apiKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /event: response\.completed/);
  const names = (sentBody()['tools'] as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(names, ['shell', 'apply_patch', 'mcp__fs__read']);
});
