import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { findClosedPort } from '../../test/support/mock-upstream.ts';
import { type MockVideoProvider, startMockVideoProvider } from '../../test/support/mock-video-provider.ts';
import { finishVideo, orderVideo } from '../../test/support/video-client.ts';

let mock: MockVideoProvider;
let gateway: InProcessGateway;

/**
 * The same model at a cheap provider that is not listening and at an expensive one, each with its own default video.
 */
async function createConfig(): Promise<string> {
  const provider = (origin: string, video: string, perSecond: string): string[] => [
    `  - id: at-${perSecond.replace('.', '-')}`,
    '    format: chat',
    '    videoProtocol: openai',
    `    baseUrl: ${origin}/v1`,
    '    apiKey: mock-key',
    '    models:',
    `      - { id: shared-video, operations: [videos], video: { ${video}, audio: optional }, price: { input: "0", output: "0", perSecond: { default: "${perSecond}" } } }`,
  ];
  const closed = `http://127.0.0.1:${await findClosedPort()}`;
  return [
    'videos: { pollMs: 50 }',
    'providers:',
    ...provider(closed, 'sizes: [640x480], seconds: [4]', '0.01'),
    ...provider(mock.origin, 'sizes: [1280x720], seconds: [8]', '0.1'),
  ].join('\n');
}

before(async () => {
  mock = await startMockVideoProvider();
  gateway = await openInProcess({ config: await createConfig() });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await mock[Symbol.asyncDispose]();
});

test('a video of a fallback provider is reported and billed as that provider’s', async () => {
  const ordered = await orderVideo(gateway, { model: 'shared-video' });
  const [order] = mock.find('POST', /\/videos$/);
  assert.deepEqual([order?.json?.['seconds'], order?.json?.['size']], ['8', '1280x720']);
  const { status, seconds, size } = await finishVideo(gateway, ordered.id);
  assert.deepEqual([status, seconds, size], ['completed', '8', '1280x720']);
  assert.deepEqual([ordered.seconds, ordered.size], ['8', '1280x720']);
  const { rows } = await gateway.database.query<{ request_id: string }>({
    text: 'SELECT request_id FROM video_job WHERE id = $1',
    values: [ordered.id],
  });
  const row = await gateway.findRow(rows[0]?.request_id ?? '');
  assert.deepEqual(row?.units, [{ unit: 'video-second', kind: '1280x720', count: 8 }]);
  assert.equal(row.customer, '800000000000');
  assert.deepEqual(await gateway.accounts.ledger.check(), []);
});
