import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import { type InProcessGateway, openInProcess } from '../../../../../test/support/in-process.ts';
import { assertRefusal } from '../../../../../test/support/refusal.ts';
import { keepResponse, proveMissingResponses } from '../../../../../test/support/stored-responses.ts';

let gateway: InProcessGateway;
before(async () => {
  gateway = await openInProcess();
});
after(() => gateway[Symbol.asyncDispose]());
afterEach(() => gateway.line.mend());

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

proveMissingResponses(() => gateway, ask);

proveKeyRefusals({
  gateway: () => gateway,
  format: 'responses',
  ask: (headers) => ask('resp_x', headers),
  table: 'stored_response',
});
