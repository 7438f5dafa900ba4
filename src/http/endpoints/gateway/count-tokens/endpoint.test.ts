import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveCounts } from '../../../../../test/support/count-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { assertRefused } from '../../../../../test/support/refusal.ts';

const ASK = { model: 'messages-model', messages: [{ role: 'user', content: 'one two three four' }] };

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

proveCounts({
  gateway: () => gateway,
  format: 'messages',
  path: '/v1/messages/count_tokens',
  ask: ASK,
  system: 'system',
  wrong: [{ messages: 'hi' }],
  rest: {},
});

test('400: a body in another format, naming the place', async () => {
  const body = { ...ASK, tools: [{ type: 'function', function: {} }] };
  const response = await gateway.post('/v1/messages/count_tokens', body);
  const message = await assertRefused(gateway, response, {
    status: 400,
    code: 'wrong_format',
    format: 'messages',
  });
  assert.match(message, /tools\.0/);
});
