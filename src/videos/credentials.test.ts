import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { type MockVideoProvider, startMockVideoProvider } from '../../test/support/mock-video-provider.ts';
import { finishVideo, orderVideo } from '../../test/support/video-client.ts';

/** Health belongs to a model, so that each test takes one of its own. */
const MODELS = ['first-video', 'second-video', 'third-video', 'fourth-video'];

let mock: MockVideoProvider;
let other: MockVideoProvider;
let gateway: InProcessGateway;

function createConfig(): string {
  const models = (perSecond: string, ids: readonly string[]): string[] => [
    '    models:',
    ...ids.map(
      (id) =>
        `      - { id: ${id}, operations: [videos], video: { sizes: [640x480], seconds: [4], audio: optional }, price: { input: "0", output: "0", perSecond: { default: "${perSecond}" } } }`,
    ),
  ];
  const provider = (id: string, origin: string): string[] => [
    `  - id: ${id}`,
    '    format: chat',
    '    videoProtocol: openai',
    `    baseUrl: ${origin}/v1`,
  ];
  return [
    'videos: { pollMs: 50 }',
    'providers:',
    ...provider('pooled', mock.origin),
    '    credentials:',
    '      - { name: main, apiKey: main-key }',
    '      - { name: spare, apiKey: spare-key, weight: 0 }',
    ...models('0.1', MODELS),
    ...provider('other', other.origin),
    '    apiKey: other-key',
    ...models('0.2', ['fourth-video']),
  ].join('\n');
}

before(async () => {
  [mock, other] = [await startMockVideoProvider(), await startMockVideoProvider()];
  gateway = await openInProcess({ config: createConfig() });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await mock[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});
afterEach(async () => {
  mock.clear();
  other.clear();
  assert.deepEqual(await gateway.accounts.ledger.check(), []);
});

/** The first credential is answered with this status. */
function refuseMain(status: number, code = ''): void {
  mock.intercept = ({ method, headers }, response) => {
    if (method !== 'POST' || headers.authorization !== 'Bearer main-key') return false;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'no', type: code, code } }));
    return true;
  };
}

/** The keys of requests in their order, each once in a row. */
function keysSeen(method: string, path: RegExp): string[] {
  return mock.find(method, path).map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
}

async function findAttempt(id: string) {
  const { rows } = await gateway.database.query<{ request_id: string }>({
    text: 'SELECT request_id FROM video_job WHERE id = $1',
    values: [id],
  });
  return (await gateway.findRow(rows[0]?.request_id ?? ''))?.attempts[0];
}

test('a refused credential is followed by another of its provider, which polls, reads and deletes the video', async () => {
  refuseMain(401);
  mock.steps = ['queued', 'completed'];
  const { id } = await orderVideo(gateway, { model: 'first-video' });
  const video = await finishVideo(gateway, id);
  assert.equal(video.status, 'completed');
  assert.deepEqual(keysSeen('POST', /\/videos$/), ['main-key', 'spare-key']);
  const read = await gateway.request(video.content?.[0]?.url ?? '', { headers: { authorization: '' } });
  assert.equal(await read.text(), mock.content.toString());
  await gateway.request(`/v1/videos/${id}`, { method: 'DELETE' });
  while (mock.find('DELETE', /videos/).length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const method of ['GET', 'DELETE'])
    assert.deepEqual(new Set(keysSeen(method, /videos/)), new Set(['spare-key']), method);
  assert.equal((await findAttempt(id))?.credential, 'spare');
});

test('a credential that was refused or whose account is empty rests: the next order begins with another', async () => {
  refuseMain(429, 'insufficient_quota');
  await finishVideo(gateway, (await orderVideo(gateway, { model: 'second-video' })).id);
  await finishVideo(gateway, (await orderVideo(gateway, { model: 'second-video' })).id);
  assert.deepEqual(keysSeen('POST', /\/videos$/), ['main-key', 'spare-key', 'spare-key']);
});

test('an order that is refused itself is not sent with another credential', async () => {
  refuseMain(400, 'invalid_prompt');
  const response = await gateway.post('/v1/videos', { model: 'third-video', prompt: 'a cat' });
  assert.equal(response.status, 400);
  assert.deepEqual(keysSeen('POST', /\/videos$/), ['main-key']);
});

test('after a fault of the provider comes another provider, not another credential', async () => {
  refuseMain(503);
  const { id } = await orderVideo(gateway, { model: 'fourth-video' });
  await finishVideo(gateway, id);
  assert.deepEqual(keysSeen('POST', /\/videos$/), ['main-key']);
  const attempt = await findAttempt(id);
  assert.deepEqual([attempt?.providerId, attempt?.credential], ['other', undefined]);
});
