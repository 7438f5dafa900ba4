import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { until } from '../../../../../test/support/until.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const CHECKED_EVERY_MS = 1_000;

const gateway = shareGateway();
afterEach(() => {
  gateway.setDraining(false);
  gateway.clock.advance(CHECKED_EVERY_MS);
});

async function assertStatus(status: number, text: string): Promise<Response> {
  const response = await gateway.request('/readyz', { headers: { authorization: '' } });
  assert.equal(response.status, status);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.deepEqual(await response.json(), { status: text });
  return response;
}

test('200: the database answers and nothing is stopping', async () => {
  await assertStatus(200, 'ok');
});

test('503: a gateway that is shutting down, which closes its connections', async () => {
  gateway.setDraining(true);
  const response = await assertStatus(503, 'draining');
  assert.equal(response.headers.get('connection'), 'close');
  gateway.setDraining(false);
  await assertStatus(200, 'ok');
});

test('503: the database is unavailable, until it is back', async () => {
  gateway.line.cut();
  gateway.clock.advance(CHECKED_EVERY_MS);
  await assertStatus(503, 'database down');
  gateway.line.mend();
  gateway.clock.advance(CHECKED_EVERY_MS);
  await assertStatus(200, 'ok');
});

test('503: the database cannot write, until it can; the health check of `/` reports the same', async () => {
  const setReadOnly = async (isOn: boolean): Promise<void> => {
    const session = await gateway.database.openSession();
    await session.query({ text: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE' });
    await session.query({ text: `ALTER SYSTEM SET default_transaction_read_only = ${isOn ? 'on' : 'off'}` });
    await session.query({ text: 'SELECT pg_reload_conf()' });
    await session.close();
  };
  const ask = async (): Promise<number> => {
    const body = { model: 'chat-model', messages: [{ role: 'user', content: 'hello' }] };
    const response = await gateway.post('/v1/chat/completions', body);
    await response.arrayBuffer();
    return response.status;
  };
  await setReadOnly(true);
  await until('a request is refused', async () => (await ask()) === 503);
  gateway.clock.advance(CHECKED_EVERY_MS);
  await assertStatus(503, 'ledger down');
  const health = await gateway.request('/');
  assert.equal(health.status, 503);
  const { message } = (await health.json()) as { message: string };
  assert.equal(message, 'down: ledger');
  await setReadOnly(false);
  await until('it is ready again', async () => {
    gateway.clock.advance(CHECKED_EVERY_MS);
    return (await gateway.request('/readyz')).status === 200;
  });
  assert.equal(await ask(), 200);
});
