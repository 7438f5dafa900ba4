import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asKey, finishVideo, orderVideo } from '../../../../../test/support/video-client.ts';
import { proveVideoRefusals, shareVideoGateway } from '../../../../../test/support/video-gateway.ts';

const open = shareVideoGateway();

const ask = (id: string, headers: Record<string, string> = {}) =>
  open.gateway.request(`/v1/videos/${id}`, { method: 'GET', headers });

test('200: how far it has come', async () => {
  open.mock.steps = ['queued', 'in_progress'];
  const { id } = await orderVideo(open.gateway);
  const video = (await (await ask(id)).json()) as { id: string; object: string; content?: unknown };
  assert.deepEqual([video.id, video.object, video.content], [id, 'video', undefined]);
});

test('200: an end user follows, reads, lists and deletes what its session tokens ordered, and nothing else', async () => {
  const { gateway } = open;
  const mint = async (endUserId?: string): Promise<Record<string, string>> => {
    const { keyId } = gateway.account;
    const options = { keyId, limit: 10n ** 13n, ...(endUserId !== undefined && { endUserId }) };
    return asKey((await gateway.accounts.directory.createSessionToken(options)).secret);
  };
  const list = async (headers: Record<string, string>): Promise<string[]> => {
    const { data } = (await (await gateway.request('/v1/videos', { headers })).json()) as {
      data: { id: string }[];
    };
    return data.map(({ id }) => id);
  };
  const [ada, again, bob, nameless] = [await mint('ada'), await mint('ada'), await mint('bob'), await mint()];
  const { id } = await orderVideo(gateway, {}, ada);
  const { content } = await finishVideo(gateway, id, again);
  const link = new URL(content?.[0]?.url ?? '', gateway.url).pathname;
  for (const path of [`/v1/videos/${id}/content`, link]) {
    for (const headers of [ada, again, {}]) {
      const response = await gateway.request(path, { headers });
      assert.equal(response.status, 200, path);
      assert.equal(await response.text(), open.mock.content.toString());
    }
    for (const headers of [bob, nameless])
      await open.refuses(await gateway.request(path, { headers }), 404, 'not_found');
  }
  assert.deepEqual(await list(again), [id]);
  for (const headers of [bob, nameless]) {
    assert.deepEqual(await list(headers), []);
    await open.refuses(await ask(id, headers), 404, 'not_found');
    const deletion = await gateway.request(`/v1/videos/${id}`, { method: 'DELETE', headers });
    await open.refuses(deletion, 404, 'not_found');
  }
  const deletion = await gateway.request(`/v1/videos/${id}`, { method: 'DELETE', headers: again });
  assert.equal(deletion.status, 200);
  await open.refuses(await ask(id, ada), 404, 'not_found');
});

proveVideoRefusals(open, ask);
