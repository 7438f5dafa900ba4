import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { InProcessGateway } from './in-process.ts';
import { proveKeyRefusals } from './key-refusals.ts';
import { assertRefusal } from './refusal.ts';

interface KeptResponse {
  id: string;
  output: { id: string }[];
}

/** Generates a response that the gateway stores, unless `store` is false. */
export async function keepResponse(
  gateway: InProcessGateway,
  fields: JsonObject = {},
): Promise<KeptResponse> {
  const response = await gateway.post('/v1/responses', { model: 'chat-model', input: 'hello', ...fields });
  assert.equal(response.status, 200);
  return (await response.json()) as KeptResponse;
}

/** Tests what an endpoint of one stored response refuses: keys, and responses that this caller does not have. */
export function proveResponseRefusals(
  gateway: InProcessGateway,
  ask: (id: string, headers?: Record<string, string>) => Promise<Response>,
): void {
  test('404: unknown, another project’s, not stored, or deleted', async () => {
    const { apiKey } = await gateway.createAccount();
    const { id } = await keepResponse(gateway);
    const unkept = await keepResponse(gateway, { store: false });
    const deleted = await keepResponse(gateway);
    await gateway.request(`/v1/responses/${deleted.id}`, { method: 'DELETE' });
    for (const response of [
      await ask(id, { authorization: `Bearer ${apiKey}` }),
      await ask('resp_x'),
      await ask(unkept.id),
      await ask(deleted.id),
    ])
      await assertRefusal(response, { format: 'responses', status: 404, code: 'not_found' });
    assert.equal((await ask(id)).status, 200, 'nobody else’s request changed it');
  });
  proveKeyRefusals({
    gateway: () => gateway,
    format: 'responses',
    ask: (headers) => ask('resp_x', headers),
    table: 'stored_response',
  });
}
