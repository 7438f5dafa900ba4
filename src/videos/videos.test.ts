import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#base';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import {
  type MockVideoProvider,
  createVideoConfig,
  startMockVideoProvider,
} from '../../test/support/mock-video-provider.ts';
import { type Video, finishVideo, orderVideo } from '../../test/support/video-client.ts';

const LATER_MS = 2_500;

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

  test(`${provider}: a failed job costs 0 and reports the reason`, async () => {
    mock.steps = ['in_progress', 'failed'];
    const { id } = await orderVideo(gateway, { model: `${provider}-video` });
    const video = await finishVideo(gateway, id);
    assert.equal(video.status, 'failed');
    assert.match(video.error?.message ?? '', /the prompt was refused/);
    assert.deepEqual(await readEntries(video), [{ kind: 'usage', customer: '0', provider: '0' }]);
  });
}

test('a job that is not finished in time has expired: its customer pays nothing, the operator may', async () => {
  mock.steps = ['in_progress'];
  const { id } = await orderVideo(gateway);
  gateway.clock.advance(24 * 3_600_000 + 1_000);
  const video = await finishVideo(gateway, id);
  assert.equal(video.status, 'expired');
  assert.deepEqual(await readEntries(video), [{ kind: 'estimate', customer: '0', provider: '400000000000' }]);
});

test('a video that was finished while no gateway asked for it is delivered, also after its time', async () => {
  mock.steps = ['completed'];
  const { id } = await orderVideo(gateway);
  const text = `UPDATE video_job SET deadline = now() - interval '1 hour', poll_at = now(), leased_until = NULL WHERE id = $1`;
  await gateway.database.query({ text, values: [id] });
  const video = await finishVideo(gateway, id);
  assert.equal(video.status, 'completed');
  assert.deepEqual(
    (await readEntries(video)).map(({ kind }) => kind),
    ['usage'],
  );
});

test('an order whose answer was lost fails at the operator’s cost', async () => {
  mock.steps = ['in_progress'];
  const { id } = await orderVideo(gateway);
  await gateway.database.query({
    text: 'UPDATE video_job SET upstream_id = NULL, leased_until = NULL, poll_at = now() WHERE id = $1',
    values: [id],
  });
  const video = await finishVideo(gateway, id);
  assert.deepEqual([video.status, video.error?.code], ['failed', 'order_lost']);
  assert.deepEqual(await readEntries(video), [{ kind: 'estimate', customer: '0', provider: '400000000000' }]);
});

test('an order accepted when the database failed has exactly one row, that of its job', async () => {
  mock.intercept = ({ method }) => {
    if (method === 'POST') gateway.line.cut();
    return false;
  };
  const response = await gateway.post('/v1/videos', { model: 'open-video', prompt: 'a cat' });
  assert.equal(response.status, 503);
  const requestId = response.headers.get('x-request-id') ?? '';
  gateway.line.mend();
  await sleep(LATER_MS); // a row of the refusal would be written by now
  const { rows } = await gateway.database.query<{ id: string }>({
    text: 'UPDATE video_job SET leased_until = NULL, poll_at = now() WHERE request_id = $1 RETURNING id',
    values: [requestId],
  });
  const video = await finishVideo(gateway, rows[0]?.id ?? '');
  assert.deepEqual([video.status, video.error?.code], ['failed', 'order_lost']);
  const row = await gateway.findRow(requestId);
  assert.deepEqual([row?.errorCode, row?.customer, row?.provider], ['order_lost', '0', '400000000000']);
});

test('a provider that is unreachable for a while delays the video but does not lose it', async () => {
  mock.steps = ['in_progress', 'completed'];
  let left = 3;
  mock.intercept = ({ method }, response) => {
    if (method !== 'GET' || left === 0) return false;
    left -= 1;
    response.writeHead(503).end();
    return true;
  };
  const { id } = await orderVideo(gateway);
  assert.equal((await finishVideo(gateway, id)).status, 'completed');
  assert.equal(left, 0);
});

test('text that PostgreSQL cannot store and invalid times do not stop a job', async () => {
  const answers: [JsonObject, string][] = [
    [{ status: 'failed', error: { code: 'x\u0000', message: 'a\u0000b\ud800c' } }, 'failed'],
    [{ status: 'completed', expires_at: 1e300 }, 'completed'],
    [{ status: 'completed', expires_at: -1 }, 'completed'],
  ];
  for (const [answer, status] of answers) {
    mock.intercept = ({ method, path }, response) => {
      if (method !== 'GET' || path.endsWith('/content')) return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return true;
    };
    const { id } = await orderVideo(gateway, { prompt: 'a\u0000cat' });
    const video = await finishVideo(gateway, id);
    assert.equal(video.status, status);
    if (status === 'failed') assert.deepEqual(video.error, { code: 'x\ufffd', message: 'a\ufffdb\ufffdc' });
    else assert.equal((await gateway.request(`/v1/videos/${id}/content`)).status, 200);
  }
  mock.intercept = ({ method }, response) => {
    if (method !== 'POST') return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"job\\u0000"}');
    return true;
  };
  await gateway.request(`/v1/videos/${(await orderVideo(gateway)).id}`, { method: 'DELETE' });
});

test('the key of a provider reaches its own origin and no other, wherever the provider points', async () => {
  const trap = await startMockVideoProvider();
  mock.intercept = ({ path, method }, response) => {
    if (method !== 'GET' || !path.startsWith('/xai/')) return false;
    const video = { url: `${trap.origin}/bytes/a.mp4` };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ status: 'done', video }));
    return true;
  };
  const { id } = await orderVideo(gateway, { model: 'grok-video' });
  assert.equal((await finishVideo(gateway, id)).status, 'completed');
  const response = await gateway.request(`/v1/videos/${id}/content`);
  assert.equal(response.status, 502);
  assert.equal(trap.seen.length, 0);
  await trap[Symbol.asyncDispose]();
});
