import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

async function assertAlive(): Promise<void> {
  const response = await gateway.request('/livez', { headers: { authorization: '' } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.deepEqual(await response.json(), { status: 'ok' });
}

test('200: the process is alive, whatever becomes of its database and whether it is stopping', async () => {
  await assertAlive();
  gateway.setDraining(true);
  gateway.line.cut();
  await assertAlive();
});
