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
  open.gateway.request(`/v1/videos/${id}`, { method: 'GET', headers });

test('200: how far it has come', async () => {
  open.mock.steps = ['queued', 'in_progress'];
  const { id } = await orderVideo(open.gateway);
  const video = (await (await ask(id)).json()) as { id: string; object: string; content?: unknown };
  assert.deepEqual([video.id, video.object, video.content], [id, 'video', undefined]);
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
