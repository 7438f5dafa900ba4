import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../../../../test/support/in-process.ts';

const CHECKED_EVERY_MS = 1_000;

let gateway: InProcessGateway;
before(async () => {
  gateway = await openInProcess();
});
after(() => gateway[Symbol.asyncDispose]());
afterEach(() => {
  gateway.line.mend();
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

test('503: a gateway that is stopping, which lets go of its connections', async () => {
  gateway.setDraining(true);
  const response = await assertStatus(503, 'draining');
  assert.equal(response.headers.get('connection'), 'close');
  gateway.setDraining(false);
  await assertStatus(200, 'ok');
});

test('503: the database is away, until it is back', async () => {
  gateway.line.cut();
  gateway.clock.advance(CHECKED_EVERY_MS);
  await assertStatus(503, 'database down');
  gateway.line.mend();
  gateway.clock.advance(CHECKED_EVERY_MS);
  await assertStatus(200, 'ok');
});
