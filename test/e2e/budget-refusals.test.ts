import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findBudgets } from '../../src/alerts/find-budgets.ts';
import type { TestAccount } from '../support/in-process.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { answer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const USD = 10n ** 12n;
const NO_THRESHOLDS = { thresholds: [], forecast: false };

const gateway = shareGateway();
before(() => {
  gateway.upstream.script({ reply: answer({ text: 'hi', chunks: 1 }) });
});

const ask = ({ apiKey }: TestAccount, model = 'chat-model', more: object = {}): Promise<Response> =>
  gateway.post(
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'hello' }], ...more },
    { authorization: `Bearer ${apiKey}` },
  );
const findAlerts = async ({ keyId, organizationId }: TestAccount) => {
  const found = await findBudgets(gateway.database, NO_THRESHOLDS, Date.now());
  return found.filter(({ data: { subject_id: id } }) => id === keyId || id === organizationId);
};
const findBudget = async ({ organizationId }: TestAccount) =>
  (await gateway.accounts.directory.listBudgets({ organizationId }))[0];

const KINDS = [
  { budget: 'key', options: { limit: 1n } },
  { budget: 'credits', options: { credits: 1n } },
];
for (const { budget, options } of KINDS)
  test(`a budget of the kind ${budget} that refuses a request, though it is not used up, is alerted to and listed`, async () => {
    const account = await gateway.createAccount(options);
    assert.deepEqual(await findAlerts(account), []);
    assert.equal((await ask(account)).status, 402);
    await until('the refusal is noted', async () => (await findAlerts(account)).length > 0);
    const [alert] = await findAlerts(account);
    assert.equal(alert?.type, 'budget.request_refused');
    const { refused_at: refusedAt, ...data } = alert.data;
    assert.deepEqual(data, {
      budget,
      subject_id: budget === 'key' ? account.keyId : account.organizationId,
      subject_name: budget === 'key' ? 'test key' : 'Acme',
      organization_id: account.organizationId,
      used: '0',
      limit: '0.000000000001',
      period_start: null,
      period_end: null,
    });
    assert.equal((await findBudget(account))?.refusedAt, Date.parse(refusedAt as string));
  });

test('a raised limit has refused nothing yet', async () => {
  const account = await gateway.createAccount({ limit: 1n });
  assert.equal((await ask(account)).status, 402);
  await until('the refusal is noted', async () => (await findAlerts(account)).length > 0);
  await gateway.accounts.directory.updateKey(account.keyId, { limit: USD });
  assert.deepEqual(await findAlerts(account), []);
  assert.equal((await findBudget(account))?.refusedAt, undefined);
});

test('a request that is answered within a lowered output limit, or refused for another reason, is no refusal of its budget', async () => {
  const account = await gateway.createAccount({ limit: USD / 50n });
  const lowered = await ask(account, 'chat-model', { max_tokens: 1_000_000 });
  assert.equal(lowered.status, 200);
  assert.ok(Number(lowered.headers.get('x-gateway-output-limit')) < 1_000_000);
  assert.equal((await ask(account, 'no-such-model')).status, 404);
  const refused = await gateway.createAccount({ limit: 1n });
  assert.equal((await ask(refused)).status, 402);
  await until('a later refusal is noted', async () => (await findAlerts(refused)).length > 0);
  assert.deepEqual(await findAlerts(account), []);
});
