import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';

const PATH = '/v1/moderations';
const ASK = { model: 'chat-model', input: ['peace', 'kill'] };

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

test('200: a result for each text, at what the provider counted or an estimate that is called one', async () => {
  const response = await gateway.post(PATH, ASK);
  assert.equal(response.status, 200);
  const { results, model } = (await response.json()) as { model: string; results: { flagged: boolean }[] };
  assert.deepEqual(
    results.map(({ flagged }) => flagged),
    [false, true],
  );
  assert.equal(model, 'chat-model');
  const row = await gateway.getRow(response);
  assert.equal(row.estimated, true);
  assert.equal(row.usage.inputUncached, 3);
  assert.equal(row.customer, '9000000');
});

test('404: no model is OpenAI’s own default, which has no credential here', async () => {
  const response = await gateway.post(PATH, { input: 'hello' });
  const code = 'provider_not_configured';
  assert.match(
    await assertRefused(gateway, response, { format: 'chat', status: 404, code }),
    /omni-moderation/,
  );
});

test('400: what is no request, naming the place', async () => {
  const cases: [object, RegExp][] = [
    [{ model: 'chat-model' }, /input: is required/],
    [{ ...ASK, input: [{ type: 'video', url: 'x' }] }, /input\[0\]/],
    [{ ...ASK, model: 7 }, /model/],
  ];
  for (const [body, message] of cases) {
    const expected: Promised = { format: 'chat', status: 400, code: 'invalid_request' };
    assert.match(await assertRefused(gateway, await gateway.post(PATH, body), expected), message);
  }
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model) => ({ ...ASK, model }),
});
