import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import { orderVideo } from '../../../../../test/support/video-client.ts';
import { type VideoGateway, openVideoGateway } from '../../../../../test/support/video-gateway.ts';

let open: VideoGateway;
before(async () => void (open = await openVideoGateway()));
after(() => open[Symbol.asyncDispose]());
afterEach(() => {
  open.mock.clear();
  open.gateway.line.mend();
});
const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

const ask = (id: string, headers: Record<string, string> = {}) =>
  open.gateway.request(`/v1/videos/${id}`, { method: 'DELETE', headers });

test('200: a completed video is gone, at its provider too; its bill stays', async () => {
  const { id } = await open.make();
  assert.deepEqual(await (await ask(id)).json(), { id, object: 'video.deleted', deleted: true });
  assert.equal((await open.gateway.request(`/v1/videos/${id}`)).status, 404);
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('200: one that is being made is canceled and costs nothing', async () => {
  open.mock.steps = ['in_progress'];
  const { id } = await orderVideo(open.gateway);
  assert.equal((await ask(id)).status, 200);
  const { rows } = await open.gateway.database.query({
    text: `SELECT j.status, e.customer::text, e.provider::text FROM video_job j JOIN ledger_entry e USING (request_id)
      WHERE j.id = $1`,
    values: [id],
  });
  assert.deepEqual(rows, [{ status: 'canceled', customer: '0', provider: '400000000000' }]);
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('404: unknown, or another project’s', async () => {
  const { id } = await orderVideo(open.gateway);
  const { apiKey } = await open.gateway.createAccount();
  await open.refuses(await ask(id, asKey(apiKey)), 404, 'not_found');
  await open.refuses(await ask('video_x'), 404, 'not_found');
});

proveKeyRefusals({
  gateway: () => open.gateway,
  format: 'chat',
  ask: (headers) => ask('video_x', headers),
  table: 'video_job',
});
