import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { assertRefusal } from '../../../../../test/support/refusal.ts';
import type { ErrorCode } from '#errors';

const PRINTED = '# TYPE sluice_requests_total counter\n';

const gateway = shareGateway({ metrics: PRINTED });

const ask = (secret: string, { url }: InProcessGateway = gateway) =>
  fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${secret}` } });
const refused = (response: Response, status: number, code: ErrorCode) =>
  assertRefusal(response, { format: 'chat', status, code });

async function createKey(more: { scopes?: string[]; organizationId?: string } = {}): Promise<string> {
  return (await gateway.accounts.directory.createAdminKey({ label: 'metrics', ...more })).secret;
}

test('200: an admin key of all organizations reads the metrics', async () => {
  const response = await ask(await createKey({ scopes: ['logs:read'] }));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(await response.text(), PRINTED);
});

test('401: no key', async () => {
  await refused(await fetch(`${gateway.url}/metrics`), 401, 'missing_credential');
});

test('403: a regular key, an admin key without the scope, and one of a single organization', async () => {
  const { organizationId } = gateway.account;
  await refused(await ask(gateway.apiKey), 403, 'wrong_credential');
  await refused(await ask(await createKey({ scopes: ['money:read'] })), 403, 'missing_scope');
  assert.equal((await ask(await createKey({ organizationId }))).status, 403);
});

test('404: the configuration does not serve them here', async () => {
  await using other = await openInProcess();
  const { secret } = await other.accounts.directory.createAdminKey({ label: 'metrics' });
  assert.match(await refused(await ask(secret, other), 404, 'not_found'), /adminKey: true/);
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  const secret = await createKey();
  await refused(await gateway.withoutTable('admin_key', () => ask(secret)), 500, 'internal_error');
});

test('503: the database is unavailable', async () => {
  const secret = await createKey();
  gateway.line.cut();
  await refused(await ask(secret), 503, 'store_unavailable');
});
