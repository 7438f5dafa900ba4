import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import { type InProcessGateway, openInProcess } from '../../../../../test/support/in-process.ts';
import { assertRefusal } from '../../../../../test/support/refusal.ts';

let gateway: InProcessGateway;
before(async () => {
  gateway = await openInProcess();
});
after(() => gateway[Symbol.asyncDispose]());
afterEach(() => gateway.line.mend());

const ask = (id: string, headers: Record<string, string> = {}) =>
  gateway.request(`/v1/responses/${id}`, { method: 'GET', headers });
const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

async function keep(fields: object = {}): Promise<{ id: string }> {
  const response = await gateway.post('/v1/responses', { model: 'chat-model', input: 'hello', ...fields });
  return (await response.json()) as { id: string };
}

test('200: the stored response, unchanged', async () => {
  const kept = await keep({ metadata: { mine: 'yes' } });
  const response = await ask(kept.id);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), kept);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
});

test('400: a stored response cannot be streamed', async () => {
  const { id } = await keep();
  await assertRefusal(await ask(`${id}?stream=true`), {
    format: 'responses',
    status: 400,
    code: 'unsupported_feature',
  });
});

test('404: unknown, another project’s, or not stored', async () => {
  const { id } = await keep();
  const { apiKey } = await gateway.createAccount();
  const unkept = await keep({ store: false });
  for (const response of [await ask('resp_x'), await ask(id, asKey(apiKey)), await ask(unkept.id)]) {
    await assertRefusal(response, { format: 'responses', status: 404, code: 'not_found' });
  }
});

proveKeyRefusals({
  gateway: () => gateway,
  format: 'responses',
  ask: (headers) => ask('resp_x', headers),
  table: 'stored_response',
});
