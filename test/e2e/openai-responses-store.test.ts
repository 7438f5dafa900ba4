import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { answer } from '../support/upstream-replies.ts';
import { shareGateway } from '../support/share-gateway.ts';

const WEATHER = {
  type: 'function' as const,
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};
const CALL = { id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } };

const gateway = shareGateway();

const createClient = (apiKey = gateway.account.apiKey) =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
const sentText = () => JSON.stringify(gateway.upstream.truths.at(-1)?.body['messages']);

for (const model of ['chat-model', 'messages-model']) {
  test(`a conversation continues from stored responses, streamed or not: ${model}`, async () => {
    const client = createClient();
    gateway.upstream.script({ reply: answer({ text: 'I look.', toolCalls: [CALL] }) });
    const first = await client.responses
      .stream({ model, input: 'Weather in Oslo?', instructions: 'Be brief.', tools: [WEATHER] })
      .finalResponse();
    gateway.upstream.clear();
    gateway.upstream.script({ reply: answer({ text: 'Rain.' }) });
    const second = await client.responses.create({
      model,
      tools: [WEATHER],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'call_1', output: 'rain' }],
    });
    assert.equal(second.output_text, 'Rain.');
    assert.equal(second.previous_response_id, first.id);
    for (const reported of ['Weather in Oslo?', 'I look.', 'call_1', 'rain'])
      assert.ok(sentText().includes(reported), reported);
    assert.ok(!sentText().includes('Be brief.'), 'instructions are not carried over');
    const third = await client.responses.create({ model, previous_response_id: second.id, input: 'Sure?' });
    for (const reported of ['Weather in Oslo?', 'Rain.', 'Sure?'])
      assert.ok(sentText().includes(reported), reported);
    assert.equal((await client.responses.retrieve(third.id)).output_text, third.output_text);
  });
}

test('items of stored responses may be sent by their ids', async () => {
  const client = createClient();
  gateway.upstream.script({ reply: answer({ text: 'I look.', toolCalls: [CALL] }) });
  const first = await client.responses.create({ model: 'chat-model', input: 'Weather?', tools: [WEATHER] });
  const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }));
  const input = [
    { role: 'user' as const, content: 'Weather?' },
    ...references,
    { type: 'function_call_output' as const, call_id: 'call_1', output: 'rain' },
  ];
  gateway.upstream.clear();
  await client.responses.create({ model: 'chat-model', tools: [WEATHER], input });
  assert.ok(sentText().includes('I look.') && sentText().includes('call_1'));
  const { apiKey } = await gateway.createAccount();
  await assert.rejects(createClient(apiKey).responses.create({ model: 'chat-model', input }), (error) => {
    assert.ok(error instanceof BadRequestError);
    assert.equal(error.param, 'input[1]');
    return true;
  });
});

test('store: false stores nothing, and stored responses are invisible to other projects', async () => {
  const client = createClient();
  const kept = await client.responses.create({ model: 'chat-model', input: 'hello' });
  const unkept = await client.responses.create({ model: 'chat-model', input: 'hello', store: false });
  const { apiKey } = await gateway.createAccount();
  for (const [asker, id] of [
    [client, unkept.id],
    [client, 'resp_unknown'],
    [createClient(apiKey), kept.id],
  ] as const) {
    const goOn = asker.responses.create({ model: 'chat-model', input: 'more', previous_response_id: id });
    await assert.rejects(goOn, (error) => {
      assert.ok(error instanceof BadRequestError);
      assert.deepEqual([error.code, error.param], ['previous_response_not_found', 'previous_response_id']);
      return true;
    });
    await assert.rejects(asker.responses.retrieve(id), NotFoundError);
  }
  assert.equal(gateway.upstream.truths.length, 2);
});

test('a refusal names the new item, not its place in the whole conversation', async () => {
  const client = createClient();
  const { id } = await client.responses.create({ model: 'chat-model', input: 'hello' });
  const input = [{ role: 'user', content: [{ type: 'image' }] }] as never;
  await assert.rejects(client.responses.create({ model: 'chat-model', input, previous_response_id: id }), {
    param: 'input[0].content[0].type',
  });
});

test('the hold covers the conversation that a request continues', async () => {
  const client = createClient();
  const ask = { model: 'chat-model', max_output_tokens: 16 };
  const held: bigint[] = [];
  gateway.upstream.script({
    reply: async (exchange) => {
      const { rows } = await gateway.database.query<{ amount: string }>({
        text: 'SELECT amount::text FROM hold',
      });
      held.push(BigInt(rows[0]?.amount ?? '0'));
      await answer()(exchange);
    },
  });
  const { id } = await client.responses.create({ ...ask, input: 'word '.repeat(20_000) });
  await client.responses.create({ ...ask, input: 'more' });
  await client.responses.create({ ...ask, input: 'more', previous_response_id: id });
  // The provider counted 25,000 tokens, which cost 0.075 USD.
  const [, alone = 0n, goingOn = 0n] = held;
  assert.ok(alone < 1_000_000_000n, String(alone));
  assert.ok(goingOn > 75_000_000_000n, String(goingOn));
});

test('an answer that cannot be stored is still sent and billed', async () => {
  const response = await gateway.withoutTable('stored_response', () =>
    gateway.post('/v1/responses', { model: 'chat-model', input: 'hello' }),
  );
  assert.equal(response.status, 200);
  const { id } = (await response.json()) as { id: string };
  assert.equal((await gateway.getRow(response)).finishReason, 'completed');
  await assert.rejects(createClient().responses.retrieve(id), NotFoundError);
  assert.ok(gateway.logLines.some((line) => line.includes('stored_response')));
});
