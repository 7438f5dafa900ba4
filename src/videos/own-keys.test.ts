import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { InProcessGateway, TestAccount } from '../../test/support/in-process.ts';
import type { MockVideoProvider } from '../../test/support/mock-video-provider.ts';
import { finishVideo, orderVideo } from '../../test/support/video-client.ts';
import { type VideoGateway, openVideoGateway } from '../../test/support/video-gateway.ts';

const OWN_KEY = 'sk-canary-of-the-organization';
const COST = '400000000000';

let open: VideoGateway;
let gateway: InProcessGateway;
let mock: MockVideoProvider;
before(async () => {
  open = await openVideoGateway();
  ({ gateway, mock } = open);
});
after(() => open[Symbol.asyncDispose]());
afterEach(async () => {
  mock.clear();
  assert.deepEqual(await gateway.accounts.ledger.check(), []);
});

const asKey = ({ apiKey }: TestAccount) => ({ authorization: `Bearer ${apiKey}` });
const bring = ({ organizationId }: TestAccount, apiKey = OWN_KEY) =>
  gateway.accounts.directory.setProviderKey({ organizationId, providerId: 'open', apiKey }, gateway.terms);
const remove = async ({ organizationId }: TestAccount) => {
  const [key] = await gateway.accounts.directory.listProviderKeys({ organizationId });
  assert.ok(key);
  return gateway.accounts.directory.removeProviderKey(key);
};
const keysSeen = (): string[] => [
  ...new Set(mock.seen.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''))),
];

async function findRow(id: string) {
  const { rows } = await gateway.database.query<{ request_id: string }>({
    text: 'SELECT request_id FROM video_job WHERE id = $1',
    values: [id],
  });
  return gateway.findRow(rows[0]?.request_id ?? '');
}

test('a video is ordered, followed, read and deleted with the organization’s own key, and charged nothing', async () => {
  const owner = await gateway.createAccount({ credits: 1n });
  await bring(owner);
  mock.steps = ['queued', 'in_progress', 'completed'];
  const { id } = await orderVideo(gateway, {}, asKey(owner));
  const video = await finishVideo(gateway, id, asKey(owner));
  assert.equal(video.status, 'completed');
  const read = await gateway.request(video.content?.[0]?.url ?? '', { headers: { authorization: '' } });
  assert.equal(await read.text(), mock.content.toString());
  const deletion = await gateway.request(`/v1/videos/${id}`, { method: 'DELETE', headers: asKey(owner) });
  assert.equal(deletion.status, 200);
  while (mock.find('DELETE', /videos/).length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(keysSeen(), [OWN_KEY]);
  const row = await findRow(id);
  assert.deepEqual(
    [row?.customer, row?.provider, row?.credential, row?.attempts[0]?.credential],
    ['0', COST, 'own', 'own'],
  );
});

test('an organization without its own key is charged, and its orders use the gateway’s key', async () => {
  const [owner, other] = [await gateway.createAccount(), await gateway.createAccount()];
  await bring(owner);
  const { id } = await orderVideo(gateway, {}, asKey(other));
  await finishVideo(gateway, id, asKey(other));
  assert.deepEqual(keysSeen(), ['mock-secret-key']);
  assert.equal((await findRow(id))?.customer, COST);
});

test('a key that is removed ends a video that is under way: nothing is held, nothing charged, the gateway’s key not used', async () => {
  const owner = await gateway.createAccount();
  await bring(owner);
  mock.steps = ['in_progress'];
  const { id } = await orderVideo(gateway, {}, asKey(owner));
  await remove(owner);
  const video = await finishVideo(gateway, id, asKey(owner));
  assert.deepEqual([video.status, video.error?.code], ['failed', 'own_key_removed']);
  assert.match(video.error?.message ?? '', /own key for the provider open was removed/);
  assert.deepEqual(keysSeen(), [OWN_KEY]);
  const row = await findRow(id);
  assert.deepEqual([row?.customer, row?.estimated], ['0', true]);
});

test('a finished video cannot be read once the key is removed, and can with the next one', async () => {
  const owner = await gateway.createAccount();
  await bring(owner);
  const { id } = await orderVideo(gateway, {}, asKey(owner));
  await finishVideo(gateway, id, asKey(owner));
  await remove(owner);
  mock.clear();
  const read = () => gateway.request(`/v1/videos/${id}/content`, { headers: asKey(owner) });
  const message = await open.refuses(await read(), 502, 'upstream_unreachable');
  assert.match(message, /own key for the provider open, which was removed/);
  assert.deepEqual(mock.seen, []);
  await bring(owner, 'sk-the-next-of-the-organization');
  assert.equal(await (await read()).text(), mock.content.toString());
  assert.deepEqual(keysSeen(), ['sk-the-next-of-the-organization']);
});

test('a refused key charges no one and is reported to its owner without its text', async () => {
  const owner = await gateway.createAccount();
  await bring(owner);
  mock.intercept = (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `wrong key ${OWN_KEY}` } }));
    return true;
  };
  const response = await gateway.post('/v1/videos', { model: 'open-video', prompt: 'a cat' }, asKey(owner));
  const message = await open.refuses(response.clone(), 502, 'upstream_credential_refused');
  assert.match(message, /refused the organization’s own key/);
  assert.ok(!(await response.text()).includes(OWN_KEY));
  assert.deepEqual(keysSeen(), [OWN_KEY]);
});
