import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from '../../../../../test/support/refusal.ts';
import { keepResponse, proveResponseRefusals } from '../../../../../test/support/stored-responses.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

const ask = (id: string, headers: Record<string, string> = {}) =>
  gateway.request(`/v1/responses/${id}`, { method: 'DELETE', headers });
const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

test('200: the response is deleted, and no request can continue from it', async () => {
  const { id } = await keepResponse(gateway);
  const response = await ask(id);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { id, object: 'response', deleted: true });
  const after = await gateway.post('/v1/responses', {
    model: 'chat-model',
    input: 'more',
    previous_response_id: id,
  });
  const message = await assertRefusal(after, {
    format: 'responses',
    status: 400,
    code: 'previous_response_not_found',
  });
  assert.match(message, new RegExp(id));
});

test('200: the answer cache does not give it again', async () => {
  const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 3_600 });
  const again = async () => {
    const response = await gateway.post(
      '/v1/responses',
      { model: 'chat-model', input: 'a secret' },
      asKey(apiKey),
    );
    const { id } = (await response.json()) as { id: string };
    return { id, cache: response.headers.get('x-gateway-cache') };
  };
  const first = await again();
  assert.deepEqual(await again(), { id: first.id, cache: 'HIT' });
  assert.equal((await ask(first.id, asKey(apiKey))).status, 200);
  const second = await again();
  assert.equal(second.cache, null);
  assert.notEqual(second.id, first.id);
  assert.deepEqual(await again(), { id: second.id, cache: 'HIT' });
});

proveResponseRefusals(gateway, ask);
