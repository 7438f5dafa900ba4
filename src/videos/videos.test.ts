import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import {
  type MockVideoProvider,
  createVideoConfig,
  startMockVideoProvider,
} from '../../test/support/mock-video-provider.ts';
import { type Video, finishVideo, orderVideo } from '../../test/support/video-client.ts';

let mock: MockVideoProvider;
let gateway: InProcessGateway;
before(async () => {
  mock = await startMockVideoProvider();
  gateway = await openInProcess({ config: createVideoConfig(mock.origin) });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await mock[Symbol.asyncDispose]();
});
afterEach(async () => {
  mock.clear();
  assert.deepEqual(await gateway.accounts.ledger.check(), []);
});

const readEntries = async (video: Video) => {
  const { rows } = await gateway.database.query<{ kind: string; customer: string; provider: string }>({
    text: `SELECT e.kind, e.customer::text, e.provider::text FROM ledger_entry e JOIN video_job j USING (request_id)
      WHERE j.id = $1`,
    values: [video.id],
  });
  return rows;
};

for (const provider of ['open', 'veo', 'grok', 'wan']) {
  test(`${provider}: ordered, polled, billed once and read through the gateway`, async () => {
    mock.steps = ['queued', 'in_progress', 'completed'];
    const ordered = await orderVideo(gateway, { model: `${provider}-video`, seconds: '8', size: '720x1280' });
    assert.equal(ordered.object, 'video');
    assert.equal(ordered.status, 'queued');
    assert.equal(ordered.seconds, '8');
    const video = await finishVideo(gateway, ordered.id);
    assert.equal(video.status, 'completed');
    assert.equal(video.progress, 100);
    assert.ok(video.completed_at);
    const cost = String(2_000_000_000_000n);
    assert.deepEqual(await readEntries(video), [{ kind: 'usage', customer: cost, provider: cost }]);
    const url = video.content?.[0]?.url ?? '';
    const read = await fetch(`${gateway.url}${url}`);
    assert.equal(read.status, 200);
    assert.equal(await read.text(), mock.content.toString());
    const log = await gateway.findRow(/logs\/(\w+)\//.exec(url)?.[1] ?? '');
    assert.equal(log?.finishReason, 'completed');
    assert.equal(log.customer, cost);
    assert.equal(log.endpoint, '/v1/videos');
  });

  test(`${provider}: a job the provider fails costs nothing and says why`, async () => {
    mock.steps = ['in_progress', 'failed'];
    const { id } = await orderVideo(gateway, { model: `${provider}-video` });
    const video = await finishVideo(gateway, id);
    assert.equal(video.status, 'failed');
    assert.match(video.error?.message ?? '', /the prompt was refused/);
    assert.deepEqual(await readEntries(video), [{ kind: 'usage', customer: '0', provider: '0' }]);
  });
}
