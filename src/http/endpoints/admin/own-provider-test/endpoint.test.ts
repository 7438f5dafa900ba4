import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const SECRET = 'sk-own-0123456789abcdef';

const gateway = shareGateway();
before(async () => {
  const { accounts, account, terms } = gateway;
  const { organizationId } = account;
  await accounts.directory.setProviderKey(
    { organizationId, providerId: 'mock-spare', apiKey: SECRET },
    terms,
  );
});

async function send(provider: string, options: { scopes?: readonly string[]; organizationId?: string } = {}) {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'test', ...options });
  const path = `/admin/v1/organizations/${gateway.account.organizationId}/provider_tests`;
  const response = await gateway.post(path, { provider }, { authorization: `Bearer ${secret}` });
  const answer = (await response.json()) as { ok?: boolean; message?: string | null };
  return { answered: response.status, ...answer };
}

test('the test request reaches the provider with the own key of the organization', async () => {
  const { organizationId } = gateway.account;
  const { answered, ok } = await send('mock-spare', { organizationId, scopes: ['accounts:write'] });
  assert.deepEqual([answered, ok], [200, true]);
  assert.equal(gateway.upstream.truths.at(-1)?.headers['authorization'], `Bearer ${SECRET}`);
});

test('without an own key nothing is sent, not even with the key of the gateway', async () => {
  const before = gateway.upstream.truths.length;
  const { answered, ok, message } = await send('mock-chat');
  assert.deepEqual([answered, ok], [200, false]);
  assert.match(message ?? '', /neither a key for this provider nor a custom provider/);
  assert.equal(gateway.upstream.truths.length, before);
});

test('an admin key of another organization finds none, and one that only reads is refused', async () => {
  const other = await gateway.createAccount();
  const before = gateway.upstream.truths.length;
  assert.equal((await send('mock-spare', { organizationId: other.organizationId })).answered, 404);
  assert.equal((await send('mock-spare', { scopes: ['read'] })).answered, 403);
  assert.equal(gateway.upstream.truths.length, before);
});
