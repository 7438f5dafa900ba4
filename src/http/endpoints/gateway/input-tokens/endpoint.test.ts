import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { proveCounts } from '../../../../../test/support/count-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const PATH = '/v1/responses/input_tokens';

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

proveCounts({
  gateway: () => gateway,
  format: 'responses',
  path: PATH,
  ask: { model: 'messages-model', input: 'one two three four' },
  system: 'instructions',
  wrong: [{ input: 7 }, { tools: 'none' }],
  rest: { object: 'response.input_tokens' },
});

test('200: OpenAI’s SDK counts a conversation with what it continues', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
  const long = 'word '.repeat(100);
  const { id } = await client.responses.create({ model: 'messages-model', input: long });
  const ask = { model: 'messages-model', input: 'and now?' };
  const alone = await client.responses.inputTokens.count(ask);
  const continued = await client.responses.inputTokens.count({ ...ask, previous_response_id: id });
  assert.equal(alone.object, 'response.input_tokens');
  assert.ok(continued.input_tokens > alone.input_tokens + 100);
});
