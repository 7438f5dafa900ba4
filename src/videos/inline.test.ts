import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { assertRefusal } from '../../test/support/refusal.ts';
import type { Video } from '../../test/support/video-client.ts';
import { type VideoGateway, openVideoGateway } from '../../test/support/video-gateway.ts';
import { until } from '../../test/support/until.ts';

/** Three parts and a remainder. */
const CONTENT = randomBytes(800_000);
const HOURS_49_MS = 49 * 3_600_000;

let open: VideoGateway;
before(async () => {
  open = await openVideoGateway();
  open.mock.content = CONTENT;
});
after(() => open[Symbol.asyncDispose]());
afterEach(() => open.mock.clear());

async function make(form: 'gemini' | 'vertex' = 'gemini'): Promise<{ video: Video; link: string }> {
  open.mock.inline = form;
  const video = await open.make({ model: 'veo-video' });
  assert.equal(video.status, 'completed');
  return { video, link: video.content?.[0]?.url ?? '' };
}

async function countParts(video: Video): Promise<number> {
  const { rows } = await open.gateway.database.query<{ parts: string }>({
    text: 'SELECT count(*) AS parts FROM video_content WHERE job_id = $1',
    values: [video.id],
  });
  return Number(rows[0]?.parts);
}

for (const [form, type] of [
  ['gemini', 'video/webm'],
  ['vertex', 'video/mp4'],
] as const) {
  test(`[${form}] a video returned within its job is stored, billed once, and can be read completely`, async () => {
    const { video, link } = await make(form);
    const response = await open.gateway.request(link);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), type);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(response.headers.get('content-length'), String(CONTENT.length));
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT);
    const head = await open.gateway.request(link, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(CONTENT.length));
    assert.equal(open.mock.find('GET', /files/).length, 0);
    assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
    assert.equal(await countParts(video), 4);
  });
}

test('ranges across parts, from the end, beyond it, and of another state', async () => {
  const { link } = await make();
  const size = CONTENT.length;
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=262143-262144', 262_143, 262_145],
    ['bytes=100000-700000', 100_000, 700_001],
    ['bytes=799990-', 799_990, size],
    ['bytes=-5', size - 5, size],
    ['bytes=799990-9999999', 799_990, size],
    ['Bytes=799990-99999999999999999999', 799_990, size],
  ] as const) {
    const response = await open.gateway.request(link, { headers: { range } });
    assert.equal(response.status, 206, range);
    assert.equal(response.headers.get('content-range'), `bytes ${start}-${end - 1}/${size}`);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT.subarray(start, end), range);
  }
  for (const range of ['bytes=0-1,5-6', 'bytes=-', 'lines=0-1']) {
    const response = await open.gateway.request(link, { headers: { range } });
    assert.equal(response.status, 200, range);
    await response.arrayBuffer();
  }
  for (const range of ['bytes=800000-', 'bytes=99999999999999999999-', 'bytes=5-4', 'bytes=-0']) {
    const beyond = await open.gateway.request(link, { headers: { range } });
    assert.equal(beyond.headers.get('content-range'), `bytes */${size}`, range);
    await assertRefusal(beyond, { format: 'chat', status: 416, code: 'range_not_satisfiable' });
  }
});

test('a validator saves the bytes', async () => {
  const { link } = await make();
  const etag = (await open.gateway.request(link, { method: 'HEAD' })).headers.get('etag') ?? '';
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const same = await open.gateway.request(link, { headers: { 'if-none-match': known } });
    assert.equal(same.status, 304, known);
  }
  const other = { range: 'bytes=0-1', 'if-range': '"other"' };
  assert.equal((await open.gateway.request(link, { headers: other })).status, 200);
});

test('deleting the video deletes its bytes', async () => {
  const { video } = await make();
  await open.gateway.request(`/v1/videos/${video.id}`, { method: 'DELETE' });
  assert.equal(await countParts(video), 0);
});

test('the bytes are deleted after two days, and the address reports this', async () => {
  const { video, link } = await make();
  open.gateway.clock.advance(HOURS_49_MS);
  const key = `/v1/videos/${video.id}/content`;
  await assertRefusal(await open.gateway.request(key), {
    format: 'chat',
    status: 410,
    code: 'content_expired',
  });
  await until('the bytes are gone', async () => (await countParts(video)) === 0);
  assert.ok(link);
});
