import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asKey, orderVideo } from '../../../../../test/support/video-client.ts';
import { proveVideoRefusals, shareVideoGateway } from '../../../../../test/support/video-gateway.ts';

const open = shareVideoGateway();

const ask = (id: string, headers: Record<string, string> = {}) =>
  open.gateway.request(`/v1/videos/${id}`, { method: 'DELETE', headers });

test('200: deletes a completed video, also at its provider; its bill stays', async () => {
  const { id } = await open.make();
  assert.deepEqual(await (await ask(id)).json(), { id, object: 'video.deleted', deleted: true });
  assert.equal((await open.gateway.request(`/v1/videos/${id}`)).status, 404);
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('200: cancels a video in progress, at cost 0', async () => {
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

test('403: a key of a viewer cancels and deletes nothing', async () => {
  const { directory } = open.gateway.accounts;
  const { organizationId, projectId } = open.gateway.account;
  const member = await directory.addMember({ organizationId, name: 'Ada', role: 'viewer' });
  const { secret } = await directory.createKey({ projectId, label: 'v', memberId: member.id });
  open.mock.steps = ['in_progress'];
  const { id } = await orderVideo(open.gateway);
  const message = await open.refuses(await ask(id, asKey(secret)), 403, 'role_not_allowed');
  assert.match(message, /role viewer, who may not call models/);
  const reported = await open.gateway.request(`/v1/videos/${id}`, { headers: asKey(secret) });
  assert.notEqual(((await reported.json()) as { status: string }).status, 'canceled');
});

proveVideoRefusals(open, ask);
