import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import { askWith, createOwners, getAs, readOwn } from '../../../../../test/support/own-requests.ts';
import { assertRefusal } from '../../../../../test/support/refusal.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

test('200: a key sees its own requests of a session, and with of=member those of its member', async () => {
  const { first, second } = await createOwners(gateway);
  const session = 'a session/of two';
  for (const secret of [first, second]) await askWith(gateway, secret, { 'x-gateway-session': session });
  for (const [query, requests] of [
    ['', 1],
    ['?of=key', 1],
    ['?of=member', 2],
  ] as const) {
    const path = `/v1/sessions/${encodeURIComponent(session)}${query}`;
    const tree = await readOwn<Record<string, unknown>>(gateway, second, path);
    assert.deepEqual([tree['id'], tree['requests']], [session, requests]);
    assert.ok(!('provider_cost' in tree));
  }
});

test('404: a session of another key, of the key that a session token belongs to, and one that is not there', async () => {
  const { first, second, token } = await createOwners(gateway);
  await askWith(gateway, first, { 'x-gateway-session': 'alone' });
  for (const [session, secret] of [
    ['alone', second],
    ['alone', token],
    ['none', first],
  ] as const)
    await assertRefusal(await getAs(gateway, secret, `/v1/sessions/${session}`), {
      format: 'chat',
      status: 404,
      code: 'not_found',
    });
});

test('400: a filter that does not exist', async () => {
  const { first } = await createOwners(gateway);
  for (const query of ['?since=2026-01-01', '?of=all'])
    await assertRefusal(await getAs(gateway, first, `/v1/sessions/alone${query}`), {
      format: 'chat',
      status: 400,
      code: 'invalid_request',
    });
});

proveKeyRefusals({
  gateway: () => gateway,
  format: 'chat',
  ask: (headers) => gateway.request('/v1/sessions/alone', { headers: headers ?? {} }),
  table: 'request_log',
});
