import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from '../../../../../test/support/refusal.ts';
import { keepResponse, proveResponseRefusals } from '../../../../../test/support/stored-responses.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

const ask = (id: string, headers: Record<string, string> = {}) =>
  gateway.request(`/v1/responses/${id}`, { method: 'GET', headers });

test('200: the stored response, unchanged', async () => {
  const kept = await keepResponse(gateway, { metadata: { mine: 'yes' } });
  const response = await ask(kept.id);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), kept);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
});

test('400: a stored response cannot be streamed', async () => {
  const { id } = await keepResponse(gateway);
  await assertRefusal(await ask(`${id}?stream=true`), {
    format: 'responses',
    status: 400,
    code: 'unsupported_feature',
  });
});

proveResponseRefusals(gateway, ask);
